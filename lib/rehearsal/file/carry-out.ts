import { throttleStatements } from '../dynamodb-faults.ts';
import type { DeliveryFaults } from '../event-source.ts';
import type { FunctionPlace } from '../functions.ts';
import type { Invocation, InvocationWatch } from '../lambda.ts';
import type { ProviderFault } from '../provider.ts';
import type { Outcome } from '../sandbox.ts';
import type { Rewrite, TapAnswer, TapCall, TapHooks } from '../tap.ts';
import { list, record } from '../template.ts';
import type { Intents } from './intents.ts';
import type { Journal } from './journal.ts';
import type { Moment, Plan } from './plan.ts';
import { isWrite, writesOf } from './store-calls.ts';

/*
 * Carries a plan out, at the taps of the engine, and writes down what happens there.
 *
 * Each trouble happens once, at its first chance. A trouble whose moment never comes (a second write of a function that has one) does not
 * happen: the report counts what was planned and what happened.
 */

export interface CarryOutOptions {
  readonly plan: Plan;
  readonly intents: Intents;
  readonly journal: Journal;
  /** Which intent a message is, by its id. */
  readonly messageIntent: (id: string) => string | undefined;
  readonly kill: (sandbox: string) => void;
  readonly stall: (sandbox: string, forMs: number) => boolean;
  /** How long a sandbox of a function is stalled. */
  readonly stallMs: (construct: string) => number;
}

/** How often each kind of trouble really happened. */
export interface FaultStats {
  kill: number;
  redeliver: number;
  loseAnswer: number;
  throttle: number;
  freeze: number;
  provider: number;
}

export interface CarriedOut {
  readonly stats: Readonly<FaultStats>;
  readonly watch: InvocationWatch;
  readonly dynamodb: TapHooks;
  readonly delivery: (consumer: FunctionPlace) => DeliveryFaults;
  /** Kills the sandbox that calls a provider, at the moment of its fault. */
  readonly killCaller: (sandbox: string) => void;
  readonly atProvider: (intent: string, provider: string, sandbox: string | undefined) => ProviderFault | undefined;
}

/** What a sandbox is working on. */
interface Work {
  readonly construct: string;
  readonly intents: readonly string[];
  readonly batch: number;
  /** How often the message that was received most often was received. */
  readonly receives: number;
  /** The intents of each message, or record of a stream, by the identifier that a response of a batch has for it. */
  readonly items: ReadonlyMap<string, readonly string[]>;
}

/** What is known of a request to DynamoDB, from its way there to its way back. */
interface Seen {
  readonly sandbox: string;
  readonly construct: string;
  readonly intents: readonly string[];
  /** Of a write: which write of each of its intents it is. */
  readonly writes: ReadonlyMap<string, number> | undefined;
}

/** The carrying out from the inside of this file. */
interface State extends CarryOutOptions {
  readonly stats: FaultStats;
  readonly working: Map<string, Work>;
  readonly seen: WeakMap<TapCall, Seen>;
  readonly counts: Map<string, number>;
  readonly spent: Set<string>;
  /** What is to be said of a sandbox when its provider kills it. */
  readonly dying: Map<string, { readonly intent: string; readonly moment: string }>;
}

export function carryOut(options: CarryOutOptions): CarriedOut {
  const state: State = {
    ...options,
    stats: { kill: 0, redeliver: 0, loseAnswer: 0, throttle: 0, freeze: 0, provider: 0 },
    working: new Map(),
    seen: new WeakMap(),
    counts: new Map(),
    spent: new Set(),
    dying: new Map(),
  };
  return {
    stats: state.stats,
    watch: {
      onBegin: (invocation) => begin(state, invocation),
      onEnd: (invocation, outcome) => end(state, invocation, outcome),
    },
    dynamodb: {
      onRequest: (call) => request(state, call),
      rewrite: (call) => throttled(state, call),
      onResponse: (call, answer) => response(state, call, answer),
      onAnswered: (call, answer) => answered(state, call, answer),
    },
    delivery: ({ construct }) => deliveryFaults(state, construct),
    killCaller: (sandbox) => killCaller(state, sandbox),
    atProvider: (intent, provider, sandbox) => atProvider(state, intent, provider, sandbox),
  };
}

/** Whether this is the first time. */
function takes({ spent }: State, ...what: readonly string[]): boolean {
  const name = what.join('\n');
  if (spent.has(name)) return false;
  spent.add(name);
  return true;
}

/** The number of this time, from 0. */
function nth({ counts }: State, ...what: readonly string[]): number {
  const name = what.join('\n');
  const before = counts.get(name) ?? 0;
  counts.set(name, before + 1);
  return before;
}

