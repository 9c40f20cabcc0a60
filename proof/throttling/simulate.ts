import { nodeHost } from '../../lib/pawl/host.ts';
import type { Host } from '../../lib/pawl/kernel/host.ts';
import type { ClaimRecord } from '../../lib/pawl/rules/record.ts';
import type { ClaimStore, ClaimWrite, WriteResult } from '../../lib/pawl/rules/store.ts';
import { bodyField, eachMessage } from '../../lib/pawl/sqs/index.ts';
import { isAboutContents, isHopeless, isThrottled } from '../../lib/pawl/stores/dynamodb/errors.ts';
import { groupCommit, type Part } from '../../lib/pawl/stores/group-commit.ts';
import { memoryStore } from '../../lib/pawl/stores/memory.ts';
import { standingOf } from '../../lib/pawl/stores/standing.ts';
import { createWorld, type World, worldBegins } from '../simulation/world/world.ts';

/**
 * Many sandboxes over one table that does not have the capacity for them. The consumer, the group commit and its back-off are production's; time, the
 * table's capacity and SQS are simulated. A queue has more messages than can be handled, so that every sandbox is always busy.
 */
export interface Throttling {
  readonly sandboxes: number;
  /** Writes that the table takes in a second. */
  readonly writesPerSecond: number;
  /** Reads that it takes in a second, of messages that were all received before. @default no message was, and nothing is read */
  readonly readsPerSecond?: number;
  readonly seconds: number;
  /** The time-out of the function, in seconds. */
  readonly invocationSeconds: number;
  readonly seed: number;
}

export interface Goodput {
  /** Messages that were completed in a second, as a share of what the table has the capacity for: two writes for each. */
  readonly ofCapacity: number;
  /** The same of the second half of the run to the first. Below 1, it is collapsing. */
  readonly secondHalfToFirst: number;
  /** Writes and reads that the table refused, as a share of those that were sent: also of those that the client has sent again by itself. */
  readonly waste: number;
  /** Messages that came back because the table was too small: each of them has used up a receive. */
  readonly givenBack: number;
  /** Of the tenths of seconds of the second half, the one with the most requests to their mean: 1 is an even spread. */
  readonly burst: number;
  readonly doubled: number;
}

const batchSize = 10;
const handlerMs = 20;
const requestMs = 5;
/** How often a client sends a request of one claim, of which it sees that it is throttled. */
const clientTries = 3;

export async function simulateThrottling(options: Throttling): Promise<Goodput> {
  const { sandboxes, writesPerSecond, readsPerSecond, seconds, invocationSeconds, seed } = options;
  const invocationMs = invocationSeconds * 1000;
  const world = createWorld({ seed, keepsStory: false, turnsTheLoop: false });
  const table = createTable(world, writesPerSecond, readsPerSecond);
  // As the construct sets the visibility timeout.
  const queue = createQueue(world, 6 * invocationMs, readsPerSecond === undefined ? 1 : 2);
  const effects = new Map<string, number>();
  for (let place = 0; place < sandboxes; place++) {
    const host = hostOf(world, place);
    const handler = eachMessage<{ readonly order: string }>(
      {
        operation: 'send',
        store: table.storeOf(host),
        key: bodyField('order'),
        onAbandoned: 'park',
        marksEffect: true,
        backoffSeconds: () => undefined,
        onEvent: () => undefined,
        host,
      },
      ({ body }, claim) =>
        claim.effect(async () => {
          effects.set(body.order, (effects.get(body.order) ?? 0) + 1);
          await new Promise<void>((resolve) => world.after(handlerMs, resolve));
        }),
    );
    const work = async () => {
      const records = queue.receive();
      const end = world.time + invocationMs;
      const { batchItemFailures } = await handler(
        { Records: records },
        { getRemainingTimeInMillis: () => end - world.time },
      );
      queue.comeAgain(new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)), records);
      world.after(1, () => void work());
    };
    // Lambda does not start a thousand sandboxes in one millisecond.
    world.after(world.random.between(0, 1000), () => void work());
  }
  await world.run(seconds * 1000);
  return goodputOf(table.taken(), table.sent(), table.completed, options, effects, queue.givenBack());
}

type Record = Parameters<ReturnType<typeof eachMessage>>[0]['Records'][number];

function createQueue(world: World, visibilityMs: number, firstReceive: number) {
  let sent = 0;
  let givenBack = 0;
  const again: Record[] = [];
  const record = (messageId: string, receives: number): Record => ({
    messageId,
    receiptHandle: messageId,
    body: JSON.stringify({ order: messageId }),
    attributes: { ApproximateReceiveCount: String(receives) },
    messageAttributes: {},
    eventSourceARN: 'arn:aws:sqs:eu-west-1:000000000000:orders',
  });
  return {
    givenBack: () => givenBack,
    receive: () => Array.from({ length: batchSize }, () => again.shift() ?? record(`m-${sent++}`, firstReceive)),
    comeAgain(ids: ReadonlySet<string>, records: readonly Record[]) {
      const returned = records.filter(({ messageId }) => ids.has(messageId));
      if (returned.length === 0) return;
      givenBack += returned.length;
      world.after(visibilityMs, () => {
        for (const one of returned)
          again.push(record(one.messageId, Number(one.attributes?.ApproximateReceiveCount) + 1));
      });
    },
  };
}

