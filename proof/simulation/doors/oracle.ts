import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { SqsBatchResponse } from '../../../lib/pawl/sqs/event.ts';
import type { Item, idOf } from '../dynamodb/table.ts';
import { type Sandbox, sha256 } from '../lambda/sandbox.ts';
import type { EffectRequest, Intent, Invocation, Job, Violation } from '../parts.ts';
import type { QueuedMessage } from '../sqs/queue.ts';
import type { Deciding, DoorsOracle, JobRun } from './parts.ts';
import { counterId, effectsOfJob } from './parts-of-job.ts';
import type { StepPolicy } from './scenario.ts';
import type { DoorsSimulation } from './simulation.ts';

/** The longest that the record of a handler's end may wait for what was asked of the table before it. */
const promptlyMs = 1500;
/** How long after a refusal of the table a worker may still ask at the pace that it has learned: at its slowest, one record in two seconds. */
const pacedMs = 60_000;

/**
 * Decides by what the providers and the application's table have in their books, and by the raw items of the claims table. None of
 * pawl's own rules is asked.
 */
export function createDoorsOracle(simulation: DoorsSimulation, observesPromises: boolean): DoorsOracle {
  const { world, scenario, stats } = simulation;
  const { shape, policy, arrangement } = scenario;
  const { honoursKeys } = scenario.provider;
  const effects = effectsOfJob(scenario);
  const violations: Violation[] = [];
  const allowed = new Map<string, number>();
  const effectKeys = new Map<string, string>();
  /** Parts of jobs whose step has said that it is done. */
  const done = new Set<string>();
  /** Parts that failed in a handler that went on as if they had not. */
  const swallowed = new Set<string>();
  const late = new Set<string>();
  const payloads = new Map<string, string>();
  const invocationsOf = new Map<string, Set<Invocation>>();
  const troubled = new Set<Invocation>();
  /** When the table has last throttled a sandbox. */
  const throttledAt = new Map<string, number>();
  const ran = new Set<string>();
  /** Keys of which a worker was killed or stood still, or could not reach the table, while it held or wanted the claim. */
  const harmed = new Set<string>();
  /** Invocations under way. */
  const open = new Set<Invocation>();
  const deciding = new Map<string, Deciding>();
  /** Keys whose provider was asked by a sweep. */
  const askedAbout = new Set<string>();
  const copied = new Set<string>();
  const everParked = new Set<string>();
  /** Keys whose handler has returned, with nothing left open, and in which invocation. */
  const returnedIn = new Map<string, Invocation>();
  const waitsForRecord = new Map<string, Set<() => void>>();
  /** Claims whose end was sent to the table, whether or not it got there. */
  const askedToRecord = new Set<string>();
  let clocksWrong = false;

  function problem(invariant: number, text: string): void {
    world.note('ORACLE', `invariant ${invariant} is broken:`, text);
    violations.push({ invariant, text, at: world.time });
  }

  const invocationOf = (sandbox: Sandbox) => simulation.lambda.invocationOf(sandbox);
  const itemIds = new Map<string, string>();
  const keys = new Map<string, string>();

  /** Keys that are too long for DynamoDB have a hash for their item's id. */
  function itemIdOf(key: string): string {
    let id = itemIds.get(key);
    if (id === undefined) {
      id = key.length > 200 ? `charge#sha256:${sha256(key)}` : `charge#${key}`;
      itemIds.set(key, id);
      keys.set(id, key);
    }
    return id;
  }

  function keyOf(id: string): string {
    if (!keys.has(id)) for (const { key = '' } of simulation.traffic.intents()) itemIdOf(key);
    return keys.get(id) ?? id;
  }

  const recordOf = (key: string) => simulation.table.items.get(itemIdOf(key));
  const isIts = (sandbox: Sandbox, item: Item | undefined) => textOf(item?.['claimId']).startsWith(`${sandbox.name}.`);

  function timesOf(key: string, payload: string, part: string): number {
    if (effects.remote.includes(part)) return simulation.provider.effectsOf(`${key}/${part}`, payload);
    return numberOf(simulation.table.items.get(counterId(key, payload, part))?.['times']);
  }

  function hasHappened({ key, payload }: Intent): boolean {
    if (key === undefined) return false;
    return [...effects.remote, ...effects.committed].every(
      (part) => timesOf(key, payload, part) > 0 || swallowed.has(`${key}/${part}`),
    );
  }

  /** Whether this sandbox may act although its lease is over. */
  function isExcused(sandbox: Sandbox): boolean {
    const invocation = invocationOf(sandbox);
    if (invocation === undefined || invocation.paused || clocksWrong) return true;
    return scenario.leaseMs !== undefined && troubled.has(invocation);
  }

  function policyOf(part: string): StepPolicy | 'reconcile' {
    if (shape === 'steps') return scenario.steps[effects.remote.indexOf(part)] ?? 'park';
    return shape === 'phases' ? (scenario.steps[0] ?? 'park') : policy;
  }

  /** Demands that a sandbox holds the claim of what it is doing, as far as the table knows. */
  function holds(sandbox: Sandbox, key: string): boolean {
    const item = recordOf(key);
    const moved = invocationOf(sandbox)?.clockMovedMs ?? 0;
    const isOver = numberOf(item?.['leaseUntil']) + moved <= sandbox.clock();
    if (isIts(sandbox, item) && textOf(item?.['status']) === 'in-flight' && !isOver) return true;
    late.add(key);
    stats.lateActs++;
    world.note(sandbox.name, 'acts late on', key);
    if (!isExcused(sandbox)) {
      problem(
        13,
        `${sandbox.name} acts on ${key}, and its claim is ${item?.['status']?.S}, of ${item?.['claimId']?.S}`,
      );
    }
    return false;
  }

  function jobStarted(sandbox: Sandbox, job: Job): JobRun {
    const { key, payload } = job;
    const nothing: JobRun = { follow: (_, started) => started, end: () => undefined };
    if (!sandbox.alive) return nothing;
    const invocation = invocationOf(sandbox);
    world.note(sandbox.name, 'runs the handler of', `${key} (${job.messageId})`);
    stats.runs++;
    ran.add(key);
    // One that stands still afterwards has not recorded it.
    if (returnedIn.get(key)?.paused === false && !harmed.has(key) && !clocksWrong)
      problem(1, `the handler of ${key} runs again, and it has returned`);
    const first = payloads.get(key) ?? payload;
    if (first !== payload) problem(9, `${key} runs with the payloads ${first} and ${payload}`);
    payloads.set(key, payload);
    if (invocation !== undefined) {
      const invocations = invocationsOf.get(key) ?? new Set();
      invocationsOf.set(key, invocations.add(invocation));
    }
    let underWay = 0;
    let hasEnded = false;
    const failed = new Set<string>();

    function endedIfQuiet(): void {
      if (hasEnded && underWay === 0) mustRecordSoon(sandbox, key, invocation);
    }

    return {
      follow(part, started) {
        if (!observesPromises) return started;
        underWay++;
        started.then(
          () => {
            underWay--;
            if (!sandbox.alive) return;
            // Elsewhere it is the effect itself that has said so, and not the step around it.
            if (shape === 'steps') done.add(`${key}/${part}`);
            endedIfQuiet();
          },
          () => {
            underWay--;
            if (!hasEnded) failed.add(part);
            if (sandbox.alive) endedIfQuiet();
          },
        );
        return started;
      },
      end(returned) {
        if (!sandbox.alive) return;
        hasEnded = true;
        world.note(sandbox.name, 'its handler ends:', `${key} ${returned ? 'returned' : 'threw'}`);
        // Its author chose to go on without them. What failed only later is the library's to hear.
        const mayGoOn = arrangement === 'caught' || arrangement === 'unawaited';
        if (returned && mayGoOn) for (const part of failed) swallowed.add(`${key}/${part}`);
        if (returned && mayGoOn && !observesPromises)
          for (const part of effects.remote) swallowed.add(`${key}/${part}`);
        const isWhole = !mayGoOn && scenario.door !== 'sqs-once' && scenario.seams.answersEarlyMs === undefined;
        if (returned && isWhole && invocation) returnedIn.set(key, invocation);
        endedIfQuiet();
      },
    };
  }

  /** Between the end of a handler and its record nothing is waited for that can hang. */
  function mustRecordSoon(sandbox: Sandbox, key: string, invocation: Invocation | undefined): void {
    if (invocation === undefined || !observesPromises || scenario.door === 'sqs-once') return;
    if (shape !== 'steps' && shape !== 'beside' && shape !== 'plain') return;
    const item = recordOf(key);
    if (!isIts(sandbox, item) || textOf(item?.['status']) !== 'in-flight') return;
    const claimId = textOf(item?.['claimId']);
    if (askedToRecord.has(claimId)) return;
    const cancel = world.after(promptlyMs, () => {
      waitsForRecord.get(claimId)?.delete(cancel);
      const now = recordOf(key);
      const stands = textOf(now?.['claimId']) === claimId && textOf(now?.['status']) === 'in-flight';
      if (!stands || !sandbox.alive || invocation.ended || invocation.paused || clocksWrong) return;
      if (world.time - (throttledAt.get(sandbox.name) ?? -Infinity) < pacedMs) return;
      // Of a connection that is refused, nobody sees what was to be sent on it.
      if (scenario.database === 'postgres' && troubled.has(invocation)) return;
      problem(14, `${sandbox.name} has ended ${key}, and ${promptlyMs} ms later has not asked for that to be recorded`);
    });
    const waiting = waitsForRecord.get(claimId) ?? new Set();
    waitsForRecord.set(claimId, waiting.add(cancel));
  }

  function sending(_: Sandbox, input: object): void {
    for (const claimId of settledBy(input)) {
      askedToRecord.add(claimId);
      for (const cancel of waitsForRecord.get(claimId) ?? []) cancel();
      waitsForRecord.delete(claimId);
    }
  }

  function wrote(writer: Sandbox, before: Item | undefined, after: Item): void {
    const id = textOf(after['id']);
    if (id.startsWith('app#')) {
      committed(writer, id, numberOf(after['times']));
      return;
    }
    const key = keyOf(id);
    const [from, to] = [textOf(before?.['status']), textOf(after['status'])];
    world.note(
      'table',
      `${from || 'nothing'} becomes ${to}:`,
      `${id} fence ${after['fence']?.N} rev ${after['rev']?.N}, by ${writer.name} as ${after['claimId']?.S}`,
    );
    if (before?.['rev'] && numberOf(after['rev']) <= numberOf(before['rev']))
      problem(4, `${key} has the same revision twice`);
    if (numberOf(after['fence']) < numberOf(before?.['fence'])) problem(4, `the fence of ${key} went back`);
    // The response to a request may be added to what was committed before there was one.
    const addsResult = to === 'completed' && scenario.door.startsWith('http') && isIts(writer, before);
    if ((from === 'completed' && !addsResult) || from === 'rejected')
      problem(5, `a ${from} claim of ${key} was changed`);
    if (to === 'parked') everParked.add(key);
    const decided = deciding.get(key);
    const isDecision = decided?.operator === writer.name;
    if (from === 'parked' && !isDecision && !(to === 'completed' && isIts(writer, before))) {
      problem(11, `a parked claim of ${key} was changed by ${writer.name}`);
    }
    if (isDecision) {
      if (from !== 'parked') problem(11, `${writer.name} decided ${key}, which was ${from}`);
      if (numberOf(before?.['fence']) === decided.fence) {
        const { payload = '' } = { payload: payloads.get(key) };
        for (const part of decided.again) allowed.set(`${key}/${part}`, timesOf(key, payload, part) + 1);
      } else if (decided.namesFence) problem(11, `${writer.name} decided another doubt about ${key} than it had seen`);
      else for (const part of effects.remote) allowed.set(`${key}/${part}`, Infinity);
    }
    if (to === 'in-flight' && from === 'in-flight' && !isIts(writer, before)) {
      const isOver = writer.clock() >= numberOf(before?.['leaseUntil']) + scenario.skewMs;
      if (!isOver && !clocksWrong && scenario.faults.clockJumps === 0)
        problem(4, `a running lease of ${key} was taken over`);
    }
    // A transaction writes the claim first.
    if (to === 'completed') {
      world.after(0, () => {
        const payload = payloads.get(key) ?? payloadIn(key);
        if (!hasHappened({ name: key, key, payload }))
          problem(2, `${key} is completed, and not all of it has happened`);
      });
    }
  }

  /** Of a commit that needs no claim before it, nobody has said which payload it is. */
  function payloadIn(key: string): string {
    for (const intent of simulation.traffic.intents()) {
      if (intent.key === key && hasHappened(intent)) return intent.payload;
    }
    return '';
  }

  function committed(writer: Sandbox, id: string, times: number): void {
    world.note('table', 'applies', `${id} by ${writer.name}, the ${times}. time`);
    stats.effects++;
    if (times > 1) problem(1, `the write ${id} was applied ${times} times`);
  }

  function effectSent(sandbox: Sandbox, { key: part, effectKey }: EffectRequest): void {
    const [key = '', name = ''] = part.split('/');
    const known = effectKeys.get(part);
    if (known !== undefined && known !== effectKey) problem(12, `${part} has the effect keys ${known}, ${effectKey}`);
    effectKeys.set(part, effectKey);
    if (sandbox.alive && holds(sandbox, key) && done.has(part))
      problem(1, `${sandbox.name} runs ${name} of ${key}, which is done`);
  }

  function effectApplied({ key: part }: EffectRequest, times: number): void {
    const [key = '', name = ''] = part.split('/');
    const most = allowed.get(part) ?? 1;
    if (times <= most) return;
    const its = policyOf(name);
    if (!honoursKeys && its === 'retry') stats.doubled++;
    // Whoever decided, a provider's look-up or an operator, could not see what a worker that stood still was going to do.
    else if (
      !honoursKeys &&
      (its !== 'park' || allowed.has(part) || askedAbout.has(key)) &&
      (late.has(key) || clocksWrong)
    )
      stats.doubled++;
    else problem(1, `${name} of ${key} was applied ${times} times, where ${most} is the most`);
  }

  function isSafe(messageId: string): boolean {
    const intent = simulation.traffic.intentOf(messageId);
    return intent !== undefined && (hasHappened(intent) || copied.has(messageId));
  }

  function answered({ name, event, sandbox }: Invocation, response: SqsBatchResponse): void {
    const failures = response?.batchItemFailures;
    if (!Array.isArray(failures)) {
      problem(10, `${name} answered ${JSON.stringify(response)}`);
      return;
    }
    const listed = failures.map(({ itemIdentifier }) => itemIdentifier);
    world.note(sandbox.name, 'answers:', listed.length === 0 ? 'all done' : `again ${listed.join(' ')}`);
    const ids = event.Records.map(({ messageId }) => messageId);
    if (new Set(listed).size < listed.length) problem(10, `${name} lists a message twice: ${listed}`);
    for (const id of listed) if (!ids.includes(id)) problem(10, `${name} lists ${id}, which it was not given`);
    for (const id of ids) {
      if (!listed.includes(id) && !isSafe(id)) problem(6, `${name} acknowledges ${id}, which is not safe`);
    }
  }

  function keysIn(invocation: Invocation): readonly string[] {
    const { http, Records } = invocation.event;
    const bodies = http ? [http.body] : Records.map(({ body }) => body);
    return bodies.map((body) => String(JSON.parse(body).orderId));
  }

  return {
    violations,
    problem,
    wrote,
    sending,
    invoked: (invocation) => void open.add(invocation),
    concluded(invocation, { outcome }) {
      open.delete(invocation);
      if (outcome === 'answered' && !invocation.paused && !clocksWrong) return;
      for (const key of keysIn(invocation)) harmed.add(key);
    },
    heard(_, __, answer) {
      if ('error' in answer && (answer.error as Error).name === 'ValidationException') {
        problem(0, `DynamoDB was asked for something invalid: ${answer.error}`);
      }
    },
    throttles: (sandbox) => void throttledAt.set(sandbox.name, world.time),
    storeFails(sandbox) {
      const invocation = invocationOf(sandbox);
      if (invocation === undefined || troubled.has(invocation)) return;
      troubled.add(invocation);
      for (const key of keysIn(invocation)) harmed.add(key);
    },
    event(sandbox, { type, id }) {
      if (!sandbox.alive) return;
      world.note(sandbox.name, type, id);
      stats.events[type] = (stats.events[type] ?? 0) + 1;
    },
    runStarted() {
      throw new Error('a job is started here, and no run');
    },
    effectStarted: () => undefined,
    isRunning: () => false,
    effectSent,
    effectApplied,
    deadLettered(sandbox, body, copy) {
      for (const record of invocationOf(sandbox)?.event.Records ?? []) {
        if (record.body === body) copied.add(record.messageId);
      }
      if (copy === undefined) return;
      stats.deadLettered++;
      const { name, key = '', payload } = simulation.traffic.intentOfBody(body) ?? {};
      const status = textOf(recordOf(key)?.['status']);
      // Where the key is its own: what may run, runs, and may be done, is not set aside for good.
      const isOver = status === 'rejected' || everParked.has(key);
      if (payload !== undefined && payloads.get(key) === payload && !isOver)
        problem(7, `${name} is set aside, and its claim is ${status}`);
    },
    answered,
    deleted({ id }: QueuedMessage) {
      if (!isSafe(id)) problem(7, `${id} is deleted, and not safe`);
    },
    hasCopy: (messageId) => copied.has(messageId),
    clockWentWrong() {
      clocksWrong = true;
    },
    allowsAnother: () => undefined,
    jobStarted,
    hasRun: (key) => void ran.add(key),
    mayStillAct(key) {
      const attempts = invocationsOf.get(key) ?? new Set();
      if ([...attempts].some(({ ended, sandbox }) => !ended && sandbox.alive)) return true;
      return effects.remote.some((part) => simulation.provider.pending(`${key}/${part}`) > 0);
    },
    decides(key, next) {
      if (next === undefined) deciding.delete(key);
      else deciding.set(key, next);
    },
    asksAbout: (key) => void askedAbout.add(key),
    hasHappened,
    toldDone(intent) {
      if (!hasHappened(intent)) problem(6, `the client of ${intent.name} is told that it is done`);
    },
    wasSetAside: (key) =>
      !ran.has(key) && !harmed.has(key) && ![...open].some((invocation) => keysIn(invocation).includes(key)),
    everythingEnded(ended) {
      if (ended) return;
      const left = [...simulation.queue.messages()].map(({ id, receiveCount }) => `${id} (${receiveCount})`);
      problem(14, `not ended ${scenario.mayTakeMs} ms after the faults: ${left.join(', ')}`);
    },
    atTheEnd() {
      const { deadLetters, queue, traffic } = simulation;
      const intentOf = ({ body, id }: QueuedMessage) => traffic.intentOf(id) ?? traffic.intentOfBody(body);
      const dead = new Set([...deadLetters.messages(), ...queue.messages()].map((message) => intentOf(message)?.name));
      const isQueue = scenario.door !== 'http' && scenario.door !== 'http-once';
      for (const intent of traffic.intents()) {
        if (!isQueue || hasHappened(intent)) continue;
        if (!dead.has(intent.name)) problem(7, `${intent.name} is lost`);
        const { key } = intent;
        if (key !== undefined && !ran.has(key) && !harmed.has(key)) problem(7, `${key} is set aside, and never ran`);
      }
    },
  };
}

/** The claims whose end a request asks for. */
function* settledBy(input: object): Iterable<string> {
  if ('Statements' in input) {
    for (const one of input.Statements as Parameters<typeof idOf>[0][]) {
      const { Statement = '', Parameters = [] } = one;
      if (!Statement.includes(' SET "status"=?')) continue;
      // The claim that was seen is the first condition behind the id.
      const conditions = Statement.slice(Statement.indexOf(' WHERE ')).split(' AND ');
      const claim = conditions.findIndex((text) => text.includes('"claimId"=?'));
      const before = Statement.slice(0, Statement.indexOf(' WHERE ')).split('=?').length - 1;
      yield textOf(Parameters[before + claim]);
    }
  } else if ('Item' in input) yield textOf((input as { readonly Item: Item }).Item['claimId']);
}

function textOf(value: AttributeValue | undefined): string {
  return value?.S ?? '';
}

function numberOf(value: AttributeValue | undefined): number {
  return Number(value?.N ?? 0);
}
