import { all, listed, listedIf, type PropertyRules, run, withoutEffect } from '../../engine/app/rule.ts';
import { record } from '../../engine/app/template.ts';

/** What holds data: tables, queues, topics and buckets. */

const DAY_SECONDS = 86_400;

const TABLE = {
  ...all(run, 'TableName', 'KeySchema', 'AttributeDefinitions', 'StreamSpecification.StreamViewType'),
  ...all(
    run,
    'GlobalSecondaryIndexes.IndexName',
    'GlobalSecondaryIndexes.KeySchema',
    'GlobalSecondaryIndexes.Projection',
  ),
  ...all(run, 'LocalSecondaryIndexes'),
  ...all(withoutEffect, 'BillingMode', 'ProvisionedThroughput', 'OnDemandThroughput', 'WarmThroughput', 'TableClass'),
  ...all(withoutEffect, 'SSESpecification', 'PointInTimeRecoverySpecification', 'DeletionProtectionEnabled', 'Tags'),
  ...all(withoutEffect, 'ResourcePolicy', 'ContributorInsightsSpecification', 'StreamSpecification.ResourcePolicy'),
  ...all(
    withoutEffect,
    'GlobalSecondaryIndexes.ProvisionedThroughput',
    'GlobalSecondaryIndexes.OnDemandThroughput',
    'GlobalSecondaryIndexes.WarmThroughput',
    'GlobalSecondaryIndexes.ContributorInsightsSpecification',
  ),
  TimeToLiveSpecification: listedIf(
    (value) => String(record(value)['Enabled']) !== 'false',
    'No item expires, but by the fault `ttl`. AWS deletes expired items within a few days.',
  ),
  KinesisStreamSpecification: listed('No change goes to Kinesis.'),
  ImportSourceSpecification: listed('The table starts empty.'),
} satisfies PropertyRules;

const GLOBAL_TABLE = {
  ...TABLE,
  ...all(withoutEffect, 'WriteProvisionedThroughputSettings', 'WriteOnDemandThroughputSettings'),
  ...all(
    withoutEffect,
    'GlobalSecondaryIndexes.WriteProvisionedThroughputSettings',
    'GlobalSecondaryIndexes.WriteOnDemandThroughputSettings',
  ),
  Replicas: listedIf(
    (value) => Array.isArray(value) && value.length > 1,
    'There is one region, and no replication between several.',
  ),
} satisfies PropertyRules;

const QUEUE = {
  ...all(run, 'QueueName', 'FifoQueue', 'ContentBasedDeduplication', 'DelaySeconds', 'MaximumMessageSize'),
  ...all(run, 'ReceiveMessageWaitTimeSeconds', 'VisibilityTimeout', 'RedrivePolicy', 'RedriveAllowPolicy'),
  ...all(withoutEffect, 'KmsMasterKeyId', 'KmsDataKeyReusePeriodSeconds', 'SqsManagedSseEnabled', 'Tags'),
  ...all(withoutEffect, 'FifoThroughputLimit'),
  MessageRetentionPeriod: listedIf(
    (value) => Number(value) < DAY_SECONDS,
    'No message expires. AWS deletes a message after this time.',
  ),
  DeduplicationScope: listedIf(
    (value) => value === 'messageGroup',
    'A deduplication id is unique in the whole queue, and not in its message group.',
  ),
} satisfies PropertyRules;

const TOPIC = {
  ...all(run, 'TopicName', 'FifoTopic', 'ContentBasedDeduplication', 'Subscription'),
  ...all(
    withoutEffect,
    'DisplayName',
    'KmsMasterKeyId',
    'Tags',
    'SignatureVersion',
    'TracingConfig',
    'DeliveryStatusLogging',
  ),
  ...all(withoutEffect, 'DataProtectionPolicy', 'FifoThroughputScope'),
  ArchivePolicy: listed('The topic keeps no messages, so none can be replayed.'),
} satisfies PropertyRules;

const SUBSCRIPTION = {
  ...all(run, 'TopicArn', 'Protocol', 'Endpoint', 'RawMessageDelivery', 'FilterPolicy', 'FilterPolicyScope'),
  ...all(withoutEffect, 'Region'),
  RedrivePolicy: listed('A delivery that fails goes to no dead-letter queue of the subscription.'),
  DeliveryPolicy: listed('A delivery has the retries of the protocol.'),
  SubscriptionRoleArn: listed('There is no Firehose.'),
  ReplayPolicy: listed('A topic replays no messages.'),
} satisfies PropertyRules;

const BUCKET = {
  ...all(run, 'BucketName'),
  ...all(run, 'NotificationConfiguration.QueueConfigurations', 'NotificationConfiguration.TopicConfigurations'),
  ...all(run, 'NotificationConfiguration.LambdaConfigurations'),
  'NotificationConfiguration.EventBridgeConfiguration': listed('No event goes to EventBridge.'),
  ...all(
    withoutEffect,
    'BucketEncryption',
    'PublicAccessBlockConfiguration',
    'Tags',
    'OwnershipControls',
    'AccessControl',
  ),
  ...all(
    withoutEffect,
    'LoggingConfiguration',
    'CorsConfiguration',
    'MetricsConfigurations',
    'AnalyticsConfigurations',
  ),
  ...all(withoutEffect, 'InventoryConfigurations', 'IntelligentTieringConfigurations', 'AccelerateConfiguration'),
  VersioningConfiguration: listedIf(
    (value) => record(value)['Status'] === 'Enabled',
    'The bucket keeps one version of an object.',
  ),
  LifecycleConfiguration: listed('No object expires.'),
  ReplicationConfiguration: listed('No object is replicated.'),
  WebsiteConfiguration: listed('The bucket serves no website.'),
  ObjectLockConfiguration: listed('No object is locked.'),
  ObjectLockEnabled: listed('No object is locked.'),
} satisfies PropertyRules;

export const DATA_RULES: Readonly<Record<string, PropertyRules>> = {
  'AWS::DynamoDB::Table': TABLE,
  'AWS::DynamoDB::GlobalTable': GLOBAL_TABLE,
  'AWS::SQS::Queue': QUEUE,
  'AWS::SNS::Topic': TOPIC,
  'AWS::SNS::Subscription': SUBSCRIPTION,
  'AWS::S3::Bucket': BUCKET,
};
