import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { RejectedError } from '../../../lib/pawl/index.ts';
import { bodyField } from '../../../lib/pawl/sqs/index.ts';
import { dynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import {
  type AppWrite,
  CommitRefusedError,
  commit,
  eachTransaction,
  inPhases,
  transactionalStore,
} from '../../../lib/pawl/transactions/index.ts';
import { context, failuresOf, sqsEvent } from '../../support/lambda.ts';
import { loseAnswersOf } from '../../support/lost-answers.ts';
import { claimsTable, localClient } from '../../support/tables.ts';
import { aheadBy, type Order, order, setUp } from '../scenarios/support.ts';

/** An account with 1,000 in it, in a table of the application's. */
async function setUpBank() {
  const scenario = await setUp();
  const client = localClient(inject('dynamoEndpoint'));
  onTestFinished(() => client.destroy());
  const TableName = await claimsTable(client);
  const documents = DynamoDBDocumentClient.from(client);
  await documents.send(new PutCommand({ TableName, Item: { id: 'account', balance: 1000 } }));
  const requests: string[] = [];
  const watched = localClient(inject('dynamoEndpoint'));
  onTestFinished(() => watched.destroy());
  watched.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        requests.push(String(commandName));
        return next(args);
      },
    { step: 'finalizeRequest', name: 'countRequests' },
  );
  const store = transactionalStore(dynamoStore({ tableName: scenario.tableName, aws: sdk({ dynamodb: watched }) }));
  return {
    ...scenario,
    store,
    requests,
    watched,
    item: async (id: string) =>
      (await documents.send(new GetCommand({ TableName, Key: { id }, ConsistentRead: true }))).Item,
    /** Takes an amount, if it is there, and enters it once. */
    debit: ({ orderId, amount = 0 }: Order): AppWrite[] => [
      {
        Update: {
          TableName,
          Key: { id: 'account' },
          UpdateExpression: 'SET balance = balance - :n',
          ConditionExpression: 'balance >= :n',
          ExpressionAttributeValues: { ':n': amount },
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        },
      },
      { Put: { TableName, Item: { id: orderId, amount }, ConditionExpression: 'attribute_not_exists(id)' } },
    ],
  };
}

describe('commit', () => {
  it('applies the writes and completes the claim in one request, once', async () => {
    const { consumer, store, debit, item, read, requests } = await setUpBank();
    const pay = consumer(({ body }, claim) => commit(claim, debit(body)), { store });
    const message = order('a');
    expect(await pay(message)).toEqual([]);
    expect(requests).toEqual(['PutItemCommand', 'TransactWriteItemsCommand']);
    expect(await pay(message)).toEqual([]);
    expect(await item('account')).toMatchObject({ balance: 500 });
    expect(await item('a')).toMatchObject({ amount: 500 });
    expect(await read('a')).toMatchObject({ status: 'completed', attempts: 1 });
  });

  it('tells the application’s own condition from a lost claim, with what stands there; the claim is released', async () => {
    const { consumer, store, debit, read, item } = await setUpBank();
    let refused: unknown;
    const pay = consumer(
      async ({ body }, claim) => {
        await commit(claim, debit(body)).catch((error) => {
          refused = error;
          throw error;
        });
      },
      { store, onAbandoned: 'park' },
    );
    const message = order('a', 1001);
    expect(await pay(message)).toEqual([message.messageId]);
    expect(refused).toBeInstanceOf(CommitRefusedError);
    expect(refused).toMatchObject({
      refusals: [{ index: 0, code: 'ConditionalCheckFailed', item: { id: 'account', balance: 1000 } }],
    });
    expect(String(refused)).not.toContain('1000');
    expect(await read('a')).toMatchObject({ status: 'released', error: { name: 'CommitRefusedError' } });
    expect(await item('a')).toBeUndefined();
  });

  it('or ends, if the author says that it is final', async () => {
    const { consumer, store, debit, read } = await setUpBank();
    const pay = consumer(
      ({ body }, claim) =>
        commit(claim, debit(body)).catch(() => {
          throw new RejectedError('insufficient balance');
        }),
      { store },
    );
    await pay(order('a', 1001));
    expect(await read('a')).toMatchObject({ status: 'rejected', error: { message: 'insufficient balance' } });
  });

  it('of a worker that was taken over applies nothing', async () => {
    const { consumer, store, debit, item, read, typesOf } = await setUpBank();
    const late = aheadBy(60_000);
    const takeOver = consumer(({ body }, claim) => commit(claim, debit(body)), { store, host: late });
    const pay = consumer(
      async ({ body }, claim) => {
        await takeOver(message);
        await commit(claim, debit(body));
      },
      { store },
    );
    const message = order('a');
    expect(await pay(message)).toEqual([message.messageId]);
    expect(await item('account')).toMatchObject({ balance: 500 });
    expect(await read('a')).toMatchObject({ status: 'completed', attempts: 2 });
    expect(typesOf()).toContain('stale-claim');
  });

  it('whose answer is lost knows itself again', async () => {
    const { consumer, store, debit, item, watched, read } = await setUpBank();
    const lost = loseAnswersOf(watched);
    const pay = consumer(({ body }, claim) => commit(claim, debit(body)), { store });
    expect(await pay(order('a'))).toEqual([]);
    expect(lost()).toBe(2);
    expect(await item('account')).toMatchObject({ balance: 500 });
    expect(await read('a')).toMatchObject({ status: 'completed' });
  });

  it('is refused at once where the store cannot do it, or DynamoDB would not', async () => {
    const { consumer, store, debit, events } = await setUpBank();
    const said = () => JSON.stringify(events.at(-1));
    await consumer(({ body }, claim) => commit(claim, debit(body)))(order('a'));
    expect(said()).toContain('expected transactionalStore');
    await consumer((_, claim) => commit(claim, []), { store })(order('b'));
    expect(said()).toContain('writes: expected a list of 1 to 99 of them; got 0');
    await consumer((_, claim) => commit(claim, [{ Put: { TableName: 'nowhere', Item: { id: 'x' } } }]), { store })(
      order('c'),
    );
    expect(said()).toContain('nothing was committed: all writes: ResourceNotFoundException');
  });
});

