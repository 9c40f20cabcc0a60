import type { Duration } from 'aws-cdk-lib';
import type { NamesOf } from 'pawl/deployment';

/** How the event source is made: how Lambda polls the queue. Beside one that exists, these are refused. */
export interface ConsumerEventSourceProps {
  /**
   * The most messages that one invocation receives. More than 10 needs `maxBatchingWindow`, and is impossible with FIFO.
   *
   * @default 10
   */
  readonly batchSize?: number;

  /**
   * How long Lambda may wait to fill a batch. Not with FIFO.
   *
   * @default - no waiting
   */
  readonly maxBatchingWindow?: Duration;

  /**
   * The most invocations that this queue runs at the same time, from 2 to 1,000.
   *
   * @default - bounded by the account's concurrency only
   */
  readonly maxConcurrency?: number;

  /**
   * How many pollers Lambda keeps for the queue. Each runs up to 10 batches at once, so `maximumPollers` limits the function in place of
   * `maxConcurrency`; Lambda accepts one of the two. `minimumPollers` is 2 to 200, and 2 by default; `maximumPollers` is 2 to 10,000, and 200.
   *
   * @default - Lambda chooses the pollers
   */
  readonly provisionedPollerConfig?: { readonly minimumPollers?: number; readonly maximumPollers?: number };
}

export const eventSourcePropNames = {
  batchSize: true,
  maxBatchingWindow: true,
  maxConcurrency: true,
  provisionedPollerConfig: true,
} as const satisfies NamesOf<ConsumerEventSourceProps>;
