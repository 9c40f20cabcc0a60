import { type Problem, refusal, warned } from './wiring-problem.ts';

/** How Lambda polls the queue, and how the function may run. */
export interface Polling {
  readonly reportsBatchItemFailures?: boolean | undefined;
  readonly enabled?: boolean | undefined;
  readonly filters?: number | undefined;
  /** Of this event source; undefined when it has none. */
  readonly maxConcurrency?: number | undefined;
  /** How many batches all event sources of the function together run at once; undefined when one of them has no limit. See `mostBatchesOfAll`. */
  readonly maxConcurrencyOfAll?: number | undefined;
  /** Undefined when Lambda chooses how many pollers there are. */
  readonly provisionedPollers?: ProvisionedPollers | undefined;
  /** The event sources from the queue to the function and its aliases, each as it is called. */
  readonly sources?: readonly string[] | undefined;
  /** The other functions that the queue feeds. */
  readonly otherFunctions?: readonly string[] | undefined;
  /** As in `nodejs24.x`; undefined for a container image. */
  readonly runtime?: string | undefined;
  /** What is kept for the function alone; undefined when nothing is. */
  readonly reservedConcurrency?: number | undefined;
}

/** How many pollers Lambda keeps for an event source; undefined where that is not known before deployment. */
export interface ProvisionedPollers {
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
}

type Facts = Polling & {
  readonly batchSize: number;
  readonly maxBatchingWindowSeconds: number;
  readonly fifo: boolean;
};

/** What Lambda takes, from least to most. */
const ranges = {
  batchSize: [1, 10_000],
  maxBatchingWindow: [0, 300],
  maxConcurrency: [2, 1000],
  minimumPollers: [2, 200],
  maximumPollers: [2, 10_000],
} as const;
/** What Lambda provisions where the event source does not say. */
export const defaultPollers = { minimum: 2, maximum: 200 } as const;
/** How many batches one provisioned poller runs at once. */
const batchesPerPoller = 10;
/** The largest batch of a FIFO queue, and of a standard one without a batching window. */
const smallBatch = 10;
/** How many batches Lambda polls at once from the start, when nothing limits it. */
const firstPollers = 5;
/** What the package needs. */
const oldestNode = 22;

export function pollingProblems(facts: Facts): readonly Problem[] {
  return [
    ...responseProblems(facts),
    ...batchProblems(facts),
    ...sourceProblems(facts),
    ...runtimeProblems(facts),
    ...concurrencyProblems(facts),
    ...lossWarnings(facts),
  ];
}

/** How many batches an event source runs at once; undefined when nothing limits it. */
function mostBatches({
  maxConcurrency,
  provisionedPollers,
}: Pick<Polling, 'maxConcurrency' | 'provisionedPollers'>): number | undefined {
  if (maxConcurrency !== undefined || provisionedPollers?.maximum === undefined) return maxConcurrency;
  return batchesPerPoller * provisionedPollers.maximum;
}

/** How many batches the event sources of a function run at once, all together; undefined when one of them has no limit, and when there is none. */
export function mostBatchesOfAll(
  sources: readonly Pick<Polling, 'enabled' | 'maxConcurrency' | 'provisionedPollers'>[],
): number | undefined {
  // A disabled event source polls nothing, and counts only where all are disabled: it may be enabled one day.
  const enabled = sources.filter((source) => source.enabled !== false);
  const each = (enabled.length > 0 ? enabled : sources).map(mostBatches);
  if (each.length === 0) return undefined;
  return each.reduce((sum, one) => (sum === undefined || one === undefined ? undefined : sum + one));
}

function rangeProblem(
  rule: 'batch' | 'provisionedPollers',
  name: keyof typeof ranges,
  value: number | undefined,
): readonly Problem[] {
  const [least, most] = ranges[name];
  if (value === undefined || (value >= least && value <= most)) return [];
  return [refusal(rule, `${name} is ${value}, and Lambda accepts ${least} to ${most}. Change it.`)];
}

function responseProblems({ reportsBatchItemFailures }: Facts): readonly Problem[] {
  if (reportsBatchItemFailures !== false) return [];
  return [
    refusal(
      'partialResponses',
      'The event source does not take partial responses: Lambda would delete failed and waiting messages together with ' +
        'the rest. Set reportBatchItemFailures: true on the SqsEventSource (FunctionResponseTypes: ' +
        'ReportBatchItemFailures).',
    ),
  ];
}

function batchProblems({ batchSize, fifo, maxBatchingWindowSeconds, maxConcurrency }: Facts): readonly Problem[] {
  const problems: Problem[] = [
    ...rangeProblem('batch', 'batchSize', batchSize),
    ...rangeProblem('batch', 'maxBatchingWindow', maxBatchingWindowSeconds),
    ...rangeProblem('batch', 'maxConcurrency', maxConcurrency),
  ];
  if (fifo && batchSize > smallBatch) {
    problems.push(
      refusal('batch', `batchSize is ${batchSize}, and a FIFO queue delivers ${smallBatch} at most. Lower it.`),
    );
  }
  if (fifo && maxBatchingWindowSeconds > 0) {
    problems.push(
      refusal(
        'batch',
        `maxBatchingWindow is ${maxBatchingWindowSeconds} s, and Lambda accepts none for a FIFO queue. Leave it out.`,
      ),
    );
  }
  if (!fifo && batchSize > smallBatch && maxBatchingWindowSeconds === 0) {
    problems.push(
      refusal(
        'batch',
        `batchSize is ${batchSize} with no maxBatchingWindow, and Lambda accepts more than ${smallBatch} only with a window. ` +
          `Set maxBatchingWindow to 1 s or more, or batchSize to ${smallBatch} at most.`,
      ),
    );
  }
  return problems;
}

