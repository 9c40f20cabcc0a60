import { claimDefaults } from '../kernel/defaults.ts';
import { explained } from '../kernel/error-code.ts';
import { type Polling, pollingProblems } from './wiring-polling.ts';
import { type Problem, refusal, span } from './wiring-problem.ts';
import { type QueuePlace, queueProblems } from './wiring-queues.ts';
import { fewestReceives, handlerDefaults, type Receiving, receiveProblems } from './wiring-receives.ts';

/**
 * The facts of a consumer that must agree with each other. They are plain values, and this file imports no CDK, so that `pawl doctor` can check a
 * deployed stack by the same rules. A fact that is not known is `undefined`, and is not checked.
 */
export interface Wiring extends Receiving, QueuePlace, Polling {
  readonly visibilityTimeoutSeconds: number | undefined;
  readonly maxBatchingWindowSeconds: number;
  /** The longest lease that the handler takes, when that is not the invocation's remaining time. */
  readonly leaseSeconds?: number | undefined;
  /** Whether the function has a capacity provider: its invocations do not end its code. */
  readonly managedInstances?: boolean | undefined;
  /** How long a claim is remembered: `retentionSeconds` of the handler's options. */
  readonly claimRetentionSeconds?: number | undefined;
}

/**
 * A consumer whose settings contradict each other. Change what its message names.
 *
 * @example
 * try {
 *   new Consumer(stack, 'SendEmail', { claimsTable: claims.table, entry: 'lambda/send-email.ts', batchSize: 0 });
 * } catch (error) {
 *   if (error instanceof WiringError) for (const problem of error.problems) console.error(`${error.path}: ${problem}`);
 * }
 */
export class WiringError extends Error {
  override readonly name = 'WiringError';
  /** The path of the construct. */
  readonly path: string;
  /** One sentence per contradiction: the numbers, and the fix. */
  readonly problems: readonly string[];

  constructor(path: string, problems: readonly string[]) {
    super(
      explained(`${path} is wired wrongly:\n${problems.map((problem) => `- ${problem}`).join('\n')}`, 'wired-wrongly'),
    );
    this.path = path;
    this.problems = problems;
  }
}

/**
 * The shortest visibility timeout that lets Lambda retry a throttled invocation without the queue handing the same
 * messages to a second one: 6 times the function's timeout, plus the batching window.
 */
export function leastVisibilitySeconds(timeoutSeconds: number, maxBatchingWindowSeconds: number): number {
  return 6 * timeoutSeconds + maxBatchingWindowSeconds;
}

/** The contradictions, each with the numbers and the fix; empty when there are none. */
export function wiringProblems(wiring: Wiring): readonly Problem[] {
  return [
    ...visibilityProblems(wiring),
    ...managedInstancesProblems(wiring),
    ...leaseProblems(wiring),
    ...claimRetentionProblems(wiring),
    ...queueRetentionProblems(wiring),
    ...queueProblems(wiring),
    ...receiveProblems(wiring),
    ...pollingProblems(wiring),
  ];
}

function visibilityProblems(wiring: Wiring): readonly Problem[] {
  const { timeoutSeconds, visibilityTimeoutSeconds, maxBatchingWindowSeconds } = wiring;
  if (timeoutSeconds === undefined || visibilityTimeoutSeconds === undefined) return [];
  const least = leastVisibilitySeconds(timeoutSeconds, maxBatchingWindowSeconds);
  if (visibilityTimeoutSeconds >= least) return [];
  const longestTimeout = Math.floor((visibilityTimeoutSeconds - maxBatchingWindowSeconds) / 6);
  const other = longestTimeout >= 1 ? `, or set timeout to ${longestTimeout} s at most` : '';
  return [
    refusal(
      'visibility',
      `visibilityTimeout is ${visibilityTimeoutSeconds} s, shorter than 6 × timeout + maxBatchingWindow = ` +
        `6 × ${timeoutSeconds} s + ${maxBatchingWindowSeconds} s = ${least} s: messages would return to the queue while they ` +
        `are still being worked on. Set visibilityTimeout to ${least} s or more${other}.`,
    ),
  ];
}

