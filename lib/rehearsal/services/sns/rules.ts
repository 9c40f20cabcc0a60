import { arnOf } from '../../engine/app/names.ts';
import {
  all,
  fifo,
  listed,
  type PropertyRules,
  run,
  runs,
  type TypeRules,
  withoutEffect,
} from '../../engine/app/rule.ts';

const topic = {
  ...all(run, 'TopicName', 'FifoTopic', 'ContentBasedDeduplication', 'Subscription'),
  ...all(withoutEffect, 'DisplayName', 'KmsMasterKeyId', 'Tags', 'SignatureVersion', 'TracingConfig'),
  ...all(withoutEffect, 'DeliveryStatusLogging', 'DataProtectionPolicy', 'FifoThroughputScope'),
  ArchivePolicy: listed('The topic keeps no messages, so none can be replayed.'),
} satisfies PropertyRules;

const subscription = {
  ...all(run, 'TopicArn', 'Protocol', 'Endpoint', 'RawMessageDelivery', 'FilterPolicy', 'FilterPolicyScope'),
  ...all(withoutEffect, 'Region'),
  RedrivePolicy: listed('A delivery that fails goes to no dead-letter queue of the subscription.'),
  DeliveryPolicy: listed('A delivery has the retries of the protocol.'),
  SubscriptionRoleArn: listed('There is no Firehose.'),
  ReplayPolicy: listed('A topic replays no messages.'),
} satisfies PropertyRules;

export const types: TypeRules = {
  'AWS::SNS::Topic': runs(topic, {
    property: 'TopicName',
    make: fifo,
    isUnique: true,
    names: (name) => ({
      ref: arnOf('sns', name),
      name,
      attributes: { TopicArn: arnOf('sns', name), TopicName: name },
    }),
  }),
  'AWS::SNS::Subscription': runs(subscription),
  'AWS::SNS::TopicPolicy': { kind: 'without-effect' },
};
