/** What is deployed, as the AWS APIs return it. What could not be read is `undefined`, and the report calls it unknown. */

import type { AccessDecision } from '../policy.ts';
import type { ScheduledTask } from '../scheduled-task.ts';
import type { EndsWiring } from '../wiring-ends.ts';
import type { OutboxWiring } from '../wiring-outbox.ts';
import type { ProvisionedPollers } from '../wiring-polling.ts';
import type { ScheduleRule, WatchingAlarm } from '../wiring-schedules.ts';
import type { OpenIndex, RestoreMark, TableWiring } from '../wiring-table.ts';

/** One function that is fed by one queue. */
export interface ConsumerFacts {
  readonly functionName: string;
  readonly timeoutSeconds: number;
  /** `undefined` for a container image. */
  readonly runtime: string | undefined;
  /** Whether it has a capacity provider. */
  readonly managedInstances: boolean;
  /** What is reserved for the function; `undefined` when it could not be read. */
  readonly reservedConcurrency: number | 'none' | undefined;
  readonly source: EventSourceFacts;
  /** The event sources of this queue to the function and its aliases. */
  readonly sources: readonly string[];
  /** The other functions that the queue feeds. */
  readonly otherFunctions: readonly string[];
  /** How many batches all event sources of the function together run at once; `undefined` when one of them has no limit. */
  readonly maxConcurrencyOfAll: number | undefined;
  readonly queue: QueueFacts | undefined;
  /** The dead-letter queue of the queue's redrive policy. */
  readonly deadLetterQueue: QueueFacts | undefined;
  /** The ARN of the queue in the function's `DEAD_LETTER_QUEUE_URL`. */
  readonly namedDeadLetterQueue: string | undefined;
  readonly table: TableFacts | undefined;
  /** What the function's role may do; `undefined` when IAM could not be asked. */
  readonly permissions: readonly Permission[] | undefined;
}

/** One function that a schedule starts: it settles claims in doubt, or compares claims with a provider's statement. */
export interface ScheduledFacts {
  readonly functionName: string;
  /** What it is started for, as its construct has written it down; undefined when that is not understood. */
  readonly tasks: readonly ScheduledTask[] | undefined;
  readonly rules: readonly ScheduleRule[] | undefined;
  /** All alarms of the region. */
  readonly alarms: readonly WatchingAlarm[] | undefined;
  /** The most claims that a run of the last day has left because it has nothing for their operation. */
  readonly leftNotRegistered: number | 'no metrics' | undefined;
  readonly table: TableFacts | undefined;
  readonly permissions: readonly Permission[] | undefined;
}

/** A function with a workflow, its variable `WORKFLOW_ARN`, that neither a queue nor a schedule calls. */
export interface EndsFacts extends Omit<EndsWiring, 'rules'> {
  readonly rules: EndsWiring['rules'] | undefined;
  readonly permissions: readonly Permission[] | undefined;
}

/** The outbox of one function: its variable `OUTBOX_TABLE`. */
export interface OutboxFacts {
  readonly functionName: string;
  readonly tableName: string;
  readonly table: OutboxWiring | undefined;
  readonly permissions: readonly Permission[] | undefined;
}

export interface EventSourceFacts {
  readonly enabled: boolean;
  readonly batchSize: number;
  readonly maxBatchingWindowSeconds: number;
  readonly reportsBatchItemFailures: boolean;
  readonly filters: number;
  readonly maxConcurrency: number | undefined;
  readonly provisionedPollers: ProvisionedPollers | undefined;
}

export interface QueueFacts {
  readonly name: string;
  readonly arn: string;
  readonly fifo: boolean;
  readonly visibilityTimeoutSeconds: number;
  readonly retentionSeconds: number;
  /** `'none'` when there is no redrive policy. */
  readonly maxReceiveCount: number | 'none';
  /** Where the redrive policy leads. */
  readonly redriveArn: string | undefined;
  /** The queues that may use it as their dead-letter queue; `undefined` for all of its account. */
  readonly redriveAllowedFor: readonly string[] | undefined;
}

export interface TableFacts extends TableWiring {
  readonly arn: string;
  readonly openIndex: OpenIndex;
  /** `undefined` when it could not be read. */
  readonly mark: RestoreMark | undefined;
}

export interface Permission {
  readonly action: string;
  /** The resource that it is needed on, as the report calls it. */
  readonly on: string;
  readonly decision: AccessDecision;
}
