import {
  all,
  each,
  listed,
  listedIf,
  type PropertyRules,
  run,
  runs,
  type TypeRules,
  withoutEffect,
} from '../../engine/app/rule.ts';
import { record, rehearsedRegion } from '../../engine/app/template.ts';

const bucket = {
  ...all(run, 'BucketName', 'NotificationConfiguration.QueueConfigurations'),
  ...all(run, 'NotificationConfiguration.TopicConfigurations', 'NotificationConfiguration.LambdaConfigurations'),
  'NotificationConfiguration.EventBridgeConfiguration': listed('No event goes to EventBridge.'),
  ...all(withoutEffect, 'BucketEncryption', 'PublicAccessBlockConfiguration', 'Tags', 'OwnershipControls'),
  ...all(withoutEffect, 'AccessControl', 'LoggingConfiguration', 'CorsConfiguration', 'MetricsConfigurations'),
  ...all(withoutEffect, 'AnalyticsConfigurations', 'InventoryConfigurations', 'IntelligentTieringConfigurations'),
  ...all(withoutEffect, 'AccelerateConfiguration'),
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

export const types: TypeRules = {
  'AWS::S3::Bucket': runs(bucket, {
    property: 'BucketName',
    make: (made) => made.toLowerCase().replaceAll('_', '-'),
    names: (name) => ({
      ref: name,
      attributes: {
        Arn: `arn:aws:s3:::${name}`,
        DomainName: `${name}.s3.amazonaws.com`,
        RegionalDomainName: `${name}.s3.${rehearsedRegion}.amazonaws.com`,
      },
    }),
  }),
  // What it says is read with its bucket.
  'Custom::S3BucketNotifications': { kind: 'without-effect' },
  ...each({ kind: 'without-effect' }, 'AWS::S3::BucketPolicy', 'Custom::S3AutoDeleteObjects'),
};
