import { DescribeRuleCommand, EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RefusedAppError, type Rehearsal, startRehearsal } from '../../../../lib/rehearsal/rehearsal.ts';
import { eventually } from '../../../support/eventually.ts';
import { type HandWrittenApp, handWrittenApp } from '../../../support/hand-written-app.ts';
import { rehearsalDatabase } from '../../../support/rehearsal-database.ts';

/** Event buses: what functions put on them, and what its rules make of it. */

const arn = (name: string) => ({ 'Fn::GetAtt': [name, 'Arn'] });
const rule = (properties: Readonly<Record<string, unknown>>) => ({ Type: 'AWS::Events::Rule', Properties: properties });

const heard: unknown[] = [];
const stubs = { Listener: { handler: (event: unknown) => void heard.push(event) } };
const resources = {
  Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: 'rides' } },
  Other: { Type: 'AWS::Events::EventBus', Properties: { Name: 'other' } },
  Kept: { Type: 'AWS::Events::Archive', Properties: { SourceArn: arn('Bus') } },
  Completed: { Type: 'AWS::SQS::Queue' },
  Long: { Type: 'AWS::SQS::Queue' },
  Plain: { Type: 'AWS::SQS::Queue' },
  Listener: { Type: 'AWS::Lambda::Function', Properties: { Runtime: 'nodejs24.x' } },
  ByType: rule({
    EventBusName: { Ref: 'Bus' },
    EventPattern: { source: ['rides'], 'detail-type': ['RideCompleted'] },
    Targets: [
      { Id: 'Queue', Arn: arn('Completed') },
      { Id: 'Function', Arn: arn('Listener') },
      { Id: 'Machine', Arn: 'arn:aws:states:us-east-1:000000000000:stateMachine:m' },
    ],
  }),
  ByDetail: rule({
    EventBusName: arn('Bus'),
    EventPattern: { detail: { rideId: [{ prefix: 'long-' }] } },
    Targets: [{ Id: 'Queue', Arn: arn('Long') }],
  }),
  Off: rule({
    EventBusName: { Ref: 'Bus' },
    State: 'DISABLED',
    EventPattern: { source: ['rides'] },
    Targets: [{ Id: 'Queue', Arn: arn('Plain') }],
  }),
  OnDefault: rule({ EventPattern: { source: ['taxis'] }, Targets: [{ Id: 'Queue', Arn: arn('Plain') }] }),
};

let app: HandWrittenApp;
let rehearsal: Rehearsal;
let client: EventBridgeClient;
const twice = new Set<string>();
beforeAll(async () => {
  app = await handWrittenApp({ Rides: { template: { Resources: resources } } });
  rehearsal = await startRehearsal({
    app,
    stubs,
    dynamoDb: await rehearsalDatabase(),
    faults: {
      eventbridge: {
        onResponse: ({ operation, body }) => (operation === 'PutEvents' && body.includes('lost') ? 'drop' : 'pass'),
      },
      eventDelivery: ({ construct }) => ({
        deliversTwice: ({ detail }) => twice.delete(`${construct} ${JSON.stringify(detail)}`),
      }),
    },
  });
  client = new EventBridgeClient({
    endpoint: rehearsal.tapped.eventbridge,
    region: 'us-east-1',
    maxAttempts: 1,
    credentials: { accessKeyId: 'SANDBOX0001', secretAccessKey: 'local' },
  });
});
afterAll(async () => {
  client?.destroy();
  await rehearsal?.stop();
  await app[Symbol.asyncDispose]();
});

const read = new Map<string, number>();

/** What a queue got since it was asked last. */
async function taken(queue: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { name } = rehearsal.queue(queue);
  const held = await rehearsal.sqs.messages(name);
  const bodies = held.map(({ body }) => JSON.parse(body));
  const before = read.get(queue) ?? 0;
  read.set(queue, bodies.length);
  return bodies.slice(before);
}
const event = (rideId: string, properties: object = {}) => ({
  EventBusName: rehearsal.eventBus('Bus').arn,
  Source: 'rides',
  DetailType: 'RideCompleted',
  Detail: JSON.stringify({ rideId }),
  ...properties,
});

