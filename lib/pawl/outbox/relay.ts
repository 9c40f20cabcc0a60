import { remainingTime } from '../kernel/check.ts';
import { expectOptions } from '../kernel/take-options.ts';
import { propertyOf } from '../kernel/unknown.ts';
import { withEach } from '../sqs/limit.ts';
import { drain, laneUnread, restingAddresses } from './sender.ts';
import { sweepHandler } from './sweep.ts';
import { knownOfSweep, type OutboxSweepOptions, type SweepInvocation, sweepSettings } from './sweep-options.ts';
import type { OutboxReport } from './sweep-report.ts';

/**
 * The options of `outboxRelay`.
 *
 * @example
 * const options: OutboxRelayOptions = { outbox: dynamoOutbox({ tableName: process.env.OUTBOX_TABLE, aws }), concurrency: 20 };
 */
export type OutboxRelayOptions = OutboxSweepOptions;

/** What the relay returns to Lambda: never an item that failed. */
export interface RelayResponse {
  readonly batchItemFailures: readonly [];
}

/** A Lambda handler for the stream of an outbox table, and for a schedule. */
export type RelayHandler = (event?: unknown, context?: SweepInvocation) => Promise<RelayResponse | OutboxReport>;

/** A message leaves the outbox within this time of its invocation's end, in milliseconds. */
const marginMs = 1000;

/**
 * Makes a Lambda handler that sends what the workers have left: for the stream of the outbox table (keys only, starting at the trim horizon), and for a
 * schedule, where it sweeps as `outboxSweep` does.
 *
 * It never fails a batch of the stream: a record that failed would hold back its whole shard. What it cannot send stays in the outbox, and the sweep tries it
 * again. On a schedule, it rejects after its run if the table could not be read.
 *
 * @throws OptionError at once when an option is missing or out of range
 * @example
 * export const handler = outboxRelay({ outbox: dynamoOutbox({ tableName: process.env.OUTBOX_TABLE, aws }) });
 */
export function outboxRelay(options: OutboxRelayOptions): RelayHandler {
  expectOptions(options, { door: 'outboxRelay', known: knownOfSweep, docs: 'docs/guides/outbox.md' });
  const settings = sweepSettings(options);
  const { outbox, concurrency } = settings;
  const sweep = sweepHandler(settings);
  return async function relay(event, context) {
    const lanes = lanesIn(event);
    if (lanes === undefined) return await sweep(event, context);
    const remainingMs =
      context === undefined ? 60_000 : remainingTime('getRemainingTimeInMillis()', context.getRemainingTimeInMillis());
    const until = outbox.host.now() + remainingMs - marginMs;
    const rests = restingAddresses();
    await withEach(lanes, concurrency, async (lane) => {
      try {
        await drain(outbox, lane, until, rests);
      } catch (error) {
        laneUnread(outbox, lane, error);
      }
    });
    return { batchItemFailures: [] };
  };
}

/** The lanes of a batch of the stream, each once; nothing where it is no such batch. */
function lanesIn(event: unknown): ReadonlySet<string> | undefined {
  const records = propertyOf(event, 'Records');
  if (!Array.isArray(records)) return undefined;
  return new Set(records.flatMap((record) => laneOf(record) ?? []));
}

/** The lane of a new message. Counters, and what was changed or removed, concern no relay. */
function laneOf(record: unknown): string | undefined {
  if (propertyOf(record, 'eventName') !== 'INSERT') return undefined;
  const keys = propertyOf(propertyOf(record, 'dynamodb'), 'Keys');
  const id = propertyOf(propertyOf(keys, 'id'), 'S');
  return typeof id === 'string' && propertyOf(propertyOf(keys, 'n'), 'N') !== '0' ? id : undefined;
}
