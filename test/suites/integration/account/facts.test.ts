import { randomUUID } from 'node:crypto';
import { CreateTableCommand, DynamoDBClient, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { list, record } from '../../../../lib/rehearsal/engine/app/template.ts';
import { facts, findOut } from '../../../../proof/account/facts.ts';
import type { Probe } from '../../../../proof/account/probe.ts';
import { type StandInAnswer, type StandInCall, sqsAnswer, startStandIn } from '../../../support/stand-in.ts';

type Answer = (call: StandInCall) => StandInAnswer | undefined;

/** How AWS would answer, where DynamoDB Local cannot; and answers that the fact does not survive. */
interface Account {
  readonly right?: Answer;
  readonly wrong: Readonly<Record<string, Answer>>;
}

const on =
  (wanted: string, answer: StandInAnswer | ((call: StandInCall) => StandInAnswer | undefined)): Answer =>
  (call) =>
    call.operation === wanted ? (typeof answer === 'function' ? answer(call) : answer) : undefined;
const firstOf =
  (...answers: readonly Answer[]): Answer =>
  (call) => {
    for (const answer of answers) {
      const given = answer(call);
      if (given !== undefined) return given;
    }
    return undefined;
  };
const statements = (answers: readonly unknown[]) => on('BatchExecuteStatement', { body: { Responses: answers } });
const refusedAs = (Code: string, more: object = {}) => ({ Error: { Code, Message: Code, ...more } });
const item = { id: { S: 'x' }, rev: { N: '1' }, other: { S: 'other' } };

interface Seen {
  readonly at: number;
  readonly request: string;
  readonly what: string;
}
/** What the worker has noted, by a part of the id. */
const notes = (of: Readonly<Record<string, readonly Seen[]>>): Answer =>
  on('GetItem', ({ body }) => {
    const id = String(
      record(record(record(body['Key'])['id'])['S'] === undefined ? {} : record(body['Key'])['id'])['S'],
    );
    const found = Object.entries(of).find(([part]) => id.startsWith('note#') && id.includes(part))?.[1] ?? [];
    const seen = found.map(({ at, request, what }) => ({
      M: { at: { N: String(at) }, request: { S: request }, what: { S: what } },
    }));
    return { body: { Item: { id: { S: id }, seen: { L: seen } } } };
  });
const seen = (at: number, request = 'r1', what = 'sent-0'): Seen => ({ at, request, what });

const invocations =
  (of: Readonly<Record<string, unknown>>): Answer =>
  ({ operation }) => {
    const name = /functions\/([^/]+)\/invocations/.exec(operation)?.[1];
    return name === undefined ? undefined : { body: of[name] ?? {} };
  };
const carriedOut = { output: { Responses: [{}] } };
const denied = { error: { name: 'AccessDeniedException', message: 'no' } };
/** How the function under a condition on keys would be answered. */
const byKey =
  (answer: (asked: { readonly operation: string; readonly ids: readonly string[] }) => object): Answer =>
  ({ operation, body }) => {
    if (!operation.includes('functions/key/invocations')) return undefined;
    const asked = String(body['operation']);
    const ids = [...JSON.stringify(body['input']).matchAll(/"S":"([^"]+)"/g)].map(([, id = '']) => id);
    return { body: { ...answer({ operation: asked, ids }) } };
  };
const mappings =
  (answer: StandInAnswer): Answer =>
  ({ operation }) => {
    if (!operation.includes('event-source-mappings')) return undefined;
    return operation.startsWith('POST') ? answer : { body: { UUID: '1' } };
  };

const accounts: Readonly<Record<string, Account>> = {
  'insert-refused': {
    wrong: {
      'refuses as a failed condition': statements([refusedAs('ConditionalCheckFailed'), {}]),
      'comes with the item': statements([refusedAs('DuplicateItem', { Item: item }), {}]),
      'refuses the other one as well': statements([refusedAs('DuplicateItem'), refusedAs('DuplicateItem')]),
      'carries out neither, and says otherwise of one': statements([refusedAs('DuplicateItem'), {}]),
    },
  },
  'update-refused': {
    wrong: {
      'comes without the item': statements([refusedAs('ConditionalCheckFailed')]),
      'is carried out': statements([{}]),
      'has another name': statements([refusedAs('ConditionalCheckFailedException', { Item: item })]),
    },
  },
  'update-returning': {
    wrong: {
      'returns no item': statements([{}]),
      'returns the old item': statements([{ Item: item }]),
      'is refused': statements([refusedAs('ValidationError')]),
    },
  },
  'key-twice': {
    wrong: {
      'carries both out': statements([{}, {}]),
      'carries neither out': statements([refusedAs('DuplicateItem'), refusedAs('DuplicateItem')]),
    },
  },
  'statement-limit': {
    wrong: {
      'takes 26': on('BatchExecuteStatement', ({ body }) => ({
        body: { Responses: list(body['Statements']).map(() => ({})) },
      })),
      'refuses some of 25': on('BatchExecuteStatement', ({ body }) =>
        list(body['Statements']).length > 25
          ? { error: 'ValidationException' }
          : { body: { Responses: list(body['Statements']).map(() => refusedAs('ThrottlingError')) } },
      ),
    },
  },
  'put-refused': {
    wrong: {
      'comes without the item': on('PutItem', ({ body }) =>
        body['ConditionExpression'] === undefined ? undefined : { error: 'ConditionalCheckFailedException' },
      ),
      'is carried out': on('PutItem', {}),
    },
  },
  'transaction-refused': {
    wrong: {
      'comes without the item': on('TransactWriteItems', {
        error: 'TransactionCanceledException',
        body: { CancellationReasons: [{ Code: 'None' }, { Code: 'ConditionalCheckFailed' }] },
      }),
      'is carried out': on('TransactWriteItems', {}),
      'says one reason for all': on('TransactWriteItems', {
        error: 'TransactionCanceledException',
        body: { CancellationReasons: [{ Code: 'ConditionalCheckFailed', Item: item }] },
      }),
    },
  },
  'transaction-token': {
    wrong: {
      'is carried out twice': on('GetItem', { body: { Item: { id: { S: 'x' }, amount: { N: '2' } } } }),
      'takes other actions': on('TransactWriteItems', ({ body }) =>
        JSON.stringify(body).includes('{"N":"2"}') ? {} : undefined,
      ),
    },
  },
  'ttl-enabled': {
    wrong: {
      'is disabled': on('DescribeTimeToLive', { body: { TimeToLiveDescription: { TimeToLiveStatus: 'DISABLED' } } }),
      'is on another attribute': on('DescribeTimeToLive', {
        body: { TimeToLiveDescription: { TimeToLiveStatus: 'ENABLED', AttributeName: 'ttl' } },
      }),
    },
  },
  'partiql-permissions': {
    right: invocations({ statement: carriedOut, item: denied }),
    wrong: {
      'permits it by PutItem': invocations({ statement: carriedOut, item: carriedOut }),
      'denies it in spite of PartiQLInsert': invocations({ statement: denied, item: denied }),
      'refuses it for another reason': invocations({
        statement: carriedOut,
        item: { output: { Responses: [refusedAs('ThrottlingError')] } },
      }),
    },
  },
  'leading-keys': {
    right: byKey(({ ids }) => (ids.some((id) => !id.startsWith('mine#')) ? denied : carriedOut)),
    wrong: {
      'knows no keys of PartiQL, and refuses all': byKey(({ operation }) =>
        operation === 'BatchExecuteStatement' ? denied : carriedOut,
      ),
      'knows no keys of PartiQL, and permits all': byKey(({ operation, ids }) =>
        operation === 'BatchGetItem' && ids.some((id) => !id.startsWith('mine#')) ? denied : carriedOut,
      ),
      'permits another key beside its own': byKey(({ ids }) =>
        ids.some((id) => id.startsWith('mine#')) ? carriedOut : denied,
      ),
    },
  },
  'partial-responses': {
    right: firstOf(sqsAnswer, notes({ done: [seen(1)], failed: [seen(2), seen(3, 'r2')] })),
    wrong: {
      'brings the other one again': firstOf(
        sqsAnswer,
        notes({ done: [seen(1), seen(4, 'r2')], failed: [seen(2), seen(3, 'r2')] }),
      ),
      'does not bring the failed one again': firstOf(sqsAnswer, notes({ done: [seen(1)], failed: [seen(2)] })),
    },
  },
  'deferred-visibility': {
    right: firstOf(sqsAnswer, notes({ deferred: [seen(1_000), seen(9_200)] })),
    wrong: {
      'brings it at once': firstOf(sqsAnswer, notes({ deferred: [seen(1_000), seen(2_000)] })),
      "brings it after the queue's visibility timeout": firstOf(
        sqsAnswer,
        notes({ deferred: [seen(1_000), seen(61_500)] }),
      ),
      'does not bring it again': firstOf(sqsAnswer, notes({ deferred: [seen(1_000)] })),
    },
  },
  'redrive-new-id': {
    right: firstOf(sqsAnswer, on('StartMessageMoveTask', {}), notes({ redriven: [seen(1, 'r1', 'another-id')] })),
    wrong: {
      'keeps the id': firstOf(
        sqsAnswer,
        on('StartMessageMoveTask', {}),
        notes({ redriven: [seen(1, 'r1', 'sent-1')] }),
      ),
    },
  },
  'timeout-above-visibility': {
    right: mappings({ error: 'InvalidParameterValueException' }),
    wrong: { 'accepts it': mappings({ status: 202, body: { UUID: '1' } }) },
  },
  stream: {
    right: notes({ 'stream#': [seen(1, 'r', 'INSERT new'), seen(2, 'r', 'MODIFY old new')] }),
    wrong: {
      'brings no change': notes({}),
      'brings one change only': notes({ 'stream#': [seen(1, 'r', 'INSERT new')] }),
      'brings no image of before': notes({ 'stream#': [seen(1, 'r', 'INSERT new'), seen(2, 'r', 'MODIFY new')] }),
    },
  },
};

const TableName = `account-${randomUUID()}`;
const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
const cleanUp: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  const direct = new DynamoDBClient({ endpoint: inject('dynamoEndpoint'), region: 'us-east-1', credentials });
  await direct.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    }),
  );
  const TimeToLiveSpecification = { AttributeName: 'expiresAt', Enabled: true };
  await direct.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  direct.destroy();
});
afterEach(async () => {
  for (const stop of cleanUp.splice(0)) await stop();
});