test('an event reaches the queues and functions of each rule of its bus that matches it, as EventBridge writes it', async () => {
  const { Entries, FailedEntryCount } = await client.send(
    new PutEventsCommand({
      Entries: [
        event('long-1'),
        event('short-1', { DetailType: 'RideBegun' }),
        event('long-2', { EventBusName: 'other' }),
        event('long-3', { EventBusName: 'not-in-this-app' }),
      ],
    }),
  );
  expect(FailedEntryCount).toBe(0);
  expect(Entries).toHaveLength(4);
  const completed = {
    version: '0',
    id: Entries?.[0]?.EventId,
    source: 'rides',
    'detail-type': 'RideCompleted',
    account: '000000000000',
    region: 'us-east-1',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    resources: [],
    detail: { rideId: 'long-1' },
  };
  expect(await taken('Completed')).toEqual([completed]);
  expect(await taken('Long')).toEqual([completed]);
  await eventually('the function has the event', () => expect(heard).toEqual([completed]));
  expect(await taken('Plain')).toEqual([]);
});

test('an event without a bus is put on the one that every account has', async () => {
  await client.send(new PutEventsCommand({ Entries: [event('r', { EventBusName: undefined, Source: 'taxis' })] }));
  expect(await taken('Plain')).toMatchObject([{ source: 'taxis' }]);
});

test('an entry that EventBridge would refuse fails by itself, and the others are taken', async () => {
  const { Entries, FailedEntryCount } = await client.send(
    new PutEventsCommand({
      Entries: [
        event('long-4', { Detail: '[1]' }),
        event('long-5', { Source: '' }),
        event('long-6', { Source: 'aws.rides' }),
        event('long-7'),
      ],
    }),
  );
  expect(FailedEntryCount).toBe(3);
  expect(Entries?.map(({ ErrorCode }) => ErrorCode)).toEqual([
    'MalformedDetail',
    'InvalidArgument',
    'NotAuthorizedForSourceException',
    undefined,
  ]);
  expect(await taken('Completed')).toMatchObject([{ detail: { rideId: 'long-7' } }]);
});

test('a request with more than EventBridge takes is refused as a whole', async () => {
  const Entries = Array.from({ length: 11 }, (_, index) => event(`many-${index}`));
  await expect(client.send(new PutEventsCommand({ Entries }))).rejects.toThrow('expected 1 to 10 of them; got 11');
  const large = event('large', { Detail: JSON.stringify({ text: 'x'.repeat(2 ** 18) }) });
  await expect(client.send(new PutEventsCommand({ Entries: [large] }))).rejects.toThrow('over the limit of 262144');
  expect(await taken('Completed')).toEqual([]);
});

test('what is asked of EventBridge besides PutEvents is refused by name', async () => {
  await expect(client.send(new DescribeRuleCommand({ Name: 'any' }))).rejects.toThrow('and not for DescribeRule');
});

test('a request passes the tap, so that its response can be lost; and a rule can hand an event over twice', async () => {
  await expect(client.send(new PutEventsCommand({ Entries: [event('lost-1')] }))).rejects.toThrow();
  expect(await taken('Completed')).toMatchObject([{ detail: { rideId: 'lost-1' } }]);
  twice.add('ByType {"rideId":"r-2"}');
  await rehearsal.eventBus('Bus').put({ rideId: 'r-2' }, { source: 'rides', detailType: 'RideCompleted' });
  await rehearsal.eventBus('Bus').put({ rideId: 'r-3' }, { source: 'rides', detailType: 'RideCompleted' });
  const rides = (await taken('Completed')).map(({ detail }) => detail);
  expect(rides).toEqual([{ rideId: 'r-2' }, { rideId: 'r-2' }, { rideId: 'r-3' }]);
});

test('what a bus does without is listed: an archive, and a target that is not run', () => {
  const of = (construct: string) => rehearsal.notRun.filter((one) => one.construct === construct);
  expect(of('Kept')[0]?.why).toContain('keeps no events');
  expect(of('ByType')[0]?.why).toContain('stateMachine:m, which a rehearsal does not run');
});

test.each([
  [
    'an input transformer',
    { Targets: [{ Id: 'T', Arn: 'arn:aws:sqs:::q', InputTransformer: { InputTemplate: '{}' } }] },
    'as it is',
  ],
  ['an input path', { Targets: [{ Id: 'T', Arn: 'arn:aws:sqs:::q', InputPath: '$.detail' }] }, 'as it is'],
  [
    'a comparison that no rehearsal knows',
    { EventPattern: { detail: { a: ['b', { sounds: 'like' }] } } },
    'compares with sounds',
  ],
])('a rule with %s is refused, with a sentence', async (_, properties, why) => {
  const Resources = { Rule: rule({ EventPattern: { source: ['a'] }, Targets: [], ...properties }) };
  await using refused = await handWrittenApp({ Refused: { template: { Resources } } });
  const started = startRehearsal({ app: refused, dynamoDb: await rehearsalDatabase() });
  await expect(started).rejects.toThrow(RefusedAppError);
  await expect(started).rejects.toThrow(why);
});
