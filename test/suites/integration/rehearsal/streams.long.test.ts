import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Rehearsal, startRehearsal } from '../../../../lib/rehearsal/rehearsal.ts';
import { eventually } from '../../../support/eventually.ts';
import { type HandWrittenApp, handWrittenApp } from '../../../support/hand-written-app.ts';
import { rehearsalDatabase } from '../../../support/rehearsal-database.ts';

const table = {
  Type: 'AWS::DynamoDB::Table',
  Properties: {
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
    TimeToLiveSpecification: { Enabled: true, AttributeName: 'ttl' },
  },
};

function mapping(name: string, properties: Readonly<Record<string, unknown>>) {
  return {
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: {
      EventSourceArn: { 'Fn::GetAtt': ['Table', 'StreamArn'] },
      FunctionName: { Ref: name },
      StartingPosition: 'TRIM_HORIZON',
      MaximumBatchingWindowInSeconds: 1,
      ...properties,
    },
  };
}

/** The test's side of the functions, which are stubs: what each invocation gets, by its ids, and what it returns. */
const invocations: Record<'Partial' | 'Bisecting' | 'Filtered', string[][]> = {
  Partial: [],
  Bisecting: [],
  Filtered: [],
};
const records: unknown[] = [];

interface StreamEvent {
  readonly Records: readonly {
    readonly dynamodb: { readonly SequenceNumber: string; readonly Keys: { readonly id: { readonly S: string } } };
  }[];
}

function idsOf(event: StreamEvent): string[] {
  return event.Records.map(({ dynamodb }) => dynamodb.Keys.id.S);
}

const stubs = {
  Partial: {
    handler(given: unknown) {
      const event = given as StreamEvent;
      records.push(...event.Records);
      const ids = idsOf(event);
      invocations.Partial.push(ids);
      const failed = event.Records.filter(
        (_, at) => ids[at] === 'bad' || (ids[at] === 'slow' && invocations.Partial.length < 2),
      );
      return { batchItemFailures: failed.map(({ dynamodb }) => ({ itemIdentifier: dynamodb.SequenceNumber })) };
    },
  },
  Bisecting: {
    handler(given: unknown) {
      const ids = idsOf(given as StreamEvent);
      invocations.Bisecting.push(ids);
      if (ids.includes('bad')) throw new Error('A record is bad.');
    },
  },
  Filtered: { handler: (given: unknown) => void invocations.Filtered.push(idsOf(given as StreamEvent)) },
};

let app: HandWrittenApp;
let rehearsal: Rehearsal;
beforeAll(async () => {
  app = await handWrittenApp({
    Streams: {
      template: {
        Resources: {
          Table: table,
          Failures: { Type: 'AWS::SQS::Queue' },
          Partial: { Type: 'AWS::Lambda::Function', Properties: { Runtime: 'python3.13' } },
          Bisecting: { Type: 'AWS::Lambda::Function', Properties: { Runtime: 'nodejs24.x' } },
          Filtered: { Type: 'AWS::Lambda::Function', Properties: { Runtime: 'nodejs24.x' } },
          ReadPartially: mapping('Partial', {
            FunctionResponseTypes: ['ReportBatchItemFailures'],
            MaximumRetryAttempts: 2,
            ParallelizationFactor: 4,
            DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': ['Failures', 'Arn'] } } },
          }),
          ReadInHalves: mapping('Bisecting', { BisectBatchOnFunctionError: true, MaximumRetryAttempts: 1 }),
          ReadSome: mapping('Filtered', {
            FilterCriteria: { Filters: [{ Pattern: '{"dynamodb":{"NewImage":{"kind":{"S":["wanted"]}}}}' }] },
          }),
        },
      },
    },
  });
  rehearsal = await startRehearsal({ app, stubs, dynamoDb: await rehearsalDatabase() });
  const TableName = rehearsal.table('Table');
  for (const [id, kind] of [
    ['a', 'wanted'],
    ['slow', 'other'],
    ['bad', 'other'],
    ['z', 'wanted'],
  ] as const) {
    await rehearsal.dynamo.send(new PutItemCommand({ TableName, Item: { id: { S: id }, kind: { S: kind } } }));
  }
  const consumers = ['ReadPartially', 'ReadInHalves', 'ReadSome'].map((name) => rehearsal.streamConsumer(name));
  await eventually('the streams are read', async () => {
    for (const { lag, stats } of consumers) expect([stats.batches > 0, await lag()]).toEqual([true, 0]);
  });
});
afterAll(async () => {
  await rehearsal?.stop();
  await app[Symbol.asyncDispose]();
});

