import type { AcquireRequest, acquire } from '../../../lib/claims/acquire.ts';
import type { SqsRecord } from '../../../lib/sqs/event.ts';

/**
 * A breakage to be found: a duplicate in flight is told by SQS's clock and the worker's. The claim is another message's where it was made before
 * this one was received for the first time, by more than the allowance.
 */
export function claimByTwoClocks(original: typeof acquire): typeof acquire {
  return async (engine, asked: AcquireRequest & { readonly record?: SqsRecord }) => {
    const acquired = await original(engine, asked);
    const { record } = acquired;
    const receivedAt = Number(asked.record?.attributes.ApproximateFirstReceiveTimestamp);
    if (acquired.grant !== undefined || record === undefined) return acquired;
    const { skewMs } = engine.settings;
    const isAnother = !asked.redelivered && record.fence < 2 && receivedAt - record.firstSeenAt > skewMs;
    return { ...acquired, record: { ...record, source: isAnother ? 'another message' : undefined } } as typeof acquired;
  };
}
