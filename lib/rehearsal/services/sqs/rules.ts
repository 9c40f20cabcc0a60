import {
  all,
  fifo,
  listedIf,
  type PropertyRules,
  run,
  runs,
  type TypeRules,
  withoutEffect,
} from '../../engine/app/rule.ts';

const daySeconds = 86_400;

const queue = {
  ...all(run, 'QueueName', 'FifoQueue', 'ContentBasedDeduplication', 'DelaySeconds', 'MaximumMessageSize'),
  ...all(run, 'ReceiveMessageWaitTimeSeconds', 'VisibilityTimeout', 'RedrivePolicy', 'RedriveAllowPolicy'),
  ...all(withoutEffect, 'KmsMasterKeyId', 'KmsDataKeyReusePeriodSeconds', 'SqsManagedSseEnabled', 'Tags'),
  ...all(withoutEffect, 'FifoThroughputLimit'),
  MessageRetentionPeriod: listedIf(
    (value) => Number(value) < daySeconds,
    'No message expires. AWS deletes a message after this time.',
  ),
  DeduplicationScope: listedIf(
    (value) => value === 'messageGroup',
    'A deduplication id is unique in the whole queue, and not in its message group.',
  ),
} satisfies PropertyRules;

export const types: TypeRules = {
  'AWS::SQS::Queue': runs(queue, {
    property: 'QueueName',
    make: fifo,
    isUnique: true,
    names(name, { queueAt }) {
      const { url, arn } = queueAt(name);
      return { ref: url, name, attributes: { Arn: arn, QueueName: name, QueueUrl: url } };
    },
  }),
  'AWS::SQS::QueuePolicy': { kind: 'without-effect' },
};
