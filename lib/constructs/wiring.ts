/**
 * The numbers of a consumer that must agree with each other. Plain numbers and no CDK in here, so that the same checks can
 * be made of a deployed stack. What is not known is `undefined`, and is not checked.
 */
export interface Wiring {
  readonly timeoutSeconds: number | undefined;
  readonly visibilityTimeoutSeconds: number | undefined;
  readonly maxBatchingWindowSeconds: number;
  readonly batchSize: number;
  readonly fifo: boolean;
  /** The longest lease that the handler takes, when that is not the invocation's remaining time. */
  readonly leaseSeconds?: number | undefined;
  /** How long the queue keeps a message. */
  readonly retentionSeconds?: number | undefined;
  readonly deadLetterRetentionSeconds?: number | undefined;
  /** How long a claim is remembered: `retentionSeconds` of the handler's options. */
  readonly claimRetentionSeconds?: number | undefined;
  /** `false` when there is no redrive policy. */
  readonly maxReceiveCount?: number | false | undefined;
  readonly deadLetterQueueFifo?: boolean | undefined;
  /** Whether a duplicate in flight goes back to the queue; `false` when the handler discards it. */
  readonly defersInFlight?: boolean | undefined;
  readonly reportsBatchItemFailures?: boolean | undefined;
}

/** The largest batch of a FIFO queue, and of a standard one without a batching window. */
const SMALL_BATCH = 10;

/** SQS's and Lambda's advice for a queue that feeds a function, and room for a duplicate to be deferred. */
const LEAST_RECEIVES = 5;

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
  return [
    ...visibilityProblems(wiring),
    ...leaseProblems(wiring),
    ...retentionProblems(wiring),
    ...redriveProblems(wiring),
    ...responseProblems(wiring),
    ...batchProblems(wiring),
  ];
}

function visibilityProblems(wiring: Wiring): string[] {
  const { timeoutSeconds, visibilityTimeoutSeconds, maxBatchingWindowSeconds } = wiring;
  if (timeoutSeconds === undefined || visibilityTimeoutSeconds === undefined) return [];
  const least = leastVisibilitySeconds(timeoutSeconds, maxBatchingWindowSeconds);
  if (visibilityTimeoutSeconds >= least) return [];
  const longestTimeout = Math.floor((visibilityTimeoutSeconds - maxBatchingWindowSeconds) / 6);
  const other = longestTimeout >= 1 ? `, or set timeout to ${longestTimeout} s at most` : '';
  return [
    `visibilityTimeout is ${visibilityTimeoutSeconds} s, shorter than 6 × timeout + maxBatchingWindow = ` +
      `6 × ${timeoutSeconds} s + ${maxBatchingWindowSeconds} s = ${least} s: messages would return to the queue while they ` +
      `are still being worked on. Set visibilityTimeout to ${least} s or more${other}.`,
  ];
}

function leaseProblems({ leaseSeconds, visibilityTimeoutSeconds }: Wiring): string[] {
  if (leaseSeconds === undefined || visibilityTimeoutSeconds === undefined) return [];
  if (leaseSeconds <= visibilityTimeoutSeconds) return [];
  return [
    `lease is ${leaseSeconds} s, longer than visibilityTimeout, which is ${visibilityTimeoutSeconds} s: when a worker dies, its ` +
      'message returns before its claim is free, and spends its receives on waiting. ' +
      `Set visibilityTimeout to ${leaseSeconds} s or more, or the lease to ${visibilityTimeoutSeconds} s at most.`,
  ];
}

function retentionProblems(wiring: Wiring): string[] {
  const { retentionSeconds, deadLetterRetentionSeconds, claimRetentionSeconds } = wiring;
  if (retentionSeconds === undefined || deadLetterRetentionSeconds === undefined) return [];
  if (claimRetentionSeconds === undefined) return [];
  const least = retentionSeconds + deadLetterRetentionSeconds;
  if (claimRetentionSeconds >= least) return [];
  return [
    `claimRetention is ${span(claimRetentionSeconds)}, shorter than the retention of the queue and of the dead-letter queue ` +
      `together = ${span(retentionSeconds)} + ${span(deadLetterRetentionSeconds)} = ${span(least)}: a message that is redriven ` +
      "late would find its claim forgotten, and its effect would be repeated. Set claimRetention, and the handler's " +
      `retentionSeconds, to ${span(least)} or more, or keep messages for less time.`,
  ];
}

function redriveProblems({ maxReceiveCount, fifo, deadLetterQueueFifo, defersInFlight }: Wiring): string[] {
  const problems: string[] = [];
  if (maxReceiveCount === false) {
    problems.push(
      'The queue has no dead-letter queue: a message that keeps failing would be deleted unseen at the end of its ' +
        `retention. Give the queue a deadLetterQueue with a maxReceiveCount of ${LEAST_RECEIVES} or more.`,
    );
  }
  if (typeof maxReceiveCount === 'number' && maxReceiveCount < LEAST_RECEIVES && defersInFlight !== false) {
    problems.push(
      `maxReceiveCount is ${maxReceiveCount}, below ${LEAST_RECEIVES}: throttled invocations, and a duplicate that waits for a ` +
        `claim in flight, use up receives, and a healthy message would be dead-lettered. Set maxReceiveCount to ` +
        `${LEAST_RECEIVES} or more.`,
    );
  }
  if (deadLetterQueueFifo !== undefined && deadLetterQueueFifo !== fifo) {
    const kind = (isFifo: boolean) => (isFifo ? 'FIFO' : 'standard');
    problems.push(
      `The queue is ${kind(fifo)} and its dead-letter queue is ${kind(deadLetterQueueFifo)}, which SQS refuses. ` +
        `Make the dead-letter queue ${kind(fifo)} as well.`,
    );
  }
  return problems;
}

function responseProblems({ reportsBatchItemFailures }: Wiring): string[] {
  if (reportsBatchItemFailures !== false) return [];
  return [
    'The event source does not take partial responses: Lambda would ignore which messages failed or wait, and delete them ' +
      'with the rest. Set reportBatchItemFailures: true on the SqsEventSource (FunctionResponseTypes: ' +
      'ReportBatchItemFailures).',
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

/** Seconds as a person says them: whole days as days. */
function span(seconds: number): string {
  const days = seconds / 86_400;
  if (!Number.isInteger(days)) return `${seconds} s`;
  return days === 1 ? '1 day' : `${days} days`;
}