test('a record of a stream is handed over as DynamoDB writes it, with the event around it that Lambda gives', () => {
  expect(records[0]).toMatchObject({
    eventID: expect.any(String),
    eventName: 'INSERT',
    eventVersion: '1.1',
    eventSource: 'aws:dynamodb',
    awsRegion: 'us-east-1',
    eventSourceARN: expect.stringMatching(/^arn:aws:dynamodb:us-east-1:000000000000:table\/Streams-Table\/stream\//),
    dynamodb: {
      Keys: { id: { S: 'a' } },
      NewImage: { id: { S: 'a' }, kind: { S: 'wanted' } },
      SequenceNumber: expect.any(String),
      StreamViewType: 'NEW_AND_OLD_IMAGES',
      ApproximateCreationDateTime: expect.any(Number),
    },
  });
});

test('what comes before the first failed record of a batch is done, and the rest comes again until its tries are used up', async () => {
  const all = invocations.Partial.flat();
  expect(all.filter((id) => id === 'a')).toHaveLength(1);
  expect(all.filter((id) => id === 'bad').length).toBeGreaterThanOrEqual(3);
  const { stats, failures } = rehearsal.streamConsumer('ReadPartially');
  expect(stats.discarded).toBeGreaterThanOrEqual(1);
  expect(stats.redeliveries).toBeGreaterThan(0);
  // The destination is told where the records are, and does not get them.
  const [message] = await rehearsal.sqs.messages(failures?.name ?? '');
  expect(JSON.parse(message?.body ?? '{}')).toMatchObject({
    requestContext: { condition: 'RetryAttemptsExhausted', approximateInvokeCount: 3 },
    DDBStreamBatchInfo: { batchSize: expect.any(Number), streamArn: expect.stringContaining('/stream/') },
  });
  expect(message?.body).not.toContain('"bad"');
});

test('a batch that fails is halved until the bad record is alone, and all others are done', () => {
  expect(invocations.Bisecting.at(-1)).not.toContain('bad');
  const alone = invocations.Bisecting.filter((ids) => ids.length === 1 && ids[0] === 'bad');
  expect(alone).toHaveLength(2);
  const succeeded = invocations.Bisecting.filter((ids) => !ids.includes('bad')).flat();
  expect(succeeded.toSorted()).toEqual(['a', 'slow', 'z']);
  expect(rehearsal.streamConsumer('ReadInHalves').stats.discarded).toBe(1);
});

test('a record that no filter matches does not reach the function', () => {
  expect(invocations.Filtered.flat()).toEqual(['a', 'z']);
});

test('a property that a rehearsal does not act on is listed, with what it does instead', () => {
  const listed = rehearsal.notRun.map(({ construct, property, why }) => `${construct} ${property}: ${why}`);
  expect(listed).toContain('ReadPartially ParallelizationFactor: Each shard has one batch at a time.');
  expect(listed).toContain(
    'Table TimeToLiveSpecification: No item expires, but by the fault `ttl`. AWS deletes expired items within a few days.',
  );
  expect(rehearsal.notRun.find(({ construct }) => construct === 'Partial')).toMatchObject({ stubbed: true });
});
