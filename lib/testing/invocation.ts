import type { InvocationContext } from 'pawl/internal';
import type { Clock } from './clock.ts';
import { returnFaults } from './faults.ts';
import type { Sandbox } from './sandbox.ts';
import type { InvocationResult } from './traffic.ts';

/**
 * A Lambda handler: `eachMessage`'s, Middy's, or any other; with `callers`, any async function. Its parameters are `never`, so that it may
 * ask for as much of an event and a context as it likes; it is given what Lambda gives.
 */
export type SweptHandler = (event: never, context: never) => unknown;

/** One invocation, from Lambda's side: with a time limit, in a sandbox that is frozen as soon as it has responded. */
export async function invoke(
  sandbox: Sandbox,
  handler: SweptHandler,
  event: unknown,
  { clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number },
): Promise<InvocationResult> {
  const died = Promise.withResolvers<InvocationResult>();
  sandbox.thaw(() => died.resolve({ kind: 'died' }));
  const deadline = clock.now() + timeoutMs;
  const cancelTimeout = clock.after(timeoutMs, () => sandbox.kill('is killed by its time-out'));
  const responded = (async () => {
    const result = await resultOf(() =>
      sandbox.inside(() => handler(event as never, contextUntil(deadline, clock) as never)),
    );
    await sandbox.io('return', () => undefined, { takesMs: 0, faults: returnFaults });
    return result;
  })();
  const result = await Promise.race([died.promise, responded]);
  cancelTimeout();
  sandbox.freeze();
  return result;
}

async function resultOf(call: () => unknown): Promise<InvocationResult> {
  try {
    return { kind: 'returned', value: await call() };
  } catch (error) {
    return { kind: 'threw', error };
  }
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
