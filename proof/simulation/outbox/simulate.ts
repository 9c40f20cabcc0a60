import type { Claim } from '../../../lib/pawl/engine/claim.ts';
import { once } from '../../../lib/pawl/engine/once.ts';
import { outboxOperator, outboxRelay, outboxSweep } from '../../../lib/pawl/outbox/index.ts';
import { bodyField } from '../../../lib/pawl/payload/keys.ts';
import { dynamoClient } from '../dynamodb/client.ts';
import { type Item, type OnWrite, simulatedTable } from '../dynamodb/table.ts';
import { createSandbox, type Sandbox } from '../lambda/sandbox.ts';
import type { Violation } from '../parts.ts';
import { postgresPool } from '../postgres/client.ts';
import { simulatedDatabase } from '../postgres/database.ts';
import type { Simulated, SimulateOptions } from '../simulate.ts';
import { createTroubles } from '../troubles.ts';
import { createWorld, worldBegins } from '../world/world.ts';
import { inDynamo } from './dynamodb.ts';
import { inPostgres, problemOfHold } from './postgres.ts';
import { simulatedDestination } from './queue.ts';
import { createOutboxScenario, type Database, type OutboxScenario } from './scenario.ts';

const counted = [
  'attempts',
  'kills',
  'pauses',
  'committed',
  'sentByWorkers',
  'sentByRelay',
  'sentBySweep',
  'copies',
  'parked',
  'countersEnded',
  'storeRequests',
  'faults',
] as const;

/** What happened, in numbers. */
export type OutboxStats = Record<(typeof counted)[number], number>;

/** A mistake that is planted: the message is written in a request of its own, beside the transaction. */
type Planted = 'outside';

export interface OutboxSimulateOptions extends Omit<SimulateOptions, 'change'> {
  readonly planted?: Planted;
  /** @default 'dynamodb' */
  readonly database?: Database;
}

const operation = 'post';
const mayTakeMs = 3_600_000;
/** Longer than any request is on its way: a counter ends a day after its last use. */
const idleMs = { dynamodb: 60_000, postgres: 20_000 } as const;

/**
 * Runs one seed: payments come again and again until they are done, each with a message in its commit. Workers, relays and sweeps are killed, answers are
 * lost, requests arrive late, batches of the stream get lost, a queue is throttled and refuses, and counters end. In PostgreSQL, processes stand still as well,
 * relays are called by a schedule, and commits differ in their messages.
 *
 * What must hold: a message arrives if its data is committed (7), and not otherwise (6); it has one key in all its copies (1); first copies of a group are
 * in the order of their commits (8); nothing is left in the outbox (14); and, in PostgreSQL, no two relays take one lane at a time (0).
 */
