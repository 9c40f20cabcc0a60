import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Destinations } from '../destinations.ts';
import type { FunctionReference } from '../provisioned.ts';
import type { RehearsedFunction } from './functions.ts';
import type { Outcome } from './sandbox.ts';

/*
 * Events that a function is given to handle by itself: from a topic, a bucket or a schedule. Lambda keeps such an event, tries it again
 * if it fails, and at last hands it to a destination for failures.
 */

export interface AsynchronousOptions {
  readonly functionFor: (fn: FunctionReference['function']) => Promise<RehearsedFunction>;
  readonly destinations: Destinations;
}

/** The wait before the first retry; the second waits twice as long. Lambda waits one minute, and two. */
const retryWaitMs = 250;

export interface Asynchronous {
  /** Takes an event. Resolves at once: what becomes of it goes on by itself. */
  invoke(target: FunctionReference, event: unknown): void;
  /** How many events are not done with. */
  readonly pending: number;
  stop(): Promise<void>;
}

interface AsynchronousState {
  readonly options: AsynchronousOptions;
  readonly running: Set<Promise<void>>;
  readonly stopping: AbortController;
}

export function createAsynchronous(options: AsynchronousOptions): Asynchronous {
  const state: AsynchronousState = { options, running: new Set(), stopping: new AbortController() };
  return {
    invoke(target, event) {
      const handled = handle(state, target, event)
        .catch((error: unknown) => {
          if (!state.stopping.signal.aborted)
            console.error(`An event for ${target.function.construct} was lost:`, error);
        })
        .finally(() => state.running.delete(handled));
      state.running.add(handled);
    },
    get pending() {
      return state.running.size;
    },
    async stop() {
      state.stopping.abort();
      await Promise.all(state.running);
    },
  };
}

async function handle(
  { options, stopping }: AsynchronousState,
  target: FunctionReference,
  event: unknown,
): Promise<void> {
  const { signal } = stopping;
  const { retries, maximumAgeMs } = target.function.asynchronous;
  const fn = await options.functionFor(target.function);
  const begun = Date.now();
  for (let attempt = 1; !signal.aborted; attempt += 1) {
    const outcome = await fn.invoke(event, target.qualifier);
    if (signal.aborted) return;
    if (outcome.kind === 'response') return succeed(options, target, event, { attempt, outcome });
    if (attempt > retries) return fail(options, target, event, { attempt, outcome, condition: 'RetriesExhausted' });
    await sleep(retryWaitMs * attempt, undefined, { signal }).catch(() => undefined);
    if (Date.now() - begun > maximumAgeMs) {
      return fail(options, target, event, { attempt, outcome, condition: 'EventAgeExceeded' });
    }
  }
}

interface Ending {
  readonly attempt: number;
  readonly outcome: Outcome;
  readonly condition?: string;
}

async function succeed(
  { destinations }: AsynchronousOptions,
  target: FunctionReference,
  event: unknown,
  ending: Ending,
) {
  const { onSuccess } = target.function.asynchronous;
  if (onSuccess !== undefined)
    await destinations.send(onSuccess, recordOf(target, event, { ...ending, condition: 'Success' }));
}

async function fail({ destinations }: AsynchronousOptions, target: FunctionReference, event: unknown, ending: Ending) {
  const { onFailure, deadLetterArn } = target.function.asynchronous;
  if (onFailure !== undefined) await destinations.send(onFailure, recordOf(target, event, ending));
  if (deadLetterArn === undefined) return;
  // The dead-letter queue of a function gets the event itself, and what is known of it as attributes.
  await destinations.send(deadLetterArn, event, {
    RequestID: randomUUID(),
    ErrorCode: '200',
    ErrorMessage: errorOf(ending.outcome).errorMessage,
  });
}

/** What a destination of Lambda gets. */
function recordOf(
  { function: fn, qualifier }: FunctionReference,
  event: unknown,
  { attempt, outcome, condition }: Ending,
) {
  const failed = outcome.kind !== 'response';
  return {
    version: '1.0',
    timestamp: new Date().toISOString(),
    requestContext: {
      requestId: randomUUID(),
      functionArn: `${fn.arn}:${qualifier ?? '$LATEST'}`,
      condition,
      approximateInvokeCount: attempt,
    },
    requestPayload: event,
    responseContext: {
      statusCode: 200,
      executedVersion: '$LATEST',
      ...(failed ? { functionError: 'Unhandled' } : {}),
    },
    responsePayload: failed ? errorOf(outcome) : outcome.value,
  };
}

function errorOf(outcome: Outcome): { readonly errorType: string; readonly errorMessage: string } {
  switch (outcome.kind) {
    case 'error':
      return { errorType: outcome.error.name, errorMessage: outcome.error.message };
    case 'timed-out':
      return { errorType: 'Sandbox.Timedout', errorMessage: 'The task timed out.' };
    default:
      return { errorType: 'Runtime.ExitError', errorMessage: 'The runtime exited.' };
  }
}
