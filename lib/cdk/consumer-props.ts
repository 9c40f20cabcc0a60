import type { Duration } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { ClaimRights, NamesOf } from 'pawl/deployment';
import { type ConsumerEventSourceProps, eventSourcePropNames } from './event-source-props.ts';
import { type ConsumerFunctionProps, functionPropNames } from './function-props.ts';
import { type ConsumerHandlerProps, handlerPropNames } from './handler-props.ts';
import { type ConsumerQueueProps, queuePropNames } from './queue-props.ts';

/**
 * The options of a `Consumer`.
 *
 * A function, a queue, a dead-letter queue and an event source that exist are taken as they are. Options that decide how
 * they are made are refused beside them. What can be seen of them is checked at synth time.
 *
 * @example
 * import { Duration } from 'aws-cdk-lib';
 *
 * const props: ConsumerProps = {
 *   entry: 'lambda/send-email.ts',
 *   claimsTable: claims.table,
 *   operation: 'send-email',
 *   timeout: Duration.seconds(30),
 *   batchSize: 10,
 *   maxConcurrency: 5,
 * };
 */
export interface ConsumerProps
  extends ConsumerHandlerProps,
    ConsumerFunctionProps,
    ConsumerQueueProps,
    ConsumerEventSourceProps {
  /**
   * A function that exists, instead of one that is made from `entry`. It is given its permissions and, where its environment
   * can be changed, `CLAIMS_TABLE` and `DEAD_LETTER_QUEUE_URL`. Several queues may feed one function, each with a `Consumer`.
   *
   * @default - a function is made from `entry`
   */
  readonly function?: IFunction;

  /**
   * A queue that exists, instead of one that is made.
   *
   * @default - a queue is made
   */
  readonly queue?: IQueue;

  /**
   * A dead-letter queue that exists. Beside an imported `queue` it is required: what it redrives to cannot be seen.
   *
   * @default - that of `queue`; without `queue`, one is made
   */
  readonly deadLetterQueue?: IQueue;

  /**
   * Whether an event source is made. `false` where it exists and this app cannot see it, because `function` is imported.
   *
   * @default - made, unless the app has one of this queue and function already
   */
  readonly createEventSource?: boolean;

  /**
   * Whether the function's role is given its permissions elsewhere. Then nothing is granted, and no missing permission is
   * refused: neither one that is given where it cannot be seen, nor PartiQL for a handler with `individualDynamoStore`.
   *
   * @default false
   */
  readonly externalPermissions?: boolean;

  /**
   * Limits what the function's role may do in the claims table to the claims of these operations, for a table that several teams share. See
   * `ClaimsTable.grantClaims`. Without `operation`, the permissions are checked for all of `operations`.
   *
   * @default - every claim of the table
   */
  readonly claimRights?: ClaimRights;

  /**
   * The table of claims, usually `claimsTable.table` of a `ClaimsTable`. It must be in the function's region and account, and must not be
   * replicated to another region.
   */
  readonly claimsTable: ITable;

  /**
   * How old the oldest message may get before the alarm goes off.
   *
   * @default - `maxReceiveCount`, or `maxAttempts` if that is less, times the visibility timeout or 15 minutes, whichever is longer: no
   * message that is merely retried gets older. Half the queue's retention at most.
   */
  readonly maxMessageAge?: Duration;

  /**
   * How many take-overs within 15 minutes set off the alarm. Each is a worker that died, or timed out, in mid-effect.
   *
   * @default 10
   */
  readonly takenOverThreshold?: number;
}

export const consumerPropNames = {
  ...handlerPropNames,
  ...functionPropNames,
  ...queuePropNames,
  ...eventSourcePropNames,
  function: true,
  queue: true,
  deadLetterQueue: true,
  createEventSource: true,
  externalPermissions: true,
  claimRights: true,
  claimsTable: true,
  maxMessageAge: true,
  takenOverThreshold: true,
} as const satisfies NamesOf<ConsumerProps>;
