import type { Run } from '../engine/observe/observer.ts';
import { fail, giveBackUnstarted, succeed } from '../engine/record-outcome.ts';
import { warnOfUnawaited } from '../engine/run.ts';
import type { Work } from '../engine/work.ts';
import { conclude } from '../sqs/conclude.ts';
import type { QueueDoor } from '../sqs/consumer.ts';
import { acknowledged, type Disposition, dispositionOfRun, returned, returnedAsItIs } from '../sqs/disposition.ts';
import type { SqsBatchResponse } from '../sqs/event.ts';
import { withEach } from '../sqs/limit.ts';
import { type ClaimedBatch, type HandedOn, handedOnOf, isClaimed } from './claim-batch.ts';
import { type BatchResults, type MessageResult, resultsOfError } from './responses.ts';

/**
 * What becomes of the messages of a batch when its handler has responded.
 *
 * Owns: the outcome of each message, its disposition and the batch response. Does not own: what a response says of which message (`responses.ts`), and when a
 * request has ended (`sqs-once.ts`).
 */

/** How many outcomes are recorded at once. */
export const recordsAtOnce = 100;

/**
 * Waits for the calls of `once` that the handler has not awaited. Which message one was made for, nothing says: if it fails, no message is done.
 */
export async function afterItsCalls<Body>(
  { settings }: QueueDoor<Body>,
  { work, batch, deadline }: ClaimedBatch & { readonly work: Work },
  results: BatchResults,
): Promise<BatchResults> {
  const isRunning = results.of(0).status === 'running';
  work.end(isRunning ? 'threw' : 'returned');
  // There is no time to wait for anything.
  if (isRunning) return results;
  warnOfUnawaited(settings.operation, work);
  const { host, marginMs } = settings;
  const { late } = await work.rest(host, () => deadline - marginMs - host.now());
  const [failure] = late;
  if (failure === undefined) return results;
  const failed = resultsOfError(failure.error, handedOnOf(batch).length);
  return {
    of(place) {
      const result = results.of(place);
      return result.status === 'fulfilled' ? failed.of(place) : result;
    },
  };
}

/** Gives each message that was handed on its disposition. @returns the batch response */
export async function concludeBatch<Body>(
  consumer: QueueDoor<Body>,
  claimed: ClaimedBatch,
  dispositionOf: (one: HandedOn, place: number) => Promise<Disposition>,
): Promise<SqsBatchResponse> {
  const { batch } = claimed;
  // Not by the handler's concurrency: its work is over, and one record that has to be tried again must not hold up the others.
  await withEach(handedOnOf(batch).entries(), recordsAtOnce, async ([place, one]) => {
    one.disposition = await dispositionOf(one, place);
  });
  for (const one of batch) one.disposition ??= one.original?.disposition;
  try {
    return await conclude(consumer, batch, claimed);
  } finally {
    await claimed.watch?.end(claimed.deadline);
  }
}

export async function record<Body>(
  { engine, settings }: QueueDoor<Body>,
  one: HandedOn,
  result: MessageResult,
): Promise<Disposition> {
  if (!isClaimed(one)) return recordObserved(one.run, result);
  const { grant, stopKeeping } = one;
  const { status, value, reason } = result;
  // While the handler still runs, its claim is kept for it, where it outlives its invocation.
  if (status !== 'running') stopKeeping?.();
  switch (status) {
    case 'running':
      // Its claim stays in flight: freed now, the message would run beside itself.
      return returned;
    case 'fulfilled':
      await succeed(engine, grant, value);
      return acknowledged;
    case 'not-started': {
      // The handler was never called, whatever the author's classifier would make of another middleware's error.
      await giveBackUnstarted(engine, grant, reason);
      return returned;
    }
    case 'rejected': {
      const recorded = await fail(engine, grant, reason, 'unmarked');
      const retryAfterMs = settings.unsettledMs;
      return dispositionOfRun({ kind: 'threw', recorded, error: reason, applied: false, retryAfterMs });
    }
  }
}

/** What becomes of a message that was only observed: as its handler, or Middy, has it. */
function recordObserved(run: Run, { status, value, reason }: MessageResult): Disposition {
  if (status === 'fulfilled') run.returned(value);
  if (status === 'rejected') run.threw(reason);
  return status === 'fulfilled' ? acknowledged : returnedAsItIs;
}
