import { setTimeout as sleep } from 'node:timers/promises';
import { rehearsedRegion } from '../../engine/app/template.ts';
import { passes } from '../../engine/filters.ts';
import type { Outcome } from '../../engine/lambda/sandbox.ts';
import { failureMessage, recordsDone } from './stream-batch.ts';
import { type IteratorStart, type StreamClient, type StreamRecord, TrimmedError } from './stream-client.ts';

/** A stream delivers at least once. This makes it deliver twice. */
export interface StreamFaults {
  /** The batch was handled, and the place in the stream is forgotten: the batch is delivered once more. */
  readonly forgetsCheckpoint?: (records: readonly StreamRecord[]) => boolean;
}

export interface StreamConsumerStats {
  readonly batches: number;
  /** Records handed to the function, every delivery counted. */
  readonly deliveries: number;
  readonly redeliveries: number;
  /** Records that were given up. */
  readonly discarded: number;
}

export interface StreamSourceOptions {
  readonly client: StreamClient;
  readonly streamArn: string;
  readonly functionArn: string;
  readonly invoke: (event: unknown) => Promise<Outcome>;
  readonly batchSize: number;
  readonly windowMs: number;
  readonly reportsBatchItemFailures: boolean;
  readonly filters: readonly Readonly<Record<string, unknown>>[];
  readonly fromStart: boolean;
  readonly bisects: boolean;
  /** `undefined`: a batch is tried until it succeeds, and everything behind it waits. */
  readonly maximumRetries: number | undefined;
  readonly maximumAgeMs: number | undefined;
  /** Gets the message about records that were given up. */
  readonly onFailure?: (message: Readonly<Record<string, unknown>>) => Promise<void>;
  readonly faults?: StreamFaults;
}

/** The wait after a first failed try; each further one is twice as long, up to 10 times. */
const retryWaitMs = 100;

/** A stand-in for an event source mapping of a stream: it reads each shard in sequence, one batch at a time. */
export interface StreamSource {
  readonly stats: StreamConsumerStats;
  /** The records behind the last one that is done. */
  waiting(): Promise<readonly StreamRecord[]>;
  stop(): Promise<void>;
}

/** One shard, and how far it is done. */
interface Shard {
  readonly id: string;
  readonly begin: string;
  done: string | undefined;
}

interface StreamState {
  readonly options: StreamSourceOptions;
  readonly stats: { batches: number; deliveries: number; redeliveries: number; discarded: number };
  readonly shards: Map<string, Shard>;
  readonly delivered: Set<string>;
  /** When each record was read first. DynamoDB Local gives only the minute of its creation. */
  readonly arrived: Map<string, number>;
  readonly readers: Promise<void>[];
  readonly stopping: AbortController;
}

const betweenReadsMs = 50;
const betweenLooksMs = 2_000;

/** Resolves when the places in the shards are fixed: what is written from then on is read, also from the newest record on. */
export async function startStreamSource(options: StreamSourceOptions): Promise<StreamSource> {
  const stats = { batches: 0, deliveries: 0, redeliveries: 0, discarded: 0 };
  const stopping = new AbortController();
  const [shards, arrived] = [new Map<string, Shard>(), new Map<string, number>()];
  const state: StreamState = { options, stats, shards, delivered: new Set(), arrived, readers: [], stopping };
  await addShards(state, options.fromStart ? { kind: 'oldest' } : { kind: 'newest' });
  const looking = lookForShards(state);
  return {
    stats,
    waiting: () => waiting(state),
    async stop() {
      stopping.abort();
      await looking;
      await Promise.all(state.readers);
    },
  };
}

async function addShards(state: StreamState, from: IteratorStart): Promise<void> {
  const { client, streamArn } = state.options;
  for (const id of await client.shards(streamArn)) {
    if (state.shards.has(id)) continue;
    const shard: Shard = { id, begin: await client.iterator(streamArn, id, from), done: undefined };
    state.shards.set(id, shard);
    state.readers.push(readShard(state, shard));
  }
}

/** A stream gets new shards from time to time. All of such a shard is new. */
async function lookForShards(state: StreamState): Promise<void> {
  while (await waited(state, betweenLooksMs)) {
    await addShards(state, { kind: 'oldest' }).catch(() => undefined);
  }
}

/** Returns false if the source was stopped. */
async function waited({ stopping: { signal } }: StreamState, ms: number): Promise<boolean> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
  return !signal.aborted;
}

async function readShard(state: StreamState, shard: Shard): Promise<void> {
  const { options, stopping } = state;
  let iterator: string | undefined = shard.begin;
  while (iterator !== undefined && !stopping.signal.aborted) {
    try {
      const { records, next }: Gathered = await gather(state, shard, iterator);
      const wanted = records.filter((one) => passes(options.filters, eventRecord(one, options.streamArn)));
      if (wanted.length > 0) await handle(state, shard, wanted, 0);
      if (stopping.signal.aborted) return;
      shard.done = records.at(-1)?.dynamodb.SequenceNumber ?? shard.done;
      iterator = next;
      if (records.length === 0) await waited(state, betweenReadsMs);
    } catch (error) {
      if (stopping.signal.aborted) return;
      console.error(
        `The event source of ${options.streamArn} will try again: ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`,
      );
      await waited(state, 500);
    }
  }
}

interface Gathered {
  readonly records: readonly StreamRecord[];
  readonly next: string | undefined;
}