async function probeOf(answer: Answer): Promise<Probe> {
  const standIn = await startStandIn(answer, inject('dynamoEndpoint'));
  const config = { endpoint: standIn.endpoint, region: 'us-east-1', credentials, maxAttempts: 1 };
  const [dynamo, sqs, lambda] = [new DynamoDBClient(config), new SQSClient(config), new LambdaClient(config)];
  cleanUp.push(async () => {
    for (const client of [dynamo, sqs, lambda]) client.destroy();
    await standIn.stop();
  });
  const resources = {
    ...{ Table: TableName, Queue: `${standIn.endpoint}/1/queue`, QueueArn: 'arn:aws:sqs:us-east-1:1:queue' },
    ...{ DeadLetters: `${standIn.endpoint}/1/dead`, DeadLettersArn: 'arn:aws:sqs:us-east-1:1:dead' },
    ...{
      ShortQueueArn: 'arn:aws:sqs:us-east-1:1:short',
      ByStatement: 'statement',
      ByItem: 'item',
      ByKey: 'key',
      Worker: 'worker',
    },
  };
  return { dynamo, sqs, lambda, resources, patienceMs: 40, run: randomUUID() };
}

test('every fact has answers that confirm it, and answers that refute it', () => {
  expect(Object.keys(accounts).toSorted()).toEqual(facts.map(({ id }) => id).toSorted());
});

describe.each(facts)('$id', (fact) => {
  const { right = () => undefined, wrong } = accounts[fact.id] ?? { wrong: {} };

  test('is confirmed by what AWS documents', async () => {
    const { kind, seen } = await findOut(fact, await probeOf(right));
    expect(kind, seen).toBe('confirmed');
  });

  test.each(Object.entries(wrong))('is refuted if the account %s', async (_, answer) => {
    const { kind, seen } = await findOut(fact, await probeOf(answer));
    expect(kind, seen).toBe('refuted');
  });

  test('is not found out, and neither confirmed nor refuted, if the account denies the check', async () => {
    const answer = () => ({ error: 'AccessDeniedException', body: { message: 'not permitted' } });
    const finding = await findOut(fact, await probeOf(answer));
    expect(finding).toMatchObject({ kind: 'unknown', seen: expect.stringContaining('AccessDenied') });
  });
});
