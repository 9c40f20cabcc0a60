/**
 * The numbers of a consumer that must agree with each other. Plain numbers and no CDK in here, so that the same checks can
 * be made of a deployed stack.
 */
export interface Wiring {
  readonly timeoutSeconds: number;
  readonly visibilityTimeoutSeconds: number;
  readonly maxBatchingWindowSeconds: number;
  readonly batchSize: number;
  readonly fifo: boolean;
}

/** The largest batch of a FIFO queue, and of a standard one without a batching window. */
const SMALL_BATCH = 10;

/** A consumer whose settings contradict each other. Change what its message names. */
export class WiringError extends Error {
  override readonly name = 'WiringError';
  /** The path of the construct. */
  readonly path: string;
  /** One sentence per contradiction: the numbers, and the fix. */
  readonly problems: readonly string[];

  constructor(path: string, problems: readonly string[]) {
    super(`${path} is wired wrongly:\n${problems.map((problem) => `- ${problem}`).join('\n')}`);
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

/** Says what contradicts what, one sentence each with the numbers and the fix; empty when all is well. */
export function wiringProblems(wiring: Wiring): string[] {
  return [...visibilityProblems(wiring), ...batchProblems(wiring)];
}

function visibilityProblems(wiring: Wiring): string[] {
  const { timeoutSeconds, visibilityTimeoutSeconds, maxBatchingWindowSeconds } = wiring;
  const least = leastVisibilitySeconds(timeoutSeconds, maxBatchingWindowSeconds);
  if (visibilityTimeoutSeconds >= least) return [];
  const longestTimeout = Math.floor((visibilityTimeoutSeconds - maxBatchingWindowSeconds) / 6);
  const other = longestTimeout >= 1 ? `, or set timeout to ${longestTimeout} s at most` : '';
  return [
    `visibilityTimeout is ${visibilityTimeoutSeconds} s, shorter than 6 × timeout + maxBatchingWindow = ` +
      `6 × ${timeoutSeconds} s + ${maxBatchingWindowSeconds} s = ${least} s: messages would return to the queue while they ` +
      `are still being worked on. Leave visibilityTimeout out, set it to ${least} s or more${other}.`,
  ];
}

function batchProblems({ batchSize, fifo, maxBatchingWindowSeconds }: Wiring): string[] {
  const problems: string[] = [];
  if (fifo && batchSize > SMALL_BATCH) {
    problems.push(`batchSize is ${batchSize}, and a FIFO queue delivers ${SMALL_BATCH} at most. Lower it.`);
  }
  if (fifo && maxBatchingWindowSeconds > 0) {
    problems.push(
      `maxBatchingWindow is ${maxBatchingWindowSeconds} s, and Lambda accepts none for a FIFO queue. Leave it out.`,
    );
  }
  if (!fifo && batchSize > SMALL_BATCH && maxBatchingWindowSeconds === 0) {
    problems.push(
      `batchSize is ${batchSize} with no maxBatchingWindow, and Lambda accepts more than ${SMALL_BATCH} only with a window. ` +
        `Set maxBatchingWindow to 1 s or more, or batchSize to ${SMALL_BATCH} at most.`,
    );
  }
  return problems;
}
