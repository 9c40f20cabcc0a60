import { createServer } from 'node:http';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import middy from '@middy/core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { onceOverHttp } from '../../../lib/pawl/http/index.ts';
import { type ClaimEvent, type ClaimStore, failOpen, once } from '../../../lib/pawl/index.ts';
import { dynamoLockStore, resourceLocks } from '../../../lib/pawl/locks/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { bodyField, deadLetterQueue, eachMessage, sendOnce } from '../../../lib/pawl/sqs/index.ts';
import { dynamoStore, individualDynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { eachTransaction, transactionalStore } from '../../../lib/pawl/transactions/index.ts';
import { apiGatewayV2 } from '../../support/http-events.ts';
import { context, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { claimsTable, localClient } from '../../support/tables.ts';
import { expectAdvice, type Mistake, untyped } from '../mistakes/mistake.ts';

/** Tables as users make them for something else. Each test run has a server of its own. */
const tables = {
  'with-a-sort-key': [
    ['id', 'HASH', 'S'],
    ['sk', 'RANGE', 'S'],
  ],
  'with-another-key': [['pk', 'HASH', 'S']],
  'with-a-number': [['id', 'HASH', 'N']],
} as const;

/** What AWS answers, as it documents it. DynamoDB Local and fauxqs permit everything. */
const refusals = {
  denied: {
    type: 'com.amazon.coral.service#AccessDeniedException',
    message:
      'User: arn:aws:sts::123456789012:assumed-role/fn/fn is not authorized to perform: dynamodb:PutItem on resource: ' +
      'arn:aws:dynamodb:eu-west-1:123456789012:table/claims because no identity-based policy allows the dynamodb:PutItem action',
  },
  deniedOfSqs: {
    type: 'com.amazonaws.sqs#AccessDeniedException',
    message:
      'User: arn:aws:sts::123456789012:assumed-role/fn/fn is not authorized to perform: sqs:sendmessage on resource',
  },
  expired: {
    type: 'com.amazon.coral.service#ExpiredTokenException',
    message: 'The security token included in the request is expired',
  },
};
let refusal = refusals.denied;
let client: DynamoDBClient;
let refusing: DynamoDBClient;
let refusingSqs: SQSClient;
const server = createServer((_, response) => {
  response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
  response.end(JSON.stringify({ __type: refusal.type, message: refusal.message }));
});

beforeAll(async () => {
  client = localClient(inject('dynamoEndpoint'));
  for (const [TableName, keys] of Object.entries(tables)) {
    await client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: keys.map(([AttributeName, , AttributeType]) => ({ AttributeName, AttributeType })),
        KeySchema: keys.map(([AttributeName, KeyType]) => ({ AttributeName, KeyType })),
      }),
    );
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const endpoint = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  refusing = new DynamoDBClient({ endpoint, region: 'eu-west-1', credentials, maxAttempts: 1 });
  refusingSqs = new SQSClient({
    endpoint,
    region: 'eu-west-1',
    credentials,
    maxAttempts: 1,
    useQueueUrlAsEndpoint: false,
  });
});

afterAll(async () => {
  client.destroy();
  refusing.destroy();
  refusingSqs.destroy();
  await new Promise((resolve) => server.close(resolve));
});

let ran = 0;
const handle = () => {
  ran += 1;
};

interface Answered {
  readonly error: Error | undefined;
  readonly response: unknown;
  readonly events: readonly ClaimEvent[];
}

/** Hands one order, or several, to a consumer. */
async function deliver(store: ClaimStore, more: object = {}, count = 3): Promise<Answered> {
  const events: ClaimEvent[] = [];
  const onEvent = (event: ClaimEvent) => events.push(event);
  const options = {
    operation: 'orders',
    store,
    key: bodyField('orderId'),
    onAbandoned: 'retry',
    onEvent,
    aws: sdk({ sqs: refusingSqs }),
  };
  const handler = eachMessage(untyped({ ...options, ...more }), handle);
  const records = Array.from({ length: count }, (_, index) => sqsRecord({ orderId: index }));
  try {
    return { error: undefined, response: await handler(sqsEvent(...records), context()), events };
  } catch (error) {
    return { error: error as Error, response: undefined, events };
  }
}