/** Gathers records until the batch is full or its window ends. */
async function gather(state: StreamState, shard: Shard, from: string): Promise<Gathered> {
  const { client, batchSize, windowMs } = state.options;
  const first = await readFrom(state, shard, from, batchSize);
  const records = [...first.records];
  let { next } = first;
  const windowEnds = Date.now() + windowMs;
  while (records.length > 0 && records.length < batchSize && next !== undefined && Date.now() < windowEnds) {
    if (!(await waited(state, Math.min(betweenReadsMs, windowEnds - Date.now())))) break;
    const more: Gathered = await client.read(next, batchSize - records.length);
    records.push(...more.records);
    next = more.next;
  }
  for (const { eventID } of records) state.arrived.set(eventID, state.arrived.get(eventID) ?? Date.now());
  return { records, next };
}

/** Reads on. An iterator of a shard that was empty is of no use once it has a record: then the shard is read from its beginning. */
async function readFrom(
  { options: { client, streamArn } }: StreamState,
  { id, done }: Shard,
  iterator: string,
  most: number,
): Promise<Gathered> {
  try {
    return await client.read(iterator, most);
  } catch (error) {
    if (!(error instanceof TrimmedError) || done !== undefined) throw error;
    return client.read(await client.iterator(streamArn, id, { kind: 'oldest' }), most);
  }
}

function eventRecord(found: StreamRecord, streamArn: string) {
  return {
    eventVersion: '1.1',
    eventSource: 'aws:dynamodb',
    awsRegion: rehearsedRegion,
    ...found,
    eventSourceARN: inRegion(streamArn),
  };
}

/** DynamoDB Local names a region of its own in its ARNs. */
function inRegion(streamArn: string): string {
  return streamArn.replace(':ddblocal:', `:${rehearsedRegion}:`);
}

/** Tries a batch until it is done or given up. */
async function handle(state: StreamState, shard: Shard, batch: readonly StreamRecord[], before: number): Promise<void> {
  const { options, stopping } = state;
  let records = batch;
  let attempts = before;
  let outcome: Outcome | undefined;
  while (!stopping.signal.aborted) {
    const young = await withoutExpired(state, shard, records, attempts, outcome);
    if (young.length === 0) return;
    outcome = await deliver(state, young);
    attempts += 1;
    if (stopping.signal.aborted) return;
    const done = recordsDone(outcome, young, options.reportsBatchItemFailures);
    if (done === young.length) {
      if (options.faults?.forgetsCheckpoint?.(young) === true) await deliver(state, young);
      return;
    }
    records = young.slice(done);
    const half = Math.ceil(records.length / 2);
    if (options.bisects && done === 0 && records.length > 1) {
      // A split is no retry of its own: the halves go on with the tries that are left.
      await handle(state, shard, records.slice(0, half), attempts - 1);
      await handle(state, shard, records.slice(half), attempts - 1);
      return;
    }
    if (options.maximumRetries !== undefined && attempts > options.maximumRetries) {
      await giveUp(state, shard, records, { condition: 'RetryAttemptsExhausted', attempts, outcome });
      return;
    }
    await waited(state, retryWaitMs * Math.min(10, 2 ** (attempts - 1)));
  }
}

async function deliver(state: StreamState, records: readonly StreamRecord[]): Promise<Outcome> {
  const { options, stats, delivered } = state;
  stats.batches += 1;
  stats.deliveries += records.length;
  stats.redeliveries += records.filter(({ eventID }) => delivered.has(eventID)).length;
  for (const { eventID } of records) delivered.add(eventID);
  return options.invoke({ Records: records.map((one) => eventRecord(one, options.streamArn)) });
}

async function withoutExpired(
  state: StreamState,
  shard: Shard,
  records: readonly StreamRecord[],
  attempts: number,
  outcome: Outcome | undefined,
): Promise<readonly StreamRecord[]> {
  const { maximumAgeMs } = state.options;
  if (maximumAgeMs === undefined) return records;
  const isOld = ({ eventID }: StreamRecord) => Date.now() - (state.arrived.get(eventID) ?? Date.now()) > maximumAgeMs;
  const old = records.filter(isOld);
  if (old.length > 0) await giveUp(state, shard, old, { condition: 'RecordAgeExceeded', attempts, outcome });
  return records.filter((one) => !old.includes(one));
}

async function giveUp(
  { options, stats }: StreamState,
  { id }: Shard,
  records: readonly StreamRecord[],
  how: Parameters<typeof failureMessage>[2],
): Promise<void> {
  stats.discarded += records.length;
  const { streamArn, functionArn } = options;
  await options.onFailure?.(failureMessage({ streamArn, functionArn, shard: id }, records, how));
}

async function waiting(state: StreamState): Promise<readonly StreamRecord[]> {
  const { client, streamArn, filters } = state.options;
  const left: StreamRecord[] = [];
  for (const shard of state.shards.values()) {
    const { id, begin, done } = shard;
    const from =
      done === undefined ? begin : await client.iterator(streamArn, id, { kind: 'after', sequenceNumber: done });
    let next: string | undefined = from;
    while (next !== undefined) {
      const { records, next: further }: Gathered = await readFrom(state, shard, next, 1_000);
      left.push(...records.filter((one) => passes(filters, eventRecord(one, streamArn))));
      next = records.length === 0 ? undefined : further;
    }
  }
  return left;
}