/**
 * The shortest visibility timeout of a queue whose function runs on Managed Instances. A message is invisible while Lambda fills a batch with it. The claim of
 * a handler that runs on after its invocation is kept for a minute; a second is the allowance for clocks that differ.
 */
export function leastVisibilityOfInstancesSeconds(timeoutSeconds: number, maxBatchingWindowSeconds: number): number {
  return maxBatchingWindowSeconds + timeoutSeconds + handlerDefaults.graceSeconds + claimDefaults.skewMs / 1000;
}

function managedInstancesProblems(wiring: Wiring): readonly Problem[] {
  const { timeoutSeconds, visibilityTimeoutSeconds, maxBatchingWindowSeconds, managedInstances } = wiring;
  if (managedInstances !== true || timeoutSeconds === undefined || visibilityTimeoutSeconds === undefined) return [];
  const least = leastVisibilityOfInstancesSeconds(timeoutSeconds, maxBatchingWindowSeconds);
  if (visibilityTimeoutSeconds >= least) return [];
  return [
    refusal(
      'managedInstances',
      `visibilityTimeout is ${visibilityTimeoutSeconds} s, and the function runs on Managed Instances, where its code runs on after its timeout of ` +
        `${timeoutSeconds} s and keeps its claim for up to ${handlerDefaults.graceSeconds} s: its message would return before the claim is free, and use up ` +
        `receives. Set visibilityTimeout to ${least} s or more.`,
    ),
  ];
}

function leaseProblems({ leaseSeconds, visibilityTimeoutSeconds }: Wiring): readonly Problem[] {
  if (leaseSeconds === undefined || visibilityTimeoutSeconds === undefined) return [];
  if (leaseSeconds <= visibilityTimeoutSeconds) return [];
  return [
    refusal(
      'lease',
      `lease is ${leaseSeconds} s, longer than visibilityTimeout, which is ${visibilityTimeoutSeconds} s: if a worker dies, its ` +
        'message returns before its claim is free, and uses up receives while it waits. ' +
        `Set visibilityTimeout to ${leaseSeconds} s or more, or lease to ${visibilityTimeoutSeconds} s at most.`,
    ),
  ];
}

function claimRetentionProblems(wiring: Wiring): readonly Problem[] {
  const { retentionSeconds, deadLetterRetentionSeconds, claimRetentionSeconds } = wiring;
  if (retentionSeconds === undefined || deadLetterRetentionSeconds === undefined) return [];
  if (claimRetentionSeconds === undefined) return [];
  const least = retentionSeconds + deadLetterRetentionSeconds;
  if (claimRetentionSeconds >= least) return [];
  return [
    refusal(
      'claimRetention',
      `claimRetention is ${span(claimRetentionSeconds)}, shorter than the retention of the queue and of the dead-letter queue ` +
        `together = ${span(retentionSeconds)} + ${span(deadLetterRetentionSeconds)} = ${span(least)}: after a late redrive ` +
        "the claim would be gone, and the effect would happen again. Set claimRetention, and the handler's " +
        `retentionSeconds, to ${span(least)} or more, or keep messages for less time.`,
    ),
  ];
}

function queueRetentionProblems(wiring: Wiring): readonly Problem[] {
  const { retentionSeconds, visibilityTimeoutSeconds, maxReceiveCount } = wiring;
  if (retentionSeconds === undefined || visibilityTimeoutSeconds === undefined) return [];
  // SQS moves it after all of them, and each lasts until the visibility timeout is over.
  const receives = typeof maxReceiveCount === 'number' ? Math.max(fewestReceives, maxReceiveCount) : fewestReceives;
  const least = receives * visibilityTimeoutSeconds;
  if (retentionSeconds >= least) return [];
  return [
    refusal(
      'queueRetention',
      `The queue keeps messages for ${span(retentionSeconds)}, less than ${receives} receives × visibilityTimeout = ` +
        `${receives} × ${visibilityTimeoutSeconds} s = ${span(least)}: if workers keep dying, SQS would delete the message before ` +
        `it reaches the dead-letter queue. Set retentionPeriod to ${span(least)} or more, or lower maxReceiveCount, or visibilityTimeout and timeout.`,
    ),
  ];
}