function isSame(moment: Moment | undefined, other: Moment): boolean {
  if (moment?.at !== other.at) return false;
  if (moment.at === 'start' || other.at === 'start') return true;
  const sameWrite = moment.at !== 'store' || other.at !== 'store' || moment.write === other.write;
  return sameWrite && moment.when === other.when;
}

/** What comes back together is received together again. Each in such a batch would cost all others a receive, until they have none left. */
const MOST_RECEIVES = 2;

function isSpared({ working }: State, sandbox: string): boolean {
  return (working.get(sandbox)?.receives ?? 0) > MOST_RECEIVES;
}

/** The intent whose worker is to die at this moment. */
function victimAt(
  state: State,
  { sandbox, construct, intents }: Omit<Seen, 'writes'>,
  moment: (intent: string) => Moment,
): string | undefined {
  if (isSpared(state, sandbox)) return undefined;
  const victim = intents.find((intent) => isSame(state.plan.trouble(intent, construct).kill, moment(intent)));
  if (victim === undefined || !takes(state, 'kill', construct, victim)) return undefined;
  state.stats.kill += 1;
  return victim;
}

/** Whether the worker of one of these intents is to die at this moment. Notes it. */
function dies(state: State, seen: Omit<Seen, 'writes'>, moment: (intent: string) => Moment, said: string): boolean {
  const victim = victimAt(state, seen, moment);
  if (victim === undefined) return false;
  state.journal.add([victim], { kind: 'killed', sandbox: seen.sandbox, moment: said });
  return true;
}

function freezes(
  state: State,
  { sandbox, construct, intents }: Omit<Seen, 'writes'>,
  moment: (intent: string) => Moment,
  said: string,
): void {
  if (isSpared(state, sandbox)) return;
  const victim = intents.find((intent) => isSame(state.plan.trouble(intent, construct).freeze, moment(intent)));
  if (victim === undefined || !takes(state, 'freeze', construct, victim)) return;
  const forMs = state.stallMs(construct);
  if (!state.stall(sandbox, forMs)) return;
  state.stats.freeze += 1;
  state.journal.add([victim], { kind: 'stalled', sandbox, moment: said, forMs });
}

function begin(state: State, { sandbox, construct, event }: Invocation): void {
  const records = list(record(event)['Records']).map(record);
  const receives = new Map<string, number>();
  const items = new Map<string, readonly string[]>();
  const messages = new Map<string, string>();
  for (const one of records) {
    const count = Number(record(one['attributes'])['ApproximateReceiveCount'] ?? 1);
    const about = intentsOfRecord(state, one);
    items.set(String(one['messageId'] ?? record(one['dynamodb'])['SequenceNumber']), about);
    for (const intent of about) {
      receives.set(intent, count);
      if (typeof one['messageId'] === 'string') messages.set(intent, one['messageId']);
    }
  }
  const intents = records.length > 0 ? [...receives.keys()] : state.intents.namedIn(JSON.stringify(event) ?? '');
  const most = Math.max(1, ...receives.values());
  state.working.set(sandbox, { construct, intents, items, receives: most, batch: records.length });
  state.journal.add(intents, { kind: 'began', sandbox, construct, batch: records.length, receives, messages });
  const about = { sandbox, construct, intents };
  const start = () => ({ at: 'start' }) as const;
  if (dies(state, about, start, 'as it began')) state.kill(sandbox);
  else freezes(state, about, start, 'as it began');
}

function intentsOfRecord({ messageIntent, intents }: State, one: Readonly<Record<string, unknown>>): readonly string[] {
  const known = messageIntent(String(one['messageId']));
  return known === undefined ? intents.namedIn(JSON.stringify(one)) : [known];
}

function end(state: State, { sandbox, construct }: Invocation, outcome: Outcome): void {
  const work = state.working.get(sandbox);
  state.working.delete(sandbox);
  const batch = work?.batch ?? 0;
  const failed = new Set(failedItems(outcome).flatMap((id) => work?.items.get(id) ?? []));
  state.journal.add(work?.intents ?? [], { kind: 'ended', sandbox, construct, batch, outcome, failed });
}

/** What the response of a batch names as failed. */
function failedItems(outcome: Outcome): readonly string[] {
  const value = outcome.kind === 'response' ? outcome.value : undefined;
  return list(record(value)['batchItemFailures']).map((failure) => String(record(failure)['itemIdentifier']));
}

/** Which intents a request is about: those that it names; if it names none, those of its sandbox. */
function lookAt(state: State, call: TapCall): Seen | undefined {
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
  const seen: Seen = { sandbox, construct, intents, writes };
  state.seen.set(call, seen);
  return seen;
}