const stores = {
  dynamoStore: (tableName: string) => dynamoStore({ tableName, aws: sdk({ dynamodb: client }) }),
  individualDynamoStore: (tableName: string) => individualDynamoStore({ tableName, aws: sdk({ dynamodb: client }) }),
  transactionalStore: (tableName: string) =>
    transactionalStore(dynamoStore({ tableName, aws: sdk({ dynamodb: client }) })),
};

const wrongKey = "expected the partition key 'id' of type string, and no sort key";
const ofTables: readonly Mistake[] = Object.entries(stores).flatMap(([name, storeOf]) => [
  {
    mistake: `${name} of a table that is not there`,
    make: async () => (await deliver(storeOf('claims-of-another-region'))).error?.message,
    wrong: "the table 'claims-of-another-region' does not exist in the region us-east-1",
    expected: "partition key 'id' of type string, TTL on 'expiresAt'",
    toDo: 'or correct tableName or the region',
    code: 'missing-table' as const,
  },
  ...Object.keys(tables).map((table) => ({
    mistake: `${name} of a table ${table}`,
    make: async () => (await deliver(storeOf(table))).error?.message,
    wrong: `the table '${table}' has the wrong key`,
    expected: wrongKey,
    toDo: 'create another table',
    code: 'wrong-table-key' as const,
  })),
]);

const call = (store: ClaimStore) =>
  once({ operation: 'o', store, key: () => 'k', onAbandoned: 'retry', onEvent: () => undefined }, handle).outcome({});

const mistakes: readonly Mistake[] = [
  ...ofTables,
  {
    mistake: 'a lock store of a table with a sort key',
    make: () =>
      resourceLocks({
        store: dynamoLockStore(dynamoStore({ tableName: 'with-a-sort-key', aws: sdk({ dynamodb: client }) })),
      }).lockAll(['debt'], {
        holder: 'h',
      }),
    wrong: "the table 'with-a-sort-key' has the wrong key",
    expected: wrongKey,
    toDo: 'create another table',
    code: 'wrong-table-key',
  },
  {
    mistake: 'once with a table that is not there',
    make: () => call(stores.dynamoStore('no-claims')),
    wrong: "nothing was run: the claims store failed: the table 'no-claims' does not exist",
    expected: "partition key 'id' of type string",
    toDo: 'Create it',
    code: 'missing-table',
  },
  {
    mistake: 'a producer with a table that is not there',
    make: () => {
      const store = stores.dynamoStore('no-claims');
      const send = sendOnce({ operation: 'o', store, queueUrl: 'https://sqs/q', onEvent: () => undefined });
      return send({ key: 'k', body: {} });
    },
    wrong: "nothing was sent: the claims store failed: the table 'no-claims' does not exist",
    expected: "partition key 'id' of type string",
    toDo: 'Create it',
    code: 'missing-table',
  },
  {
    mistake: 'a role without a permission on the table',
    make: async () => {
      refusal = refusals.denied;
      return (await deliver(dynamoStore({ tableName: 'claims', aws: sdk({ dynamodb: refusing }) }))).error?.message;
    },
    wrong: "the role may not perform dynamodb:PutItem on the table 'claims'",
    expected: 'Grant it: claimsTable.grantClaims(fn)',
    toDo: 'or allow dynamodb:PutItem in its policy',
    code: 'access-denied',
  },
  {
    mistake: 'a role without a permission for locks',
    make: () => {
      refusal = refusals.denied;
      const store = dynamoLockStore(dynamoStore({ tableName: 'claims', aws: sdk({ dynamodb: refusing }) }));
      return resourceLocks({ store }).lockAll(['debt'], { holder: 'h' });
    },
    wrong: "the role may not perform dynamodb:PutItem on the table 'claims'",
    expected: 'Grant it: claimsTable.grantLocks(fn)',
    toDo: 'or allow dynamodb:PutItem in its policy',
    code: 'access-denied',
  },
  {
    mistake: 'credentials that have expired',
    make: () => {
      refusal = refusals.expired;
      return call(individualDynamoStore({ tableName: 'claims', aws: sdk({ dynamodb: refusing }) }));
    },
    wrong: "the table 'claims' was not reached: AWS refused the credentials (ExpiredTokenException)",
    expected: 'they have expired, or are not valid',
    toDo: 'Renew them (`aws sso login`, for example)',
    code: 'credentials',
  },
  {
    mistake: 'a role without a permission on the dead-letter queue',
    make: async () => {
      refusal = refusals.deniedOfSqs;
      const store = dynamoStore({ tableName: await claimsTable(client), aws: sdk({ dynamodb: client }) });
      const { events } = await deliver(store, {
        key: () => undefined,
        deadLetters: deadLetterQueue('https://sqs/dead'),
      });
      return events.flatMap((event) => (event.type === 'queue-call-failed' ? event.error.message : []))[0];
    },
    wrong: 'the role may not perform sqs:sendmessage on the queue for dead letters',
    expected: 'Grant it: queue.grantSendMessages(fn)',
    toDo: 'in its policy',
    code: 'access-denied',
  },
  {
    mistake: 'a role that may not defer a message',
    make: async () => {
      refusal = { ...refusals.deniedOfSqs, message: 'Access to the resource is denied.' };
      const store = dynamoStore({ tableName: await claimsTable(client), aws: sdk({ dynamodb: client }) });
      const fails = {
        key: () => {
          throw new Error('a bug');
        },
      };
      const { events } = await deliver(store, fails);
      return events.flatMap((event) => (event.type === 'queue-call-failed' ? event.error.message : []))[0];
    },
    wrong: 'the role may not perform sqs:ChangeMessageVisibility on the queue orders',
    expected: 'Grant it: queue.grantConsumeMessages(fn)',
    toDo: 'or allow sqs:ChangeMessageVisibility in its policy',
    code: 'access-denied',
  },
];