/** What a table can take in a second, as DynamoDB counts it. */
function createCapacity(world: World, perSecond: number) {
  const sent: number[] = [];
  let taken = 0;
  let tokens = perSecond;
  let filledAt = 0;
  return {
    sent,
    taken: () => taken,
    takes(): boolean {
      tokens = Math.min(perSecond, tokens + ((world.time - filledAt) / 1000) * perSecond);
      filledAt = world.time;
      sent.push(world.time);
      if (tokens < 1) return false;
      tokens -= 1;
      taken += 1;
      return true;
    },
  };
}

const throttled = (name: string) => Object.assign(new Error('throttled'), { name });

/** A table that refuses what is beyond its capacity one by one, as DynamoDB refuses statements and leaves keys unread. */
function createTable(world: World, writesPerSecond: number, readsPerSecond = Infinity) {
  const memory = memoryStore();
  const written = createCapacity(world, writesPerSecond);
  const read = createCapacity(world, readsPerSecond);
  const completed: number[] = [];
  const pass = (ms: number) => new Promise<void>((resolve) => world.after(ms, resolve));

  async function writeTogether(
    writes: readonly ClaimWrite[],
    isLimited: boolean,
  ): Promise<readonly Part<WriteResult>[]> {
    const [first] = writes;
    // A claim that is sent alone is a request of its own, which the client sends again; unless pawl has slowed down.
    let tries = writes.length === 1 && first?.seen === undefined && !isLimited ? clientTries : 1;
    await pass(requestMs);
    const parts: Part<WriteResult>[] = [];
    for (const write of writes) {
      let isTaken = written.takes();
      while (!isTaken && --tries > 0) {
        await pass(world.random.between(0, 100));
        isTaken = written.takes();
      }
      if (!isTaken) parts.push({ error: throttled('ThrottlingError') });
      else {
        parts.push({ value: await memory.write(write) });
        if (write.next.status === 'completed') completed.push(world.time);
      }
    }
    return parts;
  }

  async function readTogether(ids: readonly string[]): Promise<readonly Part<ClaimRecord | undefined>[]> {
    for (let tries = clientTries; ; tries--) {
      await pass(requestMs);
      const parts = ids.map((id) =>
        read.takes() ? { value: memory.read(id) } : { error: throttled('ThrottlingError') },
      );
      // Of a request of which no key was read, the whole is refused; the client sends it again.
      if (parts.some((part) => 'value' in part)) return parts;
      if (tries === 1) throw throttled('ProvisionedThroughputExceededException');
      await pass(world.random.between(0, 100));
    }
  }

  return {
    taken: () => written.taken() + read.taken(),
    sent: () => [...written.sent, ...read.sent],
    completed,
    storeOf(host: Host): ClaimStore {
      const errors = { isAboutContents, isHopeless, isThrottled };
      const write = groupCommit(host, 25, writeTogether, errors);
      const reads = groupCommit(host, 100, readTogether, errors);
      return {
        read: (id, waitsMs) => reads(id, id, { waitsMs }),
        write: (one) => write(one.next.id, one, standingOf(one)),
      };
    },
  };
}

function hostOf(world: World, place: number): Host {
  let ids = 0;
  return {
    now: () => worldBegins + Math.floor(world.time),
    random: () => world.random.next(),
    randomId: () => `${place}-${++ids}`,
    sha256: nodeHost.sha256,
    after: (ms, run) => world.after(ms, run),
  };
}

function goodputOf(
  taken: number,
  sent: readonly number[],
  completed: readonly number[],
  { writesPerSecond, seconds }: Throttling,
  effects: ReadonlyMap<string, number>,
  givenBack: number,
): Goodput {
  const middle = (seconds * 1000) / 2;
  const firstHalf = completed.filter((at) => at < middle).length;
  const tenths = Array.from({ length: seconds * 5 }, () => 0);
  for (const at of sent) {
    const place = Math.floor((at - middle) / 100);
    if (place >= 0 && place < tenths.length) tenths[place] = (tenths[place] ?? 0) + 1;
  }
  const mean = tenths.reduce((sum, count) => sum + count, 0) / tenths.length;
  return {
    ofCapacity: completed.length / ((writesPerSecond / 2) * seconds),
    secondHalfToFirst: (completed.length - firstHalf) / firstHalf,
    waste: 1 - taken / sent.length,
    givenBack,
    burst: Math.max(...tenths) / mean,
    doubled: [...effects.values()].filter((count) => count > 1).length,
  };
}