function sourceProblems(facts: Facts): readonly Problem[] {
  const { sources = [], otherFunctions = [], provisionedPollers, maxConcurrency } = facts;
  const problems: Problem[] = [];
  if (sources.length > 1) {
    problems.push(
      refusal(
        'oneEventSource',
        `The queue feeds the function through ${sources.length} event sources, and Lambda accepts one: ` +
          `${sources.join(', ')}. Create your event source before the Consumer, which then uses it and creates none.`,
      ),
    );
  }
  if (otherFunctions.length > 0) {
    problems.push(
      refusal(
        'oneConsumer',
        `The queue feeds ${otherFunctions.join(', ')} as well: each message goes to one of the functions by chance, and a message that ` +
          'one of them defers may go to the other. Give each function a queue of its own, and send to both, for instance through a topic.',
      ),
    );
  }
  return [...problems, ...pollerProblems(provisionedPollers, maxConcurrency)];
}

function pollerProblems(
  pollers: ProvisionedPollers | undefined,
  maxConcurrency: number | undefined,
): readonly Problem[] {
  if (pollers === undefined) return [];
  const { minimum, maximum } = pollers;
  const problems: Problem[] = [
    ...rangeProblem('provisionedPollers', 'minimumPollers', minimum),
    ...rangeProblem('provisionedPollers', 'maximumPollers', maximum),
  ];
  if (maxConcurrency !== undefined) {
    problems.push(
      refusal(
        'provisionedPollers',
        `The event source has provisioned pollers and maxConcurrency ${maxConcurrency}, and Lambda accepts only one of the two. Leave out ` +
          `maxConcurrency, and set maximumPollers: each poller runs up to ${batchesPerPoller} batches at once.`,
      ),
    );
  }
  if (minimum !== undefined && maximum !== undefined && minimum > maximum) {
    problems.push(
      refusal(
        'provisionedPollers',
        `minimumPollers is ${minimum}, and maximumPollers ${maximum}: Lambda refuses more pollers at least than at most. Lower minimumPollers.`,
      ),
    );
  }
  return problems;
}

function runtimeProblems({ runtime }: Facts): readonly Problem[] {
  if (runtime === undefined || runtime.startsWith('provided') || runtime.includes('{')) return [];
  const version = /^nodejs(\d+)\./.exec(runtime)?.[1];
  if (Number(version) >= oldestNode) return [];
  return [
    refusal(
      'runtime',
      `The function's runtime is ${runtime}, and pawl needs nodejs${oldestNode}.x or later: the first batch would throw. Set runtime to ` +
        "nodejs24.x: Runtime.NODEJS_24_X, which CDK has since 2.226, or new Runtime('nodejs24.x', RuntimeFamily.NODEJS).",
    ),
  ];
}

function concurrencyProblems({ reservedConcurrency, maxConcurrencyOfAll }: Facts): readonly Problem[] {
  if (reservedConcurrency === undefined) return [];
  const polled = maxConcurrencyOfAll ?? firstPollers;
  if (reservedConcurrency < polled) {
    const what =
      maxConcurrencyOfAll === undefined
        ? `Lambda polls ${firstPollers} batches at once from the start`
        : `the event sources of the function run up to ${polled} batches at once, by maxConcurrency or 10 for each provisioned poller`;
    return [
      refusal(
        'reservedConcurrency',
        `reservedConcurrentExecutions is ${reservedConcurrency}, and ${what}: throttled batches use up receives, and SQS dead-letters ` +
          `healthy messages that never ran. Set reservedConcurrentExecutions to ${polled} or more, or leave it out and lower maxConcurrency or maximumPollers.`,
      ),
    ];
  }
  if (maxConcurrencyOfAll !== undefined) return [];
  return [
    warned(
      'unboundedPolling',
      `reservedConcurrentExecutions is ${reservedConcurrency}, and an event source of the function has no maxConcurrency and no provisioned pollers: with a backlog, ` +
        `Lambda polls more batches than the function may run, and throttling uses up receives. Set maxConcurrency to ${reservedConcurrency} at most.`,
    ),
  ];
}

function lossWarnings({ enabled, filters = 0 }: Facts): readonly Problem[] {
  const problems: Problem[] = [];
  if (enabled === false) {
    problems.push(
      warned(
        'disabled',
        'The event source is disabled: messages wait until SQS deletes them at the end of their retention. Enable it.',
      ),
    );
  }
  if (filters > 0) {
    problems.push(
      warned(
        'eventFilters',
        `The event source has ${filters === 1 ? 'a filter' : `${filters} filters`}, and Lambda deletes the messages that do not match. These ` +
          'have no effect, and leave no trace. Remove the filters and let the handler acknowledge messages that it does not need, or ' +
          'make sure that every message with an effect matches.',
      ),
    );
  }
  return problems;
}
