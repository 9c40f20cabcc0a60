import type { Engine } from '../engine/engine.ts';
import type { ClaimEvent } from '../engine/events.ts';
import { settingsOf } from '../engine/options.ts';
import { nodeHost } from '../host.ts';
import { expect, expectWhole, longestTimeMs } from '../kernel/check.ts';
import { claimDefaults } from '../kernel/defaults.ts';
import { OptionError } from '../kernel/errors.ts';
import type { Host } from '../kernel/host.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import { expectOperation } from '../rules/identity.ts';
import type { ClaimStore } from '../rules/store.ts';
import { waitingOperation } from './execution-name.ts';
import { tooShort } from './start-execution.ts';
import { startMs, type WaitingRules } from './waiting.ts';
import { expectNamed, type NamedWorkflow } from './workflow.ts';

/**
 * What is done about the end of an execution: an option of `startOnce`, and part of the options of `executionEnded` and `waitingExecutions`.
 *
 * @example
 * const end: WaitForEnd = { afterFailed: 'start-again', endsWithinMs: 24 * 3_600_000, maxStarts: 3 };
 */
export interface WaitForEnd {
  /**
   * What becomes of an intent whose execution has failed, was stopped, or ran out of time. There is no default.
   *
   * - `'start-again'`: the next execution starts, with the same input, under the next name. Right when the execution may repeat its effects, or does not.
   * - `'park'`: the claim waits for an operator.
   */
  readonly afterFailed: 'start-again' | 'park';
  /** How long an execution may take, in milliseconds: 2 minutes to 366 days. After that it is looked at, and its claim parked if it still runs. */
  readonly endsWithinMs: number;
  /**
   * How many executions an intent may have in all, under `'start-again'`. When the last of them fails, the claim is parked.
   * @default 3
   */
  readonly maxStarts?: number;
}

/**
 * The options of what waits for executions to end. All but the store are those of `startOnce`, with the same values.
 *
 * @example
 * const options: WaitingOptions = {
 *   operation: 'settle',
 *   store,
 *   workflow,
 *   afterFailed: 'park',
 *   endsWithinMs: 24 * 3_600_000,
 * };
 */
export interface WaitingOptions extends WaitForEnd {
  /** The operation of `startOnce`. */
  readonly operation: string;
  /** The store of `startOnce`. */
  readonly store: ClaimStore;
  /** What `startOnce` starts. */
  readonly workflow: NamedWorkflow;
  /**
   * How long the outcome is remembered, in seconds. Set what `startOnce` sets.
   * @default 30 days longer than the target remembers a name
   */
  readonly retentionSeconds?: number | 'forever';
  /**
   * Hears of everything that happens to a claim. What it throws is ignored.
   * @default whatever is out of the ordinary goes to `console.warn`, as one line of JSON
   */
  readonly onEvent?: (event: ClaimEvent) => void;
  /**
   * Time, chance and identity. Only tests and simulations set it.
   * @default those of Node
   */
  readonly host?: Host;
}

export const waitForEndNames = {
  afterFailed: true,
  endsWithinMs: true,
  maxStarts: true,
} as const satisfies NamesOf<WaitForEnd>;
export const waitingOptionNames = {
  ...waitForEndNames,
  operation: true,
  store: true,
  workflow: true,
  retentionSeconds: true,
  onEvent: true,
  host: true,
} as const satisfies NamesOf<WaitingOptions>;

/** The claims that wait for the ends of the executions of one operation. */
export interface WaitingClaims {
  readonly engine: Engine<unknown>;
  readonly rules: WaitingRules;
  readonly workflow: NamedWorkflow;
  /** The operation of `startOnce`, which is in the names. */
  readonly operation: string;
}

const forAll = Number.MAX_SAFE_INTEGER;

/** How long the claim of an execution is kept: longer than its name is remembered. @throws OptionError */
export function retentionFor(
  workflow: NamedWorkflow,
  retentionSeconds: number | 'forever' | undefined,
): number | 'forever' {
  const { remembersSeconds } = workflow;
  const kept = retentionSeconds ?? remembersSeconds + claimDefaults.retentionSeconds;
  const wrong = kept === 'forever' ? undefined : tooShort(kept, remembersSeconds);
  if (wrong !== undefined) throw new OptionError(wrong, 'wrong-time');
  return kept;
}

/** @throws OptionError when an option is missing or out of range */
export function waitingClaims(options: WaitingOptions): WaitingClaims {
  const { operation, store, workflow, afterFailed, endsWithinMs, maxStarts = 3, onEvent, host = nodeHost } = options;
  expectNamed(workflow);
  expect(
    afterFailed === 'start-again' || afterFailed === 'park',
    'afterFailed',
    "'start-again' or 'park'",
    afterFailed,
  );
  expectWhole('endsWithinMs', endsWithinMs);
  const isTime = endsWithinMs >= 2 * startMs && endsWithinMs <= longestTimeMs;
  expect(isTime, 'endsWithinMs', `${2 * startMs} to ${longestTimeMs}, in milliseconds`, endsWithinMs);
  expect(Number.isSafeInteger(maxStarts) && maxStarts >= 1, 'maxStarts', 'a whole number, 1 or more', maxStarts);
  const settings = settingsOf<unknown>({
    operation,
    store,
    // The target recognises the name of a start that is repeated.
    onAbandoned: 'retry',
    retentionSeconds: retentionFor(workflow, options.retentionSeconds),
    maxAttempts: forAll,
    maxAbandoned: forAll,
    retryWindowSeconds: forAll,
    // No message brings it back.
    watched: true,
    ...(onEvent && { onEvent }),
    host,
  });
  const own = waitingOperation(operation);
  expectOperation(own);
  const { remembersSeconds } = workflow;
  const engine = { settings: { ...settings, operation: own } };
  return {
    engine,
    rules: { ...settings, afterFailed, endsWithinMs, maxStarts, remembersSeconds },
    workflow,
    operation,
  };
}
