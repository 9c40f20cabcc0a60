import { DeleteObjectsCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Rehearsal, startRehearsal } from '../../../../lib/rehearsal/rehearsal.ts';
import { eventually } from '../../../support/eventually.ts';
import { type HandWrittenApp, handWrittenApp } from '../../../support/hand-written-app.ts';
import { rehearsalDatabase } from '../../../support/rehearsal-database.ts';

/** Topics, buckets and schedules: what hands events to functions by itself. */

const arn = (name: string) => ({ 'Fn::GetAtt': [name, 'Arn'] });
const functionSource = { Type: 'AWS::Lambda::Function', Properties: { Runtime: 'nodejs24.x' } };

const events: Record<'Listener' | 'Failing' | 'Stored', unknown[]> = { Listener: [], Failing: [], Stored: [] };
const stubs = {
  Listener: { handler: (event: unknown) => void events.Listener.push(event) },
  Failing: {
    handler(event: unknown) {
      events.Failing.push(event);
      throw new TypeError('It never works.');
    },
  },
  Stored: { handler: (event: unknown) => void events.Stored.push(event) },
};

let app: HandWrittenApp;
let rehearsal: Rehearsal;
beforeAll(async () => {
  const toQueue = (queue: string, properties: object) => ({
    Type: 'AWS::SNS::Subscription',
    Properties: { TopicArn: { Ref: 'Topic' }, Protocol: 'sqs', Endpoint: arn(queue), ...properties },
  });
  app = await handWrittenApp({
    Events: {
      template: {
        Resources: {
          Topic: { Type: 'AWS::SNS::Topic' },
          Plain: { Type: 'AWS::SQS::Queue' },
          Raw: { Type: 'AWS::SQS::Queue' },
          ByBody: { Type: 'AWS::SQS::Queue' },
          Failures: { Type: 'AWS::SQS::Queue' },
          DeadLetters: { Type: 'AWS::SQS::Queue' },
          ToPlain: toQueue('Plain', { FilterPolicy: { colour: ['blue'] } }),
          ToRaw: toQueue('Raw', { RawMessageDelivery: true }),
          ToByBody: toQueue('ByBody', {
            FilterPolicy: { size: [{ numeric: ['>', 10] }] },
            FilterPolicyScope: 'MessageBody',
          }),
          ToListener: {
            Type: 'AWS::SNS::Subscription',
            Properties: {
              TopicArn: { Ref: 'Topic' },
              Protocol: 'lambda',
              Endpoint: arn('Listener'),
              FilterPolicy: { colour: ['blue'] },
            },
          },
          ByMail: {
            Type: 'AWS::SNS::Subscription',
            Properties: { TopicArn: { Ref: 'Topic' }, Protocol: 'email', Endpoint: 'a@b.c' },
          },
          Listener: functionSource,
          Failing: {
            ...functionSource,
            Properties: { ...functionSource.Properties, DeadLetterConfig: { TargetArn: arn('DeadLetters') } },
          },
          FailingConfig: {
            Type: 'AWS::Lambda::EventInvokeConfig',
            Properties: {
              FunctionName: { Ref: 'Failing' },
              Qualifier: '$LATEST',
              MaximumRetryAttempts: 1,
              DestinationConfig: { OnFailure: { Destination: arn('Failures') } },
            },
          },
          Stored: functionSource,
          Bucket: { Type: 'AWS::S3::Bucket', Properties: { VersioningConfiguration: { Status: 'Enabled' } } },
          BucketNotifications: {
            Type: 'Custom::S3BucketNotifications',
            Properties: {
              ServiceToken: arn('NotificationsHandler'),
              BucketName: { Ref: 'Bucket' },
              Managed: true,
              NotificationConfiguration: {
                LambdaFunctionConfigurations: [
                  {
                    Events: ['s3:ObjectCreated:*'],
                    LambdaFunctionArn: arn('Stored'),
                    Filter: { Key: { FilterRules: [{ Name: 'prefix', Value: 'in/' }] } },
                  },
                ],
                QueueConfigurations: [{ Events: ['s3:ObjectRemoved:Delete'], QueueArn: arn('Plain') }],
              },
            },
          },
          NotificationsHandler: {
            Type: 'AWS::Lambda::Function',
            Properties: { Runtime: 'python3.13', Code: { ZipFile: '' }, Handler: 'index.handler' },
          },
          Nightly: {
            Type: 'AWS::Events::Rule',
            Properties: {
              ScheduleExpression: 'cron(0 3 * * ? *)',
              State: 'ENABLED',
              Targets: [{ Id: 'T', Arn: arn('Failing') }],
            },
          },
          Often: {
            Type: 'AWS::Scheduler::Schedule',
            Properties: {
              ScheduleExpression: 'rate(5 minutes)',
              FlexibleTimeWindow: { Mode: 'OFF' },
              Target: { Arn: arn('Raw'), RoleArn: arn('Role'), Input: '{"due":true}' },
            },
          },
        },
      },
    },
  });
  rehearsal = await startRehearsal({ app, stubs, dynamoDb: await rehearsalDatabase() });
});
afterAll(async () => {
  await rehearsal?.stop();
  await app[Symbol.asyncDispose]();
});

async function held(queue: string): Promise<readonly string[]> {
  return (await rehearsal.sqs.messages(rehearsal.queue(queue).name)).map(({ body }) => body);
}

