import type { Duration } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { NamesOf } from 'pawl/deployment';

/** How the queue and its dead-letter queue are made. Beside an existing `queue`, these are refused. */
export interface ConsumerQueueProps {
  /**
   * Whether the queue keeps the order of each message group. The dead-letter queue is then FIFO too, as SQS demands.
   *
   * @default false
   */
  readonly fifo?: boolean;

  /**
   * How long a received message stays hidden: at least 6 × `timeout` + `maxBatchingWindow`.
   *
   * @default - exactly that
   */
  readonly visibilityTimeout?: Duration;

  /**
   * How long the queue keeps a message that is not consumed. A standard dead-letter queue keeps a message for 14 days from its first send,
   * so the rest of those days is the time to react.
   *
   * @default Duration.days(4)
   */
  readonly retentionPeriod?: Duration;

  /**
   * How often a message is received before SQS moves it to the dead-letter queue, at most 1,000. Below 5, throttling alone can do that; a
   * FIFO queue, a slow handler and locks need more. Less than a healthy message may need is refused, with the numbers.
   *
   * @default - what a healthy message may need: 5, or 10 on a FIFO queue, and more for a slow handler or locks
   */
  readonly maxReceiveCount?: number;

  /**
   * The customer-managed key that encrypts the queue and the dead-letter queue.
   *
   * @default - encrypted with keys that SQS manages
   */
  readonly encryptionKey?: IKey;
}

export const queuePropNames = {
  fifo: true,
  visibilityTimeout: true,
  retentionPeriod: true,
  maxReceiveCount: true,
  encryptionKey: true,
} as const satisfies NamesOf<ConsumerQueueProps>;
