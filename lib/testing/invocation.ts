import type { InvocationContext, SqsBatchResponse, SqsEvent } from '../sqs/event.ts';
import type { Clock } from './clock.ts';
import { returnFaults } from './faults.ts';
import { asReceived, type Queued } from './queue.ts';
import type { Sandbox } from './sandbox.ts';

/**
 * A Lambda handler: `eachMessage`'s, Middy's, or any other. Its parameters are `never`, so that it may ask for as much of an event
 * and a context as it likes; it is given what Lambda gives, as far as an SQS consumer needs it.
 */
export type SweptHandler = (event: never, context: never) => unknown;

/**
 * One invocation, from Lambda's side: with a time limit, in a sandbox that is frozen as soon as it has answered.
 *
 * Answers the messages that are to come again, or nothing when the sandbox did not live to answer.
 */
export async function invoke(
  sandbox: Sandbox,
  handler: SweptHandler,
  batch: readonly Queued[],
  { clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number },
): Promise<readonly Queued[] | undefined> {
  const died = Promise.withResolvers<undefined>();
  sandbox.thaw(() => died.resolve(undefined));
  const deadline = clock.now() + timeoutMs;
  const cancelTimeout = clock.after(timeoutMs, () => sandbox.kill('is killed by its time-out'));
  const answered = (async () => {
    const event: SqsEvent = { Records: batch.map((one) => asReceived(one, clock.now())) };
    const failed = await failuresOf(batch, () => handler(event as never, contextUntil(deadline, clock) as never));
    await sandbox.io('return', () => undefined, 0, returnFaults);
    return failed;
  })();
  const failed = await Promise.race([died.promise, answered]);
  cancelTimeout();
  sandbox.freeze();
  return failed;
}

/** What Lambda makes of what came of a handler, with `ReportBatchItemFailures`. */
async function failuresOf(batch: readonly Queued[], call: () => unknown): Promise<readonly Queued[]> {
  let response: Partial<SqsBatchResponse> | null | undefined;
  try {
    response = (await call()) as typeof response;
  } catch {
    return batch;
  }
  const ids = (response?.batchItemFailures ?? []).map((failure) => failure?.itemIdentifier);
  const known = new Set(batch.map(({ record }) => record.messageId));
  // One that Lambda does not know fails the whole batch.
  if (ids.some((id) => !known.has(id))) return batch;
  return batch.filter(({ record }) => ids.includes(record.messageId));
}

/** Lambda's context, as far as libraries look at it. */
function contextUntil(deadline: number, clock: Clock): InvocationContext & Readonly<Record<string, unknown>> {
  return {
    getRemainingTimeInMillis: () => Math.max(0, deadline - clock.now()),
    functionName: 'swept',
    functionVersion: '$LATEST',
    invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:swept',
    memoryLimitInMB: '256',
    awsRequestId: `request-${clock.elapsedMs()}`,
    logGroupName: '/aws/lambda/swept',
    logStreamName: 'swept',
    callbackWaitsForEmptyEventLoop: false,
  };
}
