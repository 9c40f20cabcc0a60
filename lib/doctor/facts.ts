/** What is deployed, as the AWS APIs tell it. What could not be read is `undefined`, and is said to be unknown. */

/** One function that is fed by one queue. */
export interface ConsumerFacts {
  readonly functionName: string;
  readonly timeoutSeconds: number;
  readonly source: EventSourceFacts;
  readonly queue: QueueFacts | undefined;
  /** The dead-letter queue of the queue's redrive policy. */
  readonly deadLetterQueue: QueueFacts | undefined;
  /** The name of the queue in the function's `DEAD_LETTER_QUEUE_URL`. */
  readonly namedDeadLetterQueue: string | undefined;
  readonly table: TableFacts | undefined;
  /** What the function's role may do; `undefined` when IAM was not to be asked. */
  readonly permissions: readonly Permission[] | undefined;
}

export interface EventSourceFacts {
  readonly enabled: boolean;
  readonly batchSize: number;
  readonly maxBatchingWindowSeconds: number;
  readonly reportsBatchItemFailures: boolean;
  readonly filters: number;
}

export interface QueueFacts {
  readonly name: string;
  readonly arn: string;
  readonly fifo: boolean;
  readonly visibilityTimeoutSeconds: number;
  readonly retentionSeconds: number;
  /** `false` when there is no redrive policy. */
  readonly maxReceiveCount: number | false;
}

export interface TableFacts {
  readonly name: string;
  readonly arn: string;
  /** Its key, each attribute with its role and type, such as `id (HASH, S)`. */
  readonly key: readonly string[];
  /** The other regions that it is replicated to. */
  readonly replicas: readonly string[];
  /** The attribute by which DynamoDB deletes; `false` when it deletes nothing. */
  readonly ttlAttribute: string | false | undefined;
  readonly deletionProtection: boolean;
  readonly pointInTimeRecovery: boolean | undefined;
}

export interface Permission {
  readonly action: string;
  /** What it is needed on, for people. */
  readonly on: string;
  readonly allowed: boolean;
}
