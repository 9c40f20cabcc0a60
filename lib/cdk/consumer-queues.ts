import { type IQueue, Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { refusal } from 'pawl/deployment';
import { deadLetterRetention, defaults, refuse, type Times } from './consumer-checks.ts';
import type { ConsumerProps } from './consumer-props.ts';

export interface Queues {
  readonly queue: IQueue;
  readonly deadLetterQueue: IQueue;
}

/** A queue that accepts TLS only and is encrypted, and a dead-letter queue likewise, unless that exists. */
export function createQueues(scope: Construct, props: ConsumerProps, times: Times): Queues {
  const { fifo = false, encryptionKey, retentionPeriod } = props;
  const common: QueueProps = {
    enforceSSL: true,
    fifo,
    ...(encryptionKey === undefined
      ? { encryption: QueueEncryption.SQS_MANAGED }
      : { encryption: QueueEncryption.KMS, encryptionMasterKey: encryptionKey }),
  };
  const deadLetterQueue =
    props.deadLetterQueue ?? new Queue(scope, 'DeadLetterQueue', { ...common, retentionPeriod: deadLetterRetention });
  const queue = new Queue(scope, 'Queue', {
    ...common,
    visibilityTimeout: times.visibilityTimeout,
    retentionPeriod: retentionPeriod ?? defaults.retentionPeriod,
    deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount: times.maxReceiveCount },
  });
  return { queue, deadLetterQueue };
}

/** The queue that was given, and where it dead-letters. */
export function existingQueues(path: string, props: ConsumerProps, times: Times): Queues {
  const queue = props.queue as Queue;
  const deadLetterQueue = props.deadLetterQueue ?? queue.deadLetterQueue?.queue;
  if (deadLetterQueue !== undefined) return { queue, deadLetterQueue };
  return refuse(path, [
    refusal(
      'deadLetterQueue',
      `The dead-letter queue of ${queue.node.path} is not known: it has none, or it was imported. Give the queue one: ` +
        `deadLetterQueue: { queue, maxReceiveCount: ${times.maxReceiveCount} }. For an imported queue, name it to the construct as deadLetterQueue. ` +
        'Without it, SQS deletes a message that keeps failing at the end of its retention, and no operator sees it.',
    ),
  ]);
}