export async function simulateOutbox(
  seed: number,
  { keepsStory = false, turnsTheLoop = false, planted, database = 'dynamodb' }: OutboxSimulateOptions = {},
): Promise<Simulated<OutboxScenario, OutboxStats>> {
  const scenario = createOutboxScenario(seed, database);
  const { faultsEndMs, door, groups, timeoutMs, sdkTries } = scenario;
  const world = createWorld({ seed: seed + 0x3_0000_0000, keepsStory, turnsTheLoop });
  const { random } = world;
  const stats = Object.fromEntries(counted.map((name) => [name, 0])) as OutboxStats;
  const violations: Violation[] = [];
  const problem = (invariant: number, text: string) => void violations.push({ invariant, text, at: world.time });
  const isCalm = () => world.time >= faultsEndMs;
  const troubles = createTroubles(world, scenario, stats);
  const surroundings = {
    world,
    stats,
    scenario,
    ...troubles,
    oracle: { heard: () => undefined, storeFails: () => undefined, sending: () => undefined },
  };

  const keys = Array.from({ length: scenario.keys }, (_, index) => `k${index + 1}`);
  const poisoned = new Set(keys.filter(() => random.chance(scenario.poisoned)));
  const isSpread = database === 'postgres';
  const groupOf = (key: string, index: number) =>
    groups === 0 ? undefined : `g${(Number(key.slice(1)) + (isSpread ? index : 0)) % groups}`;
  const countOf = (key: string) => (isSpread ? 1 + (Number(key.slice(1)) % scenario.perCommit) : scenario.perCommit);
  /** What was committed, in its order: of each message its uid. */
  const commits: { readonly uid: string; readonly key: string; readonly lane: string }[] = [];
  /** The lanes of new messages, as the stream has them. */
  let stream: string[] = [];
  const lastUse = new Map<string, number>();
  const wrote: OnWrite<Sandbox> = (_, before, after) => {
    const hold = problemOfHold(table.items, before, after, worldBegins + world.time);
    if (hold !== undefined) problem(0, hold);
    const [id, n] = [after['id']?.S ?? '', Number(after['n']?.N ?? Number.NaN)];
    if (Number(after['times']?.N ?? 0) > 1) problem(1, `${id} is committed ${after['times']?.N} times`);
    if (Number.isNaN(n)) return;
    lastUse.set(id, world.time);
    if (n === 0 || before?.['uid']?.S === after['uid']?.S) return;
    if (before !== undefined) problem(7, `${keyOf(before)} is overwritten by ${keyOf(after)}`);
    stats.committed++;
    commits.push({ uid: after['uid']?.S ?? '', key: keyOf(after), lane: id });
    stream.push(id);
  };
  const table = simulatedTable<Sandbox>('claims', wrote);
  const server = simulatedDatabase(world, table, wrote);
  const open =
    database === 'postgres'
      ? inPostgres((sandbox) => postgresPool(surroundings, sandbox, server), idleMs.postgres)
      : inDynamo((sandbox) => dynamoClient(surroundings, sandbox, table));
  const to = groups === 0 ? 'https://queue' : 'https://queue.fifo';
  const destination = simulatedDestination(world, groups > 0);
  let ids = 0;
  const alive = new Set<Sandbox>();

  /** A process that has an outbox, and may be killed at one of its requests. */
  function begin(name: string, calls: number) {
    const sandbox = createSandbox(world, `${name}-${++ids}`, Math.round(random.between(-400, 400)));
    alive.add(sandbox);
    const end = (why: string) => {
      if (!alive.delete(sandbox)) return;
      world.note(sandbox.name, why);
      sandbox.kill();
    };
    if (!isCalm() && random.chance(scenario.killed)) {
      const strike = () => {
        stats.kills++;
        end('is killed');
      };
      sandbox.lieInWait({ call: random.below(calls), sent: random.chance(0.5), strike });
    }
    // What stands still is not ended: it goes on long after its time is over, and with what it knew.
    const timeOut = () => void (sandbox.frozen ? world.after(1000, timeOut) : end('timed out'));
    world.after(timeoutMs + 1000, timeOut);
    if (!isCalm() && random.chance(scenario.paused)) {
      const strike = () => {
        stats.pauses++;
        world.note(sandbox.name, 'stands still');
        sandbox.freeze();
        world.after(random.between(1000, 60_000), () => sandbox.thaw());
      };
      sandbox.lieInWait({ call: random.below(calls), sent: random.chance(0.8), strike });
    }
    const isTroubled = () => !isCalm() && random.chance(scenario.queueTroubled);
    const refuses = (key: string) => !isCalm() && poisoned.has(key.split('/')[0] ?? '');
    const sentBy = { worker: 'sentByWorkers', relay: 'sentByRelay', sweep: 'sentBySweep' } as const;
    const commits = open(sandbox, {
      host: sandbox.host,
      destinations: [destination.reachedBy(sandbox, isTroubled, refuses, sdkTries)],
      atOnceMs: scenario.atOnceMs,
      onEvent({ type }) {
        const who = name in sentBy ? sentBy[name as keyof typeof sentBy] : undefined;
        if (type === 'message-sent' && who !== undefined) stats[who]++;
        if (type === 'message-parked') stats.parked++;
      },
    });
    const endsAt = sandbox.clock() + timeoutMs;
    const context = { getRemainingTimeInMillis: () => endsAt - sandbox.clock() };
    const settled = (running: Promise<unknown>) =>
      running.then(
        () => end('ends'),
        (error) => end(String((error as Error)?.name)),
      );
    return { sandbox, commits, outbox: commits.outbox, context, settled };
  }

  function attempt(key: string): void {
    stats.attempts++;
    const { sandbox, commits, context, settled } = begin('worker', 10);
    const messages = Array.from({ length: countOf(key) }, (_, index) => ({
      ...{ to, key: `${key}/${index}`, body: index },
      group: groupOf(key, index),
    }));
    const plan = { key, messages: planted === 'outside' ? [] : messages };
    /** The mistake: what a worker writes after its commit, it may not live to write. */
    async function outside(): Promise<void> {
      if (planted === 'outside') await commits.commitBeside({ key, messages }, context.getRemainingTimeInMillis());
    }
    // A claim that was abandoned too often waits for an operator, which is no matter of the outbox.
    const shared = {
      operation,
      store: commits.store,
      host: sandbox.host,
      marginMs: 100,
      maxAbandoned: 1000,
      onEvent: () => undefined,
    };
    if (door === 'transaction') {
      const handler = commits.handler({ ...shared, key: bodyField('key') }, plan);
      settled(handler({ Records: [recordOf(key)] }, context).then(outside));
      return;
    }
    const pay = once({ ...shared, key: (one: string) => one, onAbandoned: 'retry' }, async (_, claim: Claim) => {
      if (door === 'step') await commits.commitStep(claim, plan);
      else await commits.commit(claim, plan);
      await outside();
    });
    settled(pay.outcome(key, { remainingMs: context.getRemainingTimeInMillis }));
  }

  const isDone = (key: string) => table.items.get(`${operation}#${key}`)?.['status']?.S === 'completed';

  /** A message comes again until it is done, and sometimes after that. */
  function send(key: string, afterMs: number): void {
    world.after(afterMs, () => {
      if (!(isCalm() && isDone(key))) attempt(key);
      send(key, random.between(500, isCalm() ? 40_000 : 12_000));
    });
  }

  /** A schedule calls the relay, and sometimes calls it twice. */
  function scheduled(): void {
    for (let calls = random.chance(0.1) ? 2 : 1; calls > 0; calls--) {
      const { outbox, context, settled } = begin('relay', 12);
      const { olderThanMs, concurrency } = scenario;
      const handler = outboxRelay({ outbox, olderThanMs, concurrency, onReport: () => undefined });
      settled(handler(undefined, context));
    }
  }

  /** The stream delivers a batch until it was handled, or gives it up. */
  function relay(): void {
    const batch = stream.splice(0, 1 + random.below(10));
    if (batch.length === 0) return;
    if (random.chance(scenario.streamLost)) {
      // In calm, too: then the sweep has to find it.
      world.note('stream', 'gives up', batch.join(' '));
      return;
    }
    const { outbox, context, settled, sandbox } = begin('relay', 3 + 2 * batch.length);
    const handler = outboxRelay({ outbox, onReport: () => undefined });
    const Records = batch.map((id) => ({ eventName: 'INSERT', dynamodb: { Keys: { id: { S: id }, n: { N: '1' } } } }));
    let isHandled = false;
    settled(
      handler({ Records }, context).then((response) => {
        isHandled = true;
        if (JSON.stringify(response) !== '{"batchItemFailures":[]}') problem(0, 'the relay failed a batch');
      }),
    );
    world.after(timeoutMs + 2000, () => {
      if (!isHandled && !sandbox.alive) stream = [...batch, ...stream];
    });
  }

  function sweep(): void {
    const { outbox, context, settled } = begin('sweep', 12);
    const handler = outboxSweep({ outbox, olderThanMs: 30_000, onReport: () => undefined });
    settled(handler(undefined, context));
  }

  /** An operator ends what is parked once its destination was corrected. */
  function operate(): void {
    if (!isCalm()) return;
    const { outbox, settled } = begin('operator', 100);
    const { list, retry } = outboxOperator({ outbox });
    settled(
      (async () => {
        for await (const { id } of list({ parked: true })) await retry(id);
      })(),
    );
  }

  function endCounters(): void {
    if (!scenario.countersEnd) return;
    if (database === 'postgres') {
      const { commits, settled } = begin('retention', 3);
      const ending = commits.endCounters?.() ?? Promise.resolve(0);
      settled(ending.then((ended) => (stats.countersEnded += ended)));
      return;
    }
    for (const item of [...table.items.values()]) {
      const id = item['id']?.S ?? '';
      if (item['n']?.N !== '0' || world.time < (lastUse.get(id) ?? 0) + idleMs.dynamodb) continue;
      stats.countersEnded++;
      table.remove(item);
    }
  }

  function every(fromMs: number, toMs: number, run: () => void): void {
    world.after(random.between(fromMs, toMs), () => {
      run();
      every(fromMs, toMs, run);
    });
  }

  for (const key of keys) send(key, random.between(0, faultsEndMs));
  if (database === 'postgres') every(500, 10_000, scheduled);
  else every(200, 3000, relay);
  every(5000, 30_000, sweep);
  every(5000, 20_000, operate);
  every(1000, 20_000, endCounters);

  const waiting = () => [...table.items.values()].filter(isMessage);
  const isOver = () =>
    isCalm() &&
    keys.every(isDone) &&
    waiting().length === 0 &&
    ![...alive].some(({ name }) => name.startsWith('worker'));
  await world.run(faultsEndMs + mayTakeMs, () => violations.length > 0 || isOver());
  if (violations.length === 0 && !isOver()) {
    problem(14, `not ended: ${keys.filter((key) => !isDone(key)).join(', ')}; ${waiting().length} in the outbox`);
  }
  judge();
  const { hash, steps, time, story } = world;
  return { seed, scenario, violations, stats, hash, steps, virtualMs: time, story };

  function judge(): void {
    const { arrivals } = destination;
    stats.copies = arrivals.length;
    const known = new Map(commits.map((one) => [one.uid, one]));
    for (const { uid, key } of arrivals) {
      if (known.get(uid)?.key !== key) problem(6, `${key} arrived as ${uid}, and was not committed`);
    }
    if (violations.length > 0) return;
    for (const key of keys) {
      const times = Number(table.items.get(`app#${key}`)?.['times']?.N ?? 0);
      for (let index = 0; index < countOf(key); index++) {
        const name = `${key}/${index}`;
        const messages = commits.filter((one) => one.key === name);
        if (messages.length !== times) problem(1, `${name} was committed ${messages.length} times, its data ${times}`);
        if (!arrivals.some((one) => one.key === name)) problem(7, `${name} is lost`);
      }
    }
    const first = new Map<string, number>();
    for (const [index, { uid }] of arrivals.entries()) if (!first.has(uid)) first.set(uid, index);
    for (const [lane, theirs] of Map.groupBy(commits, (one) => one.lane)) {
      const order = theirs.map(({ uid }) => first.get(uid) ?? Number.NaN);
      if (order.some((place, at) => at > 0 && place < (order[at - 1] ?? 0))) {
        problem(8, `the messages of ${lane} arrived in another order than they were committed in: ${order.join(', ')}`);
      }
    }
  }
}

function isMessage({ n, uid }: Item): boolean {
  return uid !== undefined && n?.N !== '0';
}

function keyOf({ key, record }: Item): string {
  return key?.S ?? JSON.parse(record?.S ?? '{}').key;
}

function recordOf(key: string) {
  return {
    messageId: key,
    receiptHandle: key,
    body: JSON.stringify({ key }),
    attributes: { ApproximateReceiveCount: '1' },
    messageAttributes: {},
    eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:orders',
  };
}