describe('eachTransaction', () => {
  it('is one request for a new message, none more for its effect, and one read for one that came before', async () => {
    const { store, debit, item, read, requests, typesOf } = await setUpBank();
    const handler = eachTransaction<Order>(
      { operation: 'charge-order', store, key: bodyField('orderId') },
      ({ body }) => debit(body),
    );
    const pay = async (...messages: ReturnType<typeof order>[]) =>
      failuresOf(await handler(sqsEvent(...messages), context()));
    const message = order('a');
    expect(await pay(message)).toEqual([]);
    expect(requests).toEqual(['TransactWriteItemsCommand']);
    expect(await pay({ ...message, attributes: { ...message.attributes, ApproximateReceiveCount: '2' } })).toEqual([]);
    expect(requests).toEqual(['TransactWriteItemsCommand', 'BatchGetItemCommand']);
    expect(await pay(order('a'))).toEqual([]);
    expect(await item('account')).toMatchObject({ balance: 500 });
    expect(await read('a')).toMatchObject({ status: 'completed', attempts: 1, fence: 1 });
    expect(typesOf()).toEqual([]);
  });

  it('counts what fails as an attempt, and ends it as the author says', async () => {
    const { store, debit, read, item } = await setUpBank();
    const options = { operation: 'charge-order', store, key: bodyField('orderId'), backoffSeconds: () => undefined };
    const pay = eachTransaction<Order>(options, ({ body }) => debit(body));
    const message = order('a', 1001);
    expect(failuresOf(await pay(sqsEvent(message), context()))).toEqual([message.messageId]);
    expect(await read('a')).toMatchObject({ status: 'released', attempts: 1 });
    const final = eachTransaction<Order>(
      { ...options, onRefused: () => new RejectedError('insufficient balance') },
      ({ body }) => debit(body),
    );
    await final(sqsEvent(message), context());
    expect(await read('a')).toMatchObject({ status: 'rejected', attempts: 2 });
    expect(await item('account')).toMatchObject({ balance: 1000 });
  });

  it('two at the same instant from two workers: one of them', async () => {
    const { store, debit, item } = await setUpBank();
    const worker = () =>
      eachTransaction<Order>({ operation: 'charge-order', store, key: bodyField('orderId') }, ({ body }) =>
        debit(body),
      );
    const pairs = Array.from({ length: 20 }, (_, n) => `order-${n}`);
    const [one, other] = [worker(), worker()];
    const answers = await Promise.all(
      pairs.flatMap((id) => [one, other].map(async (pay) => failuresOf(await pay(sqsEvent(order(id, 10)), context())))),
    );
    expect(answers.flat()).toEqual([]);
    expect(await item('account')).toMatchObject({ balance: 800 });
  });
});

it('three phases: prepared with the claim, recorded with its completion', async () => {
  const { consumer, store, debit, read, requests, item } = await setUpBank();
  const seen: string[] = [];
  const [reserve, enter] = [
    ({ orderId, amount }: Order) => debit({ orderId: `reserved-${orderId}`, amount: amount ?? 0 }),
    debit,
  ];
  let answers = false;
  const pay = consumer(
    inPhases({
      prepare: ({ body }) => reserve(body),
      execute: async (_, { effectKey }) => {
        seen.push(effectKey);
        if (!answers) throw new Error('socket hang up');
        return { transfer: 'tr_1' };
      },
      record: ({ body }, { transfer }) => enter({ orderId: `${body.orderId}-${transfer}`, amount: 0 }),
      onAbandoned: 'retry',
    }),
    { store },
  );
  const message = order('a', 300);
  expect(await pay(message)).toEqual([message.messageId]);
  expect(await read('a')).toMatchObject({ status: 'released' });
  answers = true;
  requests.length = 0;
  expect(await pay({ ...message, attributes: { ...message.attributes, ApproximateReceiveCount: '2' } })).toEqual([]);
  // Read, claimed, the call kept, recorded: what was prepared is not prepared again.
  expect(requests).toEqual([
    'BatchGetItemCommand',
    'BatchExecuteStatementCommand',
    'BatchExecuteStatementCommand',
    'TransactWriteItemsCommand',
  ]);
  expect(seen).toEqual(['charge-order#a#execute', 'charge-order#a#execute']);
  expect(await item('account')).toMatchObject({ balance: 700 });
  expect(await item('a-tr_1')).toMatchObject({ amount: 0 });
  expect(await read('a')).toMatchObject({ status: 'completed', attempts: 2 });
});
