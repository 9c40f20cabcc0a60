import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { RefusedAppError, startRehearsal } from '../../../../lib/rehearsal/rehearsal.ts';
import { leftIn } from '../../../fixtures/small-app/small-app.ts';
import { eventually } from '../../../support/eventually.ts';
import { handWrittenApp, inlineFunction } from '../../../support/hand-written-app.ts';
import { rehearsalDatabase } from '../../../support/rehearsal-database.ts';

const dynamoDb = await rehearsalDatabase();

const arnOf = (name: string) => ({ 'Fn::GetAtt': [name, 'Arn'] });

function mapping(queue: string, FunctionName: unknown, properties: object = {}) {
  return {
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: { EventSourceArn: arnOf(queue), FunctionName, ...properties },
  };
}

test('a mapping on an alias, with a filter: what does not match is deleted; one that is not enabled reads nothing', async () => {
  await using app = await handWrittenApp({
    Queues: {
      template: {
        Resources: {
          Wanted: { Type: 'AWS::SQS::Queue', Properties: { VisibilityTimeout: 60 } },
          Waiting: { Type: 'AWS::SQS::Queue' },
          Fn: { Type: 'AWS::Lambda::Function', Properties: { Runtime: 'nodejs24.x' } },
          Alias: {
            Type: 'AWS::Lambda::Alias',
            Properties: { FunctionName: { Ref: 'Fn' }, FunctionVersion: '1', Name: 'live' },
          },
          Reads: mapping(
            'Wanted',
            { Ref: 'Alias' },
            { FilterCriteria: { Filters: [{ Pattern: '{"body":{"kind":["a"]}}' }] } },
          ),
          Sleeps: mapping(
            'Waiting',
            { Ref: 'Fn' },
            { Enabled: false, FilterCriteria: { Filters: [{ Pattern: '{"messageAttributes":{"kind":["a"]}}' }] } },
          ),
        },
      },
    },
  });
  const got: unknown[] = [];
  await using rehearsal = await startRehearsal({
    app,
    dynamoDb,
    stubs: { Fn: { handler: (event) => void got.push(event) } },
  });
  const send = (name: string, MessageBody: string) =>
    rehearsal.sqs.client.send(new SendMessageCommand({ QueueUrl: rehearsal.queue(name).url, MessageBody }));
  await send('Waiting', 'x');
  for (const body of ['{"kind":"b"}', 'no JSON', '{"kind":"a"}']) await send('Wanted', body);
  const depth = (name: string) => rehearsal.sqs.depth(rehearsal.queue(name).name);
  await eventually('the queue is empty', async () =>
    expect(await depth('Wanted')).toEqual({ ready: 0, delayed: 0, inFlight: 0 }),
  );
  expect(got).toMatchObject([{ Records: [{ body: '{"kind":"a"}' }] }]);
  expect(rehearsal.consumer('Reads').stats).toMatchObject({ deliveries: 1, filteredOut: 2 });
  expect((await depth('Waiting')).ready).toBe(1);
  // AWS documents the key body only.
  const listed = rehearsal.notRun.filter(({ property }) => property !== undefined);
  expect(listed).toMatchObject([{ construct: 'Sleeps', property: 'FilterCriteria.Filters' }]);
});

test('an app whose messages would wait for ever is refused, with each reason, and nothing is left', async () => {
  await using app = await handWrittenApp({
    Queues: {
      template: {
        Resources: {
          Dead: { Type: 'AWS::SQS::Queue', Properties: { RedriveAllowPolicy: { redrivePermission: 'denyAll' } } },
          Queue: {
            Type: 'AWS::SQS::Queue',
            Properties: { RedrivePolicy: { deadLetterTargetArn: arnOf('Dead'), maxReceiveCount: 3 } },
          },
          Python: { Type: 'AWS::Lambda::Function', Properties: { Runtime: 'python3.13', Code: { ZipFile: '' } } },
          Reads: mapping('Queue', { Ref: 'Python' }),
        },
      },
    },
  });
  const refused = await startRehearsal({ app, dynamoDb }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(RefusedAppError);
  expect(String(refused)).toContain('The policy of Dead does not allow this queue');
  expect(String(refused)).toContain(
    'Reads (AWS::Lambda::EventSourceMapping): It invokes a function that a rehearsal does not run.',
  );
  expect(leftIn({ command: '', folder: `${app.assembly}/..` })).toEqual([]);
});

test('an app with a client that would ask AWS itself is refused by its name, and one with a stub for it is not', async () => {
  await using app = await handWrittenApp({
    Asks: {
      template: {
        Resources: { Fn: inlineFunction("const { SQS } = require('aws-sdk'); exports.handler = () => new SQS();") },
      },
    },
  });
  const refused = await startRehearsal({ app, dynamoDb }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(RefusedAppError);
  expect(String(refused)).toContain('Fn (AWS::Lambda::Function), Code: Its code has aws-sdk, version 2 of the SDK');
  await using rehearsal = await startRehearsal({ app, dynamoDb, stubs: { Fn: { handler: () => 'stub' } } });
  expect(await (await rehearsal.function('Fn')).invoke({})).toEqual({ kind: 'response', value: 'stub' });
});

test('a service that has no stand-in refuses a function, and never reaches AWS', async () => {
  await using app = await handWrittenApp({
    Asks: {
      template: {
        Resources: {
          Fn: inlineFunction(`const { SecretsManagerClient, GetSecretValueCommand } = require('@aws-sdk/client-secrets-manager');
exports.handler = () => new SecretsManagerClient({}).send(new GetSecretValueCommand({ SecretId: 's' }));`),
        },
      },
    },
  });
  await using rehearsal = await startRehearsal({ app, dynamoDb });
  const outcome = await (await rehearsal.function('Fn')).invoke({});
  expect(outcome).toMatchObject({
    kind: 'error',
    error: { message: 'A rehearsal has no stand-in for secretsmanager. Give its endpoint in `endpoints`.' },
  });
  expect(rehearsal.refusedCalls()).toEqual([{ service: 'secretsmanager', operation: 'GetSecretValue', count: 1 }]);
});
