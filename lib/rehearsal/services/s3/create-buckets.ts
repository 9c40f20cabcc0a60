import type { InStack } from '../../engine/app/constructs.ts';
import type { Resource } from '../../engine/app/read-app.ts';
import { ofType, placeOf, property, type Reading, readOrList, targetFunction } from '../../engine/app/reading.ts';
import { list as listOf, record } from '../../engine/app/template.ts';

export interface ProvisionedBucket extends InStack {
  readonly name: string;
  readonly notifications: readonly BucketNotification[];
}

/** What is told of a change in a bucket: a queue, a topic or a function, by its ARN. */
interface BucketNotification {
  readonly id: string;
  readonly arn: string;
  /** As S3 has them: `s3:ObjectCreated:*`. */
  readonly events: readonly string[];
  readonly prefix: string;
  readonly suffix: string;
}

/** Creates the buckets of the app, and reads who is told of their changes. */
export async function createBuckets(reading: Reading, endpoint: string): Promise<readonly ProvisionedBucket[]> {
  const buckets = ofType(reading, 'AWS::S3::Bucket');
  const created: ProvisionedBucket[] = [];
  for (const bucket of buckets) {
    const response = await fetch(`${endpoint}/${bucket.name}`, { method: 'PUT' });
    if (!response.ok) throw new Error(`The S3 stand-in refused the bucket ${bucket.name}: ${await response.text()}`);
    created.push({ ...placeOf(bucket), name: bucket.name, notifications: notificationsOf(reading, bucket) });
  }
  return created;
}

const targets = [
  { name: 'QueueConfigurations', arn: ['QueueArn', 'Queue'] },
  { name: 'TopicConfigurations', arn: ['TopicArn', 'Topic'] },
  { name: 'LambdaFunctionConfigurations', arn: ['LambdaFunctionArn'] },
  { name: 'LambdaConfigurations', arn: ['Function'] },
] as const;

/** The CDK sets notifications by a custom resource, whose words are the API's. CloudFormation's own are a little different. */
function notificationsOf(reading: Reading, bucket: Resource): readonly BucketNotification[] {
  const custom = ofType(reading, 'Custom::S3BucketNotifications').filter(
    (one) => readOrList(reading, one, () => property(one, 'BucketName')) === bucket.name,
  );
  return [bucket, ...custom].flatMap((at) => {
    const read = readOrList(reading, at, () => record(property(at, 'NotificationConfiguration'))) ?? {};
    return targets.flatMap(({ name, arn }) =>
      listOf(read[name]).flatMap((one) => {
        const given = record(one);
        const target = arn.map((key) => given[key]).find((value) => value !== undefined);
        if (String(target).includes(':function:')) targetFunction(reading, at, target);
        return target === undefined ? [] : [notificationOf(given, String(target))];
      }),
    );
  });
}

function notificationOf(given: Readonly<Record<string, unknown>>, arn: string): BucketNotification {
  const { Events, Event, Filter, Id } = given;
  const filter = record(Filter);
  const key = record(filter['Key'] ?? filter['S3Key']);
  const rules = listOf(key['FilterRules'] ?? key['Rules']).map(record);
  const rule = (wanted: string) =>
    String(rules.find(({ Name }) => String(Name).toLowerCase() === wanted)?.['Value'] ?? '');
  return {
    id: String(Id ?? arn),
    arn,
    events: Events === undefined ? [String(Event)] : listOf(Events).map(String),
    prefix: rule('prefix'),
    suffix: rule('suffix'),
  };
}