test('a message of a topic reaches the queues whose filters it matches, raw or in its envelope, and functions', async () => {
  await rehearsal.topic('Topic').publish('{"size":11}', { attributes: { colour: 'blue' } });
  await rehearsal.topic('Topic').publish('{"size":1}', { attributes: { colour: 'red' } });
  expect(await held('Raw')).toEqual(['{"size":11}', '{"size":1}']);
  expect((await held('Plain')).map((body) => JSON.parse(body))).toMatchObject([
    { Type: 'Notification', TopicArn: rehearsal.topic('Topic').arn, Message: '{"size":11}' },
  ]);
  expect(await held('ByBody')).toHaveLength(1);
  await eventually('the listener is called', () => expect(events.Listener).toHaveLength(1));
  expect(events.Listener[0]).toMatchObject({
    Records: [
      {
        EventSource: 'aws:sns',
        Sns: {
          Message: '{"size":11}',
          MessageAttributes: { colour: { Type: 'String', Value: 'blue' } },
          Subject: null,
        },
      },
    ],
  });
});

test('an object that is put or deleted, by any client, is told to those whose filters it matches', async () => {
  const bucket = rehearsal.bucket('Bucket');
  const bytes = Buffer.from([0, 255, 254, 1]);
  const client = new S3Client({
    endpoint: rehearsal.endpoints.s3,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: 'LOCALSTACK', secretAccessKey: 'local' },
  });
  await client.send(new PutObjectCommand({ Bucket: bucket.name, Key: 'in/a b.bin', Body: bytes }));
  for (const key of ['out/d', 'out/e & f']) await bucket.put(key, 'text');
  const Objects = [{ Key: 'out/d' }, { Key: 'out/e & f' }];
  await client.send(new DeleteObjectsCommand({ Bucket: bucket.name, Delete: { Objects } }));
  client.destroy();
  await bucket.put('out/c', 'text');
  await bucket.delete('out/c');
  await eventually('the function of the bucket is called', () => expect(events.Stored).toHaveLength(1));
  expect(events.Stored[0]).toMatchObject({
    Records: [
      {
        eventSource: 'aws:s3',
        eventName: 'ObjectCreated:Put',
        s3: {
          bucket: { name: bucket.name },
          object: { key: 'in/a+b.bin', size: 4, eTag: expect.stringMatching(/^\w{32}$/) },
        },
      },
    ],
  });
  // The tap in front of S3 changes no byte.
  expect(await bucket.get('in/a b.bin')).toEqual(bytes);
  expect(await bucket.get('out/c')).toBeUndefined();
  const removed = (await held('Plain')).filter((body) => body.includes('ObjectRemoved:Delete'));
  expect(removed.map((body) => JSON.parse(body).Records[0].s3.object.key).toSorted()).toEqual([
    'out/c',
    'out/d',
    'out/e+%26+f',
  ]);
});

test('a schedule runs when it is run, and what its function fails at is tried again and told to its destinations', async () => {
  await rehearsal.schedule('Often').run();
  expect(await held('Raw')).toContain('{"due":true}');
  await rehearsal.schedule('Nightly').run();
  await eventually('the event is dead-lettered', async () => expect(await held('DeadLetters')).toHaveLength(1));
  expect(events.Failing).toHaveLength(2);
  expect(events.Failing[0]).toMatchObject({ source: 'aws.events', 'detail-type': 'Scheduled Event', detail: {} });
  expect(events.Failing[1]).toEqual(events.Failing[0]);
  expect(JSON.parse((await held('Failures'))[0] ?? '{}')).toMatchObject({
    requestContext: { condition: 'RetriesExhausted', approximateInvokeCount: 2 },
    requestPayload: events.Failing[0],
    responsePayload: { errorType: 'TypeError', errorMessage: 'It never works.' },
  });
  expect(JSON.parse((await held('DeadLetters'))[0] ?? '{}')).toEqual(events.Failing[0]);
  await eventually('no event is pending', () => expect(rehearsal.pendingEvents()).toBe(0));
});

test('what is not run is listed: other protocols, versions of objects, and functions that CloudFormation calls', () => {
  const of = (construct: string) => rehearsal.notRun.filter((one) => one.construct === construct);
  expect(of('ByMail')[0]?.why).toContain('not by email');
  expect(of('Bucket')[0]).toMatchObject({ property: 'VersioningConfiguration' });
  expect(of('NotificationsHandler')[0]?.why).toContain('custom resource');
  expect(of('Nightly')).toEqual([]);
});

test('a request to a topic passes the tap of SNS, so that a fault can reach it', async () => {
  const seen: string[] = [];
  const other = await startRehearsal({
    app,
    stubs,
    faults: {
      sns: {
        onRequest({ operation }) {
          seen.push(operation);
          return 'drop';
        },
      },
    },
  });
  const client = new SNSClient({
    endpoint: other.tapped.sns,
    region: 'us-east-1',
    maxAttempts: 1,
    credentials: { accessKeyId: 'SANDBOX0001', secretAccessKey: 'local' },
  });
  await expect(client.send(new PublishCommand({ TopicArn: other.topic('Topic').arn, Message: 'm' }))).rejects.toThrow();
  client.destroy();
  expect(seen).toEqual(['Publish']);
  await other.stop();
});
