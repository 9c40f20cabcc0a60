import { DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { once } from '../../../../lib/pawl/index.ts';
import { dynamoOutbox } from '../../../../lib/pawl/outbox/index.ts';
import { bodyField, eachMessage, sentKey } from '../../../../lib/pawl/sqs/index.ts';
import { commit, commitStep, eachTransaction, inPhases } from '../../../../lib/pawl/transactions/index.ts';
import { context, failuresOf, sqsEvent, sqsRecord } from '../../../support/lambda.ts';
import { loseAnswersOf } from '../../../support/lost-answers.ts';
import { type Order, order } from '../../scenarios/support.ts';
import { receivedFrom, setUpOutbox } from './support.ts';

const receiptOf = (url: string, { orderId }: Order) => ({ to: url, key: `receipt/${orderId}`, body: { orderId } });

describe('a message in a commit', () => {
  it('is sent at once by the same invocation, and leaves nothing behind', async () => {
    const { consumer, store, put, message, receipts, sent, waiting, requests, typesOf, entry } = await setUpOutbox();
    const pay = consumer(
      ({ body }, claim) => commit(claim, [put(body.orderId), message(receiptOf(receipts.url, body))]),
      { store },
    );
    expect(await pay(order('a'))).toEqual([]);
    expect(await sent('receipts')).toEqual([{ orderId: 'a' }]);
    expect(await entry('a')).toEqual({ id: 'a' });
    expect(await waiting()).toEqual([]);
    expect(requests).toEqual(['PutItemCommand', 'TransactWriteItemsCommand', 'BatchExecuteStatementCommand']);
    expect(typesOf()).toEqual(['granted', 'message-sent', 'completed']);
  });

  it('reads the counter of a group once, for any number of messages of it', async () => {
    const { consumer, store, message, changes, requests } = await setUpOutbox();
    const change = (n: number) => message({ to: changes.url, key: `maria/${n}`, body: n, group: 'maria' });
    await consumer((_, claim) => commit(claim, [1, 2, 3].map(change)), { store })(order('a'));
    expect(requests.filter((name) => name === 'QueryCommand')).toHaveLength(1);
  });

  it('does not exist where a condition of the application refuses the commit', async () => {
    const { consumer, store, put, message, receipts, sent, waiting, ledger } = await setUpOutbox();
    const refused = {
      ConditionCheck: { TableName: ledger, Key: { id: 'none' }, ConditionExpression: 'attribute_exists(id)' },
    };
    const pay = consumer(
      ({ body }, claim) => commit(claim, [message(receiptOf(receipts.url, body)), put('a'), refused]),
      { store },
    );
    const one = order('a');
    expect(await pay(one)).toEqual([one.messageId]);
    expect(await sent('receipts')).toEqual([]);
    expect(await waiting()).toEqual([]);
  });

  it('does not count among the author’s writes where the author’s own one is refused', async () => {
    const { consumer, store, message, receipts, ledger } = await setUpOutbox();
    const refused = {
      ConditionCheck: { TableName: ledger, Key: { id: 'none' }, ConditionExpression: 'attribute_exists(id)' },
    };
    let indices: unknown;
    const pay = consumer(
      ({ body }, claim) =>
        commit(claim, [message(receiptOf(receipts.url, body)), refused]).catch((error) => {
          indices = error.refusals.map(({ index }: { index: number }) => index);
          throw error;
        }),
      { store },
    );
    await pay(order('a'));
    expect(indices).toEqual([1]);
  });

  it('whose answer is lost, and which is found applied, is sent', async () => {
    const { consumer, store, put, message, receipts, sent, waiting, watched } = await setUpOutbox();
    const lost = loseAnswersOf(watched);
    const pay = consumer(
      ({ body }, claim) => commit(claim, [put(body.orderId), message(receiptOf(receipts.url, body))]),
      { store },
    );
    expect(await pay(order('a'))).toEqual([]);
    expect(lost()).toBeGreaterThan(1);
    expect(await sent('receipts')).toEqual([{ orderId: 'a' }]);
    expect(await waiting()).toEqual([]);
  });

  it('is left to the relay where it is not to be sent at once, and sent once by it', async () => {
    const { consumer, store, put, message, receipts, sent, waiting, relayAll } = await setUpOutbox({ atOnceMs: 0 });
    const pay = consumer(
      ({ body }, claim) => commit(claim, [put(body.orderId), message(receiptOf(receipts.url, body))]),
      { store },
    );
    await pay(order('a'));
    expect(await sent('receipts')).toEqual([]);
    expect(await waiting()).toHaveLength(1);
    expect(await relayAll()).toEqual({ batchItemFailures: [] });
    expect(await relayAll()).toEqual({ batchItemFailures: [] });
    expect(await sent('receipts')).toEqual([{ orderId: 'a' }]);
    expect(await waiting()).toEqual([]);
  });

  it('goes with each door: steps, phases and transactions', async () => {
    const { consumer, store, put, message, receipts, sent, shared } = await setUpOutbox();
    const { message: again } = dynamoOutbox(shared);
    const own = (key: string) => message({ to: receipts.url, key, body: key });
    const steps = consumer(
      async (_, claim) => {
        await commitStep(claim, 'first', () => [put('s1'), own('step')]);
        await commit(claim, [
          put('s2'),
          own('commit'),
          again({ to: receipts.url, key: 'other', body: 'of another outbox' }),
        ]);
      },
      { store },
    );
    await steps(order('steps'));
    const phases = consumer(
      inPhases({
        prepare: () => [own('prepare')],
        execute: () => 1,
        record: () => [own('record')],
        onAbandoned: 'retry',
      }),
      { store },
    );
    await phases(order('phases'));
    const transactions = eachTransaction<Order>({ operation: 'post', store, key: bodyField('orderId') }, () => [
      own('transaction'),
    ]);
    expect(failuresOf(await transactions(sqsEvent(order('t')), context()))).toEqual([]);
    const all = ['step', 'commit', 'of another outbox', 'prepare', 'record', 'transaction'];
    expect((await sent('receipts')).sort()).toEqual(all.sort());
  });

  it('that the function of a commit has made and not returned is refused, at each door, and nothing is committed', async () => {
    const { store, put, message, receipts, sent, waiting, shared, events, entry } = await setUpOutbox();
    const noteFor = (key: string) => message({ to: receipts.url, key, body: key });
    const { onEvent } = shared;
    const lost = (key: string) => {
      noteFor(key);
      return [put(key)];
    };
    const options = { store, key: bodyField('orderId'), onEvent };
    const doors = {
      transaction: eachTransaction<Order>({ ...options, operation: 'a' }, ({ body }) => lost(body.orderId)),
      nothing: eachTransaction<Order>({ ...options, operation: 'b' }, ({ body }) => lost(body.orderId).slice(1)),
      step: eachMessage<Order>({ ...options, operation: 'c', onAbandoned: 'retry' }, ({ body }, claim) =>
        commitStep(claim, 'first', () => lost(body.orderId)),
      ),
      prepare: eachMessage<Order>(
        { ...options, operation: 'd', onAbandoned: 'retry' },
        inPhases({
          prepare: ({ body }) => lost(body.orderId),
          execute: () => 'done',
          record: ({ body }) => [put(`${body.orderId}/recorded`)],
          onAbandoned: 'retry',
        }),
      ),
      record: eachMessage<Order>(
        { ...options, operation: 'e', onAbandoned: 'retry' },
        inPhases({ execute: () => 'done', record: ({ body }) => lost(body.orderId), onAbandoned: 'retry' }),
      ),
    };
    for (const [name, handler] of Object.entries(doors)) {
      expect(failuresOf(await handler(sqsEvent(sqsRecord({ orderId: name })), context())), name).toHaveLength(1);
      expect(await entry(name), name).toBeUndefined();
      const released = events.filter(({ type }) => type === 'released');
      expect(released.at(-1), name).toMatchObject({ error: { message: expect.stringMatching(/made.*not returned/) } });
    }
    expect(await sent('receipts')).toEqual([]);
    expect(await waiting()).toEqual([]);
  });

  it('that is committed in another way, or made elsewhere, is no mistake of the function beside it', async () => {
    const { consumer, store, put, outbox, message, receipts, sent, waiting, shared, client, entry } =
      await setUpOutbox();
    const noteFor = (key: string) => message({ to: receipts.url, key, body: key });
    const made = noteFor('made before');
    const inner = once<string, void>(
      { operation: 'inner', store, key: (id) => id, onAbandoned: 'retry' },
      (id, claim) => commit(claim, [noteFor(`${id}/inner`)]),
    );
    const given = once<string, void>({ operation: 'given', store, key: (id) => id, onAbandoned: 'retry' }, (_, claim) =>
      commit(claim, [outer]),
    );
    let outer = made;
    const handler = eachTransaction<Order>(
      { operation: 'post', store, key: bodyField('orderId'), onEvent: shared.onEvent },
      async ({ body }) => {
        await inner(body.orderId);
        outer = noteFor(`${body.orderId}/given`);
        await given(body.orderId);
        const { writes } = await outbox.prepare([noteFor(`${body.orderId}/prepared`)]);
        await DynamoDBDocumentClient.from(client).send(new TransactWriteCommand({ TransactItems: [...writes] }));
        return [put(body.orderId), noteFor(body.orderId)];
      },
    );
    const beside = consumer(
      async (_, claim) => {
        noteFor('never committed');
        await commit(claim, [put('beside'), made]);
      },
      { store },
    );
    const both = [handler(sqsEvent(sqsRecord({ orderId: 'a' })), context()), beside(order('b'))];
    const [answer, failures] = await Promise.all(both);
    expect([failuresOf(answer), failures]).toEqual([[], []]);
    expect([await entry('a'), await entry('beside')]).toEqual([{ id: 'a' }, { id: 'beside' }]);
    expect(new Set(await sent('receipts'))).toEqual(new Set(['a', 'a/inner', 'a/given', 'made before']));
    expect(await waiting()).toMatchObject([{ key: 'a/prepared' }]);
  });

  it('is not sent for a copy of the order that comes when all is done: nothing of that was committed', async () => {
    const { store, message, receipts, sent, waiting } = await setUpOutbox();
    const post = eachTransaction<Order>({ operation: 'post', store, key: bodyField('orderId') }, () => [
      message({ to: receipts.url, key: 'receipt', body: 'receipt' }),
    ]);
    for (const copy of [order('a'), order('a')]) {
      expect(failuresOf(await post(sqsEvent(copy), context()))).toEqual([]);
    }
    expect(await sent('receipts')).toEqual(['receipt']);
    expect(await waiting()).toEqual([]);
  });

  it('has one effect in a consumer, in any number of copies', async () => {
    const { sqs, receipts, message, outbox, store } = await setUpOutbox();
    const writes = [message({ to: receipts.url, key: 'receipt/a', body: { a: 1 } })];
    const { sendNow } = await outbox.prepare(writes);
    await sendNow(10_000);
    await sendNow(10_000);
    const held = await sqs.messages('receipts');
    expect(held).toHaveLength(2);
    const done: unknown[] = [];
    const mail = eachMessage<unknown>(
      { operation: 'mail', store, key: sentKey(), onAbandoned: 'park', onEvent: () => undefined },
      async ({ body }) => void done.push(body),
    );
    const copies = await receivedFrom(sqs.client, receipts);
    await mail(copies, context());
    expect(done).toEqual([{ a: 1 }]);
  });
});
