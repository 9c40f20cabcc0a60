import { remainingTime } from '../kernel/check.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import { expectOptions } from '../kernel/take-options.ts';
import { propertyOf } from '../kernel/unknown.ts';
import type { After } from './waiting.ts';
import { startReleased, type ToldEnd, tellEnd } from './waiting-claims.ts';
import { type WaitingOptions, waitingClaims, waitingOptionNames } from './waiting-options.ts';
import { statusOf } from './workflow.ts';

/**
 * What Lambda gives a function besides its event.
 *
 * @example
 * const context: EndContext = { getRemainingTimeInMillis: () => 30_000 };
 */
export interface EndContext {
  /** Milliseconds until Lambda stops the function. */
  getRemainingTimeInMillis(): number;
}

/**
 * What has become of the claim of an execution. `nothing`: the event is of no execution of the operation, or was told before, or the execution goes on.
 * `started-again`: the next one is started.
 */
export interface EndTold {
  readonly outcome: 'completed' | 'parked' | 'started-again' | 'nothing';
}

/** A Lambda handler for events of EventBridge. */
export type EndHandler = (event: unknown, context?: EndContext) => Promise<EndTold>;

const docs = 'docs/guides/workflows.md';
const marginMs = 1000;

/**
 * A Lambda handler that tells a waiting claim that its execution has ended. EventBridge calls it with `Step Functions Execution Status Change` of `aws.states`,
 * or with `Durable Execution Status Change` of `aws.lambda`.
 *
 * An end may be told any number of times, in any order, also before the start has its answer. EventBridge tells it as well as it can: an end that it does
 * not tell is found by `waitingExecutions`.
 *
 * It rejects when the store, or the start of the next execution, has failed: then Lambda tells the end again.
 *
 * @throws OptionError at once when an option is missing or out of range
 * @example
 * export const handler = executionEnded({
 *   operation: 'settle',
 *   store,
 *   workflow,
 *   afterFailed: 'start-again',
 *   endsWithinMs: 24 * 3_600_000,
 * });
 */
export function executionEnded(options: WaitingOptions): EndHandler {
  expectOptions(options, { door: 'executionEnded', known: waitingOptionNames, docs });
  const waiting = waitingClaims(options);
  const { host } = waiting.engine.settings;
  return async function endOnEvent(event, context) {
    const told = endIn(event, waiting.workflow.target);
    if (told === undefined) return { outcome: 'nothing' };
    const remainingMs = context?.getRemainingTimeInMillis() ?? Infinity;
    const until =
      context === undefined
        ? host.now() + untimedMs
        : host.now() + remainingTime('getRemainingTimeInMillis()', remainingMs) - marginMs;
    return { outcome: outcomes[await tellEnd(waiting, told, until)] };
  };
}

/**
 * Starts the next execution of a claim that an operator has released, with the input of the last one. For a script: nothing else starts a claim again whose
 * execution has failed under `'park'`.
 *
 * @returns a function of the id of the claim, as `pawl claims` shows it
 * @throws OptionError at once when an option is missing or out of range
 * @example
 * const again = startAgain({ operation: 'settle', store, workflow, afterFailed: 'park', endsWithinMs: 24 * 3_600_000 });
 * const id = 'execution:settle#1eec4827e95faa1fa72e40265085b363a4330e4007aba060';
 * await operate.resolve({ id }, 'not-applied', { by: 'maria', note: 'it failed at its first state' });
 * await again(id);
 */
export function startAgain(options: WaitingOptions): (id: string) => Promise<EndTold> {
  expectOptions(options, { door: 'startAgain', known: waitingOptionNames, docs });
  const waiting = waitingClaims(options);
  const { host } = waiting.engine.settings;
  return async (id) => ({ outcome: outcomes[await startReleased(waiting, id, host.now() + untimedMs)] });
}

/** How long a call may take that nothing stops, in milliseconds. */
const untimedMs = 60_000;

const outcomes = {
  completed: 'completed',
  parked: 'parked',
  'start-again': 'started-again',
  'may-not-be-started': 'started-again',
  'goes-on': 'nothing',
  'not-shown': 'nothing',
  nothing: 'nothing',
} as const satisfies Record<After['kind'], EndTold['outcome']>;

/** The end that an event tells of. @param target what the execution is one of */
function endIn(event: unknown, target: string): ToldEnd | undefined {
  const detail = propertyOf(event, 'detail');
  if (!mayBeOf(target, propertyOf(detail, 'stateMachineArn') ?? propertyOf(detail, 'functionArn'))) return undefined;
  const name = propertyOf(detail, 'name') ?? propertyOf(detail, 'durableExecutionName');
  const said = propertyOf(detail, 'status');
  if (typeof name !== 'string' || typeof said !== 'string') return undefined;
  const status = statusOf(said);
  if (status === 'running') return undefined;
  const [input, code, cause] = ['input', 'error', 'cause'].map((field): unknown => propertyOf(detail, field));
  const error = status === 'failed' ? recordedError({ name: code ?? said, message: cause ?? '' }) : undefined;
  return { name, status, error, input: typeof input === 'string' ? input : undefined };
}

/**
 * Whether an event tells of an execution of the target. A child execution often has the name of its parent, and it ends first: a rule that lets both pass would
 * end the claim too early, or start the parent a second time beside the first. An event that names no ARN, or a target that has none, tells nothing of that.
 */
function mayBeOf(target: string, arn: unknown): boolean {
  return typeof arn !== 'string' || !target.startsWith('arn:') || withoutVersion(arn) === withoutVersion(target);
}

function withoutVersion(arn: string): string {
  return arn.split(':').slice(0, 7).join(':');
}
