import type { acquire } from '../../../lib/pawl/engine/acquire.ts';
import type { claimMessage } from '../../../lib/pawl/sqs/claim-message.ts';
import type { SqsRecord } from '../../../lib/pawl/sqs/event.ts';

/** The record of SQS behind each identity that is asked for: a claim knows of none. */
export type RecordsByIdentity = WeakMap<object, SqsRecord>;

/** The first part of `claimByTwoClocks`. */
export function notingRecords(original: typeof claimMessage, records: RecordsByIdentity): typeof claimMessage {
  return (consumer, one, ...rest) => {
    records.set(one.identity, one.record);
    return original(consumer, one, ...rest);
  };
}

/**
 * A breakage to be found: a duplicate in flight is told by SQS's clock and the worker's. The claim is another message's where it was made before
 * this one was received for the first time, by more than the allowance.
 */
export function claimByTwoClocks(original: typeof acquire, records: RecordsByIdentity): typeof acquire {
  return async (engine, asked) => {
    const acquired = await original(engine, asked);
    const { record } = acquired;
    const receivedAt = Number(records.get(asked.identity)?.attributes.ApproximateFirstReceiveTimestamp);
    if (acquired.grant !== undefined || record === undefined) return acquired;
    const { skewMs } = engine.settings;
    const isAnother = !asked.redelivered && record.fence < 2 && receivedAt - record.firstSeenAt > skewMs;
    return { ...acquired, record: { ...record, source: isAnother ? 'another message' : undefined } } as typeof acquired;
  };
}