describe('a table, a queue or a permission', () => {
  test.each(mistakes)('of $mistake: says what is wrong, what was expected and what to do', expectAdvice);
});

describe('a table that cannot be used', () => {
  test.each(Object.keys(stores))(
    'fails the invocation of %s at once: nothing runs, nothing is dead-lettered, no message is lost',
    async (name) => {
      ran = 0;
      const store = stores[name as keyof typeof stores]('with-a-sort-key');
      const { error, events } = await deliver(store, { deadLetters: deadLetterQueue('https://sqs/dead') }, 30);
      expect(error).toMatchObject({ name: 'SetupError', code: 'wrong-table-key' });
      expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['store-unavailable']));
      expect(ran).toBe(0);
    },
  );

  test('fails it also where a message was received before, and is looked up first', async () => {
    const store = stores.dynamoStore('with-another-key');
    const handler = eachMessage(
      untyped({ operation: 'o', store, key: () => 'k', onAbandoned: 'retry', onEvent: () => 0 }),
      handle,
    );
    const record = sqsRecord({}, { receiveCount: 3, group: 'g' });
    const behind = sqsRecord({}, { receiveCount: 3, group: 'g' });
    await expect(handler(sqsEvent(record, behind), context())).rejects.toMatchObject({ code: 'wrong-table-key' });
  });

  test('fails the invocation of a batch handler behind Middy, and of a transaction', async () => {
    ran = 0;
    const options = { operation: 'o', key: () => 'k', onEvent: () => undefined };
    const store = stores.transactionalStore('no-claims');
    const wrapped = middy(async () => handle()).use(sqsOnce(untyped({ ...options, store, onAbandoned: 'retry' })));
    await expect(wrapped(sqsEvent(sqsRecord({})) as never, context() as never)).rejects.toMatchObject({
      code: 'missing-table',
    });
    expect(ran).toBe(0);
    const committing = eachTransaction(untyped({ ...options, store }), () => [
      { Put: { TableName: 'no-claims', Item: { id: 'x' } } },
    ]);
    await expect(committing(sqsEvent(sqsRecord({})), context())).rejects.toMatchObject({ code: 'missing-table' });
  });

  test('does not fail the invocation where a message has got somewhere: what is done must not come again', async () => {
    const events: ClaimEvent[] = [];
    const good = dynamoStore({ tableName: await claimsTable(client), aws: sdk({ dynamodb: client }) });
    const bad = stores.dynamoStore('no-claims');
    const storeOf = (id: string) => (id.endsWith('#0') ? good : bad);
    const store: ClaimStore = { read: (id) => storeOf(id).read(id), write: (one) => storeOf(one.next.id).write(one) };
    const { error, response } = await deliver(store, { onEvent: (event: ClaimEvent) => events.push(event) });
    expect(error).toBeUndefined();
    expect(response).toMatchObject({ batchItemFailures: [{}, {}] });
    expect(events.map(({ type }) => type)).toContain('completed');
  });

  test('is asked once: an earlier retry is wasted', async () => {
    let requests = 0;
    const counted = localClient(inject('dynamoEndpoint'));
    counted.middlewareStack.add(
      (next) => (args) => {
        requests += 1;
        return next(args);
      },
      { step: 'initialize', name: 'count' },
    );
    const store = dynamoStore({ tableName: 'no-claims', aws: sdk({ dynamodb: counted }) });
    const locks = resourceLocks({
      store: dynamoLockStore(dynamoStore({ tableName: 'no-claims', aws: sdk({ dynamodb: counted }) })),
    });
    const asked = async (work: () => Promise<unknown>) => {
      requests = 0;
      await work().catch(() => undefined);
      return requests;
    };
    const record = { id: 'o#1', v: 1, rev: 1, status: 'in-flight', claimId: 'c', fence: 1, attempts: 1, abandoned: 0 };
    // A change of a record that was seen is a statement, whose error is inside of a response that is none.
    expect(await asked(() => store.write(untyped({ next: { ...record, rev: 2 }, seen: record })))).toBe(1);
    expect(await asked(() => locks.lockAll(['debt'], { holder: 'h' }))).toBe(1);
    const send = sendOnce({ operation: 'o', store, queueUrl: 'https://sqs/q', onEvent: () => undefined });
    expect(await asked(() => send({ key: 'k', body: {} }))).toBe(1);
    counted.destroy();
  });

  test('is a 503 of an API, whose event names the table', async () => {
    const events: ClaimEvent[] = [];
    const options = {
      operation: 'o',
      store: stores.dynamoStore('no-claims'),
      onAbandoned: 'park',
      caller: 'anyone',
    } as const;
    const handler = onceOverHttp({ ...options, onEvent: (event) => events.push(event) }, handle);
    const sent = apiGatewayV2({ headers: { 'idempotency-key': '"k"' }, body: '{}' });
    expect(await handler(sent, context())).toMatchObject({ statusCode: 503 });
    expect(events).toMatchObject([{ type: 'store-unavailable', error: { name: 'SetupError' } }]);
    expect(events).toMatchObject([
      { error: { message: expect.stringContaining("the table 'no-claims' does not exist") } },
    ]);
  });

  test('lets an effect run where the author says so, who hears why', async () => {
    const heard: unknown[] = [];
    ran = 0;
    await call(failOpen(stores.dynamoStore('no-claims'), (error) => heard.push(error)));
    expect(ran).toBe(1);
    expect(heard).toMatchObject([{ code: 'missing-table' }, { code: 'missing-table' }]);
  });

  test('has a code on the error that once rejects with, whose cause is DynamoDB’s own', async () => {
    await expect(call(stores.dynamoStore('no-claims'))).rejects.toMatchObject({
      name: 'StoreUnavailableError',
      code: 'missing-table',
      cause: { name: 'SetupError', cause: { name: 'ResourceNotFoundException' } },
    });
  });
});
