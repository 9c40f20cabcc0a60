import { list, record } from '../engine/app/template.ts';
import type { Rewrite, TapAnswer, TapCall, TapHooks } from '../engine/servers/tap.ts';
import { observedIn } from '../pawl/observed-writes.ts';
import { throttleStatements } from '../services/dynamodb/throttle-statements.ts';
import { lagging } from './at-index.ts';
import { type Carrying, dies, freezes, nth, type Seen, takes } from './carrying.ts';
import type { Moment } from './plan.ts';
import { isWrite, readsOf, writesOf } from './store-calls.ts';

/** What goes wrong with the requests to DynamoDB. */
export function storeHooks(state: Carrying): TapHooks {
  return {
    onRequest: (call) => request(state, call),
    rewrite(call) {
      const seen = lookAt(state, call);
      return seen && (throttled(state, call, seen) ?? lagging(state, call, seen));
    },
    onResponse: (call, answer) => response(state, call, answer),
    onAnswered: (call, answer) => answered(state, call, answer),
  };
}

/** Which intents a request is about: those that it names; if it names none, those of its sandbox. */
function lookAt(state: Carrying, call: TapCall): Seen | undefined {
  const { sandbox } = call;
  const work = sandbox === undefined ? undefined : state.working.get(sandbox);
  if (sandbox === undefined || work === undefined) return undefined;
  const known = state.seen.get(call);
  if (known !== undefined) return known;
  const named = state.intents.namedIn(call.body);
  const intents = named.length > 0 ? named : work.intents;
  const { construct } = work;
  const writes = isWrite(call)
    ? new Map(intents.map((intent) => [intent, nth(state, 'write', construct, intent)]))
    : undefined;
  for (const table of readsOf(call)) takes(state, 'reads', construct, table);
  const seen: Seen = { sandbox, construct, intents, writes };
  state.seen.set(call, seen);
  return seen;
}

const atWrite =
  ({ writes }: Seen, when: 'sent' | 'written' | 'answered') =>
  (intent: string): Moment => ({ at: 'store', write: writes?.get(intent) ?? -1, when });

function request(state: Carrying, call: TapCall): 'pass' | 'kill' {
  const seen = lookAt(state, call);
  if (seen?.writes === undefined) return 'pass';
  const isVictim = dies(
    state,
    seen,
    atWrite(seen, 'sent'),
    `as it sent ${call.operation} to DynamoDB, which did not get it`,
  );
  return isVictim ? 'kill' : 'pass';
}

function throttled(state: Carrying, call: TapCall, seen: Seen): Rewrite | undefined {
  const refused = seen.intents.filter((intent) => {
    const { throttle } = state.plan.trouble(intent, seen.construct);
    if (throttle === undefined) return false;
    const request = nth(state, 'request', seen.construct, intent);
    return request >= throttle.from && request < throttle.from + throttle.times;
  });
  if (refused.length === 0) return undefined;
  for (const intent of refused) if (takes(state, 'throttled', seen.construct, intent)) state.stats.throttle += 1;
  state.disturbed.add(seen.sandbox);
  strike(state, 'throttle', refused, seen.sandbox, `${call.operation} to DynamoDB is refused as too many`);
  if (call.operation === 'BatchExecuteStatement') {
    const body = record(JSON.parse(call.body));
    const statements = list(body['Statements']);
    const about = statements.filter((statement) =>
      state.intents.namedIn(JSON.stringify(statement)).some((intent) => refused.includes(intent)),
    );
    return throttleStatements(body, new Set(about.length > 0 ? about : statements));
  }
  const error = {
    __type: 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException',
    message: 'throttled by the rehearsal',
  };
  return { body: undefined, status: 400, answer: () => JSON.stringify(error) };
}

function strike(
  { journal }: Carrying,
  fault: 'loseAnswer' | 'throttle',
  intents: readonly string[],
  sandbox: string,
  text: string,
): void {
  journal.add(intents, { kind: 'struck', fault, sandbox, text });
}

function response(state: Carrying, call: TapCall, answer: TapAnswer): 'pass' | 'drop' | 'kill' {
  const seen = lookAt(state, call);
  if (seen?.writes === undefined) return 'pass';
  const { sandbox, construct, intents, writes } = seen;
  const isLost =
    answer.status === 200 &&
    intents.some((intent) => {
      const { loseAnswer } = state.plan.trouble(intent, construct);
      return loseAnswer === writes.get(intent) && takes(state, 'lose', construct, intent);
    });
  const observed = observedIn(call);
  for (const write of writesOf(call, answer, state.keysOf)) {
    const named = state.intents.namedIn(write.key);
    const result = isLost ? `${write.result}, and the response was lost` : write.result;
    state.journal.add(named.length > 0 ? named : intents, {
      kind: 'stored',
      sandbox,
      operation: call.operation,
      isNamed: named.length > 0,
      write: { ...write, result, ...(observed.has(write.key) && { isObserved: true }) },
    });
  }
  if (isLost) {
    state.stats.loseAnswer += 1;
    state.disturbed.add(sandbox);
    strike(state, 'loseAnswer', intents, sandbox, `DynamoDB carries out ${call.operation}, and the response is lost`);
    return 'drop';
  }
  // A write that was refused belongs to another worker: to kill this one would show nothing.
  if (answer.status !== 200) return 'pass';
  const isVictim = dies(
    state,
    seen,
    atWrite(seen, 'written'),
    `when DynamoDB had carried out its ${call.operation}, before the response`,
  );
  return isVictim ? 'kill' : 'pass';
}

function answered(state: Carrying, call: TapCall, answer: TapAnswer): 'pass' | 'kill' {
  const seen = lookAt(state, call);
  if (seen?.writes === undefined || answer.status !== 200) return 'pass';
  const moment = atWrite(seen, 'answered');
  const said = `when it had the response to its ${call.operation}`;
  if (dies(state, seen, moment, said)) return 'kill';
  freezes(state, seen, moment, said);
  return 'pass';
}
