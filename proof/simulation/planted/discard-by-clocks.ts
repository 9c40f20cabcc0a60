import type { AcquireRequest, createClaims } from '../../../lib/claims/engine.ts';
import type { SqsRecord } from '../../../lib/sqs/event.ts';

/**
 * A breakage to be found: a duplicate in flight is told by SQS's clock and the worker's. The claim is another message's where it was made before
 * this one was received for the first time, by more than the allowance.
 */
export function claimByTwoClocks(original: typeof createClaims): typeof createClaims {
  return (settings, fallback) => {
    const claims = original(settings, fallback);

    async function acquire(asked: AcquireRequest & { readonly record?: SqsRecord }) {
      const acquired = await claims.acquire(asked);
      const { record } = acquired;
      const receivedAt = Number(asked.record?.attributes.ApproximateFirstReceiveTimestamp);
      if (acquired.held || record === undefined) return acquired;
      const isAnother = !asked.redelivered && record.fence < 2 && receivedAt - record.firstSeenAt > settings.skewMs;
      return {
        ...acquired,
        record: { ...record, source: isAnother ? 'another message' : undefined },
      } as typeof acquired;
    }

    return { ...claims, acquire };
  };
}
