import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import type { Aws } from '../../../lib/pawl/aws/aws.ts';
import { sdk } from '../../../lib/pawl/aws/sdk.ts';
import type { Claim } from '../../../lib/pawl/engine/claim.ts';
import { once } from '../../../lib/pawl/engine/once.ts';
import { dynamoOutbox, outboxOperator, outboxRelay, outboxSweep } from '../../../lib/pawl/outbox/index.ts';
import { bodyField } from '../../../lib/pawl/payload/keys.ts';
import { dynamoStore } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { toItem } from '../../../lib/pawl/stores/dynamodb/item.ts';
import {
  type AppWrite,
  commit,
  commitStep,
  eachTransaction,
  transactionalStore,
} from '../../../lib/pawl/transactions/index.ts';
import { dynamoClient } from '../dynamodb/client.ts';
import { type Item, simulatedTable } from '../dynamodb/table.ts';
import { createSandbox, type Sandbox } from '../lambda/sandbox.ts';
import type { Violation } from '../parts.ts';
import type { Simulated, SimulateOptions } from '../simulate.ts';
import { createTroubles } from '../troubles.ts';
import { createWorld } from '../world/world.ts';
import { simulatedDestination } from './queue.ts';
import { createOutboxScenario, type OutboxScenario } from './scenario.ts';

const counted = [
  'attempts',
  'kills',
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
}

const operation = 'post';
/** One table for claims, data and messages: the ids of the three never meet. */
const tableName = 'claims';
const mayTakeMs = 3_600_000;
/** Longer than any request is on its way: a counter ends a day after its last use. */
const idleMs = 60_000;

/**
 * Runs one seed: payments come again and again until they are done, each with a message in its commit. Workers, relays and sweeps are killed, answers are
 * lost, requests arrive late, batches of the stream get lost, a queue is throttled and refuses, and counters end.
 *
 * What must hold: a message arrives if its data is committed (7), and not otherwise (6); it has one key in all its copies (1); first copies of a group are
 * in the order of their commits (8); and nothing is left in the outbox (14).
 */
export async function simulateOutbox(
  seed: number,
  { keepsStory = false, turnsTheLoop = false, planted }: OutboxSimulateOptions = {},
): Promise<Simulated<OutboxScenario, OutboxStats>> {
  const scenario = createOutboxScenario(seed);
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
  const groupOf = (key: string) => (groups === 0 ? undefined : `g${Number(key.slice(1)) % groups}`);
  /** What was committed, in its order: of each message its uid. */
  const commits: { readonly uid: string; readonly key: string; readonly lane: string }[] = [];
  /** The lanes of new messages, as the stream has them. */
  let stream: string[] = [];
  const lastUse = new Map<string, number>();
  const table = simulatedTable<Sandbox>(tableName, (_, before, after) => {
    const [id, n] = [after['id']?.S ?? '', Number(after['n']?.N ?? Number.NaN)];
    if (Number(after['times']?.N ?? 0) > 1) problem(1, `${id} is committed ${after['times']?.N} times`);
    if (Number.isNaN(n)) return;
    lastUse.set(id, world.time);
    if (n === 0 || before?.['uid']?.S === after['uid']?.S) return;
    if (before !== undefined) problem(7, `${before['key']?.S} is overwritten by ${after['key']?.S}`);
    stats.committed++;
    commits.push({ uid: after['uid']?.S ?? '', key: after['key']?.S ?? '', lane: id });
    stream.push(id);
  });
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
    world.after(timeoutMs + 1000, () => end('timed out'));
    const client = dynamoClient(surroundings, sandbox, table);
    // No batch response goes to a queue here: a message that is not done comes again by itself.
    const aws: Aws = { dynamodb: sdk({ dynamodb: client }).dynamodb, sqs: { call: async () => ({}) } };
    const isTroubled = () => !isCalm() && random.chance(scenario.queueTroubled);
    const refuses = (key: string) => !isCalm() && poisoned.has(key.split('/')[0] ?? '');
    const sentBy = { worker: 'sentByWorkers', relay: 'sentByRelay', sweep: 'sentBySweep' } as const;
    const outbox = dynamoOutbox({
      tableName,
      aws,
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
    return { sandbox, client, aws, outbox, context, settled };
  }

  function attempt(key: string): void {
    stats.attempts++;
    const { sandbox, client, aws, outbox, context, settled } = begin('worker', 10);
    const store = transactionalStore(dynamoStore({ tableName, aws, host: sandbox.host }));
    const data = {
      Update: {
        TableName: tableName,
        Key: { id: `app#${key}` },
        UpdateExpression: 'ADD #times :one',
        ExpressionAttributeNames: { '#times': 'times' },
        ExpressionAttributeValues: { ':one': 1 },
      },
    };
    const messages = () =>
      Array.from({ length: scenario.perCommit }, (_, index) =>
        outbox.message({ to, key: `${key}/${index}`, body: index, group: groupOf(key) }),
      );
    const writes = () => (planted === 'outside' ? [data] : [data, ...messages()]);
    /** The mistake: what a worker writes after its commit, it may not live to write. */
    async function outside(): Promise<void> {
      if (planted !== 'outside') return;
      const prepared = await outbox.prepare(messages());
      await client.send(new TransactWriteItemsCommand({ TransactItems: prepared.writes.map(marshalled) }));
      await prepared.sendNow(context.getRemainingTimeInMillis());
    }
    // A claim that was abandoned too often waits for an operator, which is no matter of the outbox.
    const shared = {
      operation,
      store,
      host: sandbox.host,
      marginMs: 100,
      maxAbandoned: 1000,
      onEvent: () => undefined,
    };
    if (door === 'transaction') {
      const handler = eachTransaction<{ key: string }>({ ...shared, key: bodyField('key') }, writes);
      settled(handler({ Records: [recordOf(key)] }, context).then(outside));
      return;
    }
    const pay = once({ ...shared, key: (one: string) => one, onAbandoned: 'retry' }, async (_, claim: Claim) => {
      if (door === 'step') await commitStep(claim, 'post', writes);
      else await commit(claim, writes());
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
    for (const item of [...table.items.values()]) {
      const id = item['id']?.S ?? '';
      if (item['n']?.N !== '0' || world.time < (lastUse.get(id) ?? 0) + idleMs) continue;
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
  every(200, 3000, relay);
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
      for (let index = 0; index < scenario.perCommit; index++) {
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

/** The one write of a message that the planted mistake makes. */
function marshalled({ Put, Update }: AppWrite) {
  if (Put) return { Put: { TableName: Put.TableName, Item: toItem(Put.Item ?? {}) } };
  const { Key = {}, ExpressionAttributeValues = {}, ...rest } = Update ?? { TableName: '', UpdateExpression: '' };
  return { Update: { ...rest, Key: toItem(Key), ExpressionAttributeValues: toItem(ExpressionAttributeValues) } };
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