const atWrite =
  ({ writes }: Seen, when: 'sent' | 'written' | 'answered') =>
  (intent: string): Moment => ({ at: 'store', write: writes?.get(intent) ?? -1, when });

function request(state: State, call: TapCall): 'pass' | 'kill' {
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

function throttled(state: State, call: TapCall): Rewrite | undefined {
  const seen = lookAt(state, call);
  if (seen === undefined) return undefined;
  const refused = seen.intents.filter((intent) => {
    const { throttle } = state.plan.trouble(intent, seen.construct);
    if (throttle === undefined) return false;
    const request = nth(state, 'request', seen.construct, intent);
    return request >= throttle.from && request < throttle.from + throttle.times;
  });
  if (refused.length === 0) return undefined;
  state.stats.throttle += 1;
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

function response(state: State, call: TapCall, answer: TapAnswer): 'pass' | 'drop' | 'kill' {
  const seen = lookAt(state, call);
  if (seen?.writes === undefined) return 'pass';
  const { sandbox, construct, intents, writes } = seen;
  const isLost =
    answer.status === 200 &&
    intents.some((intent) => {
      const { loseAnswer } = state.plan.trouble(intent, construct);
      return loseAnswer === writes.get(intent) && takes(state, 'lose', construct, intent);
    });
  for (const write of writesOf(call, answer)) {
    const named = state.intents.namedIn(write.key);
    const result = isLost ? `${write.result}, and the response was lost` : write.result;
    state.journal.add(named.length > 0 ? named : intents, {
      kind: 'stored',
      sandbox,
      operation: call.operation,
      isNamed: named.length > 0,
      write: { ...write, result },
    });
  }
  if (isLost) state.stats.loseAnswer += 1;
  if (isLost) return 'drop';
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

function answered(state: State, call: TapCall, answer: TapAnswer): 'pass' | 'kill' {
  const seen = lookAt(state, call);
  if (seen?.writes === undefined || answer.status !== 200) return 'pass';
  const moment = atWrite(seen, 'answered');
  const said = `when it had the response to its ${call.operation}`;
  if (dies(state, seen, moment, said)) return 'kill';
  freezes(state, seen, moment, said);
  return 'pass';
}

function deliveryFaults(state: State, construct: string): DeliveryFaults {
  const intentsOf = ({ MessageId = '', Body = '' }: { MessageId?: string | undefined; Body?: string | undefined }) => {
    const known = state.messageIntent(MessageId);
    return known === undefined ? state.intents.namedIn(Body) : [known];
  };
  const happens = (intents: readonly string[], kind: 'after-handled' | 'while-handled') => {
    const victim = intents.find((intent) => state.plan.trouble(intent, construct).redeliver === kind);
    if (victim === undefined || !takes(state, 'redeliver', construct, victim)) return false;
    state.stats.redeliver += 1;
    return true;
  };
  return {
    deliversTwice(message) {
      const intents = intentsOf(message);
      const twice = happens(intents, 'while-handled');
      if (twice) state.journal.add(intents, { kind: 'visible-while-handled', construct });
      return twice;
    },
    forgetsDeletion(message) {
      const intents = intentsOf(message);
      const forgotten = happens(intents, 'after-handled');
      state.journal.add(intents, { kind: 'acknowledged', construct, forgotten });
      return forgotten;
    },
  };
}

const AT_PROVIDER = {
  before: 'before the provider had done it',
  applied: 'when the provider had done it, before the response',
  answered: 'when it had the response of the provider',
} as const;

function killCaller({ dying, journal, kill }: State, sandbox: string): void {
  const said = dying.get(sandbox);
  dying.delete(sandbox);
  // Noted now, and not when it was decided: the provider may have done it in between.
  if (said !== undefined) journal.add([said.intent], { kind: 'killed', sandbox, moment: said.moment });
  kill(sandbox);
}

function atProvider(
  state: State,
  intent: string,
  provider: string,
  sandbox: string | undefined,
): ProviderFault | undefined {
  const work = sandbox === undefined ? undefined : state.working.get(sandbox);
  if (sandbox !== undefined && work !== undefined) {
    const about = { sandbox, construct: work.construct, intents: [intent] };
    for (const when of ['before', 'applied', 'answered'] as const) {
      const victim = victimAt(state, about, () => ({ at: 'provider', when }));
      if (victim === undefined) continue;
      state.dying.set(sandbox, { intent: victim, moment: AT_PROVIDER[when] });
      return { kind: `kill-${when}` };
    }
    freezes(state, about, () => ({ at: 'provider', when: 'applied' }), 'while it called the provider');
  }
  const fault = state.plan.provider(intent, provider);
  if (fault === undefined || !takes(state, 'provider', provider, intent)) return undefined;
  state.stats.provider += 1;
  return fault;
}
