import middy from '@middy/core';
import { describe, expect } from 'vitest';
import { type ClaimRecord, once, RejectedError } from '../../lib/index.ts';
import { sqsOnce } from '../../lib/middy/index.ts';
import { bodyField, deadLetterQueue, eachMessage } from '../../lib/sqs/index.ts';
import { type AppWrite, CommitRefusedError, commit, eachTransaction, inPhases } from '../../lib/transactions/index.ts';
import { context, event, failed, mapStore, never, promise, record, surroundings, thrownBy } from './kit.ts';

// Promises that do not hold yet. Not collected: each moves into a test file when it does.

const protocol = 'protocol';
const payment = { id: 'p-1' };
const dlq = 'https://sqs.eu-west-1.amazonaws.com/123456789012/orders-dlq';
type Order = { readonly id: string; readonly n?: number };

describe('records', () => {
  promise(
    `${protocol}, invariant 18`,
    'a record that a version does not know is left alone, with an error',
    'a record of a schema to come does not run, and stays as it is',
    async () => {
      const all = surroundings();
      const foreign = {
        id: 'pay#p-1',
        status: 'suspended',
        claimId: 'x',
        fence: 4,
        leaseUntil: 1,
        firstSeenAt: 1,
        attempts: 1,
        abandoned: 0,
        rev: 9,
        v: 3,
      } as unknown as ClaimRecord;
      all.claims.put(foreign);
      let runs = 0;
      const pay = once({ ...all.plain, onAbandoned: 'retry' }, () => ++runs);
      const end = all.time.now() + 30_000;
      const answer = await thrownBy(async () => {
        const outcome = await all.time.until(pay(payment, { remainingMs: () => end - all.time.now() }));
        expect(outcome).not.toMatchObject({ outcome: 'completed' });
      });
      expect(runs).toBe(0);
      expect(all.claims.get('pay#p-1')).toEqual(foreign);
      expect(answer).toBeInstanceOf(Error);
    },
  );
});

describe('messages', () => {
  promise(
    `${protocol}, invariant 15`,
    'each meets the store’s record, not its batch-mate’s payload',
    'a wrong payload that comes first in a batch does not keep the right one from being replayed',
    async () => {
      const all = surroundings();
      const handler = eachMessage<Order>(
        { ...all.common, onAbandoned: 'retry', deadLetters: deadLetterQueue(dlq) },
        () => {},
      );
      await all.time.until(handler(event(record({ id: 'same', n: 1 })), context(all.time)));
      const right = record({ id: 'same', n: 1 }, { id: 'right' });
      const wrong = record({ id: 'same', n: 2 }, { id: 'wrong' });
      const answer = await all.time.until(handler(event(wrong, right), context(all.time)));
      expect(failed(answer)).toEqual([]);
      expect(all.sqs.sent().map(({ MessageBody }) => MessageBody)).toEqual([wrong.body]);
    },
  );

  promise(
    'bodyField',
    'The key is a field of the body, by its path',
    'a path never finds what is inherited, a prototype, or the length of a text',
    async () => {
      for (const path of [
        'constructor.name',
        '__proto__.x',
        'toString',
        'text.length',
        'list.length',
        'missing.deep.er',
      ]) {
        const all = surroundings();
        let runs = 0;
        const handler = eachMessage<unknown>(
          { ...all.common, key: bodyField(path), onAbandoned: 'retry' },
          () => ++runs,
        );
        const one = record({ text: 'abc', list: [1, 2] });
        expect([path, failed(await all.time.until(handler(event(one), context(all.time))))]).toEqual([
          path,
          [one.messageId],
        ]);
        expect(runs).toBe(0);
      }
    },
  );
});

describe('sqsOnce', () => {
  for (const answer of [
    [],
    { batchItemFailure: [{ itemIdentifier: 'b' }] },
    { failures: ['b'] },
    'failed',
    false,
    new Error('returned, not thrown'),
  ]) {
    const shape = answer instanceof Error ? 'an error' : JSON.stringify(answer);
    promise(
      `${protocol}, invariant 17`,
      'What the author’s code does wrong (… answers in a shape that is not understood) may cost a retry or a parked claim; never … a completed claim for an effect that nobody confirmed',
      `a batch of two that is answered with ${shape} does not complete the second message`,
      async () => {
        const all = surroundings();
        const handler = middy(() => answer, { timeoutEarlyInMillis: 0 }).use(
          sqsOnce({ ...all.common, onAbandoned: 'park' }) as never,
        ) as unknown as (...given: unknown[]) => Promise<unknown>;
        const sent = event(record({ id: 'a' }, { id: 'a' }), record({ id: 'b' }, { id: 'b' }));
        await all.time.until(handler(sent, context(all.time)));
        expect(all.claims.get('pay#b')?.status).not.toBe('completed');
      },
    );
  }
});

describe('transactions', () => {
  const guide = 'docs/transactions.md';
  const writes: readonly AppWrite[] = [{ Put: { TableName: 'ledger', Item: { id: 'e-1' } } }];
  /** A store under which a condition of the application never holds. */
  const refusing = () => {
    const claims = mapStore();
    const refused = [{ index: 0, code: 'ConditionalCheckFailed', message: 'balance' }];
    return { ...claims, commit: async () => ({ applied: false as const, refused }) };
  };

  promise(
    guide,
    "with `onRefused: () => new RejectedError('insufficient balance')` it ends instead",
    'a transaction whose condition failed ends as onRefused says',
    async () => {
      const store = refusing();
      const all = surroundings();
      const onRefused = () => new RejectedError('insufficient balance');
      const handler = eachTransaction<{ id: string }>({ ...all.common, store, onRefused }, () => writes);
      await all.time.until(handler(event(record({ id: 'p-1' })), context(all.time)));
      expect(store.get('pay#p-1')?.status).toBe('rejected');
    },
  );

  promise(
    guide,
    'With a condition among the writes, catch `CommitRefusedError` and throw what it means',
    'a handler that answers a refused commit with a RejectedError ends its claim',
    async () => {
      const store = refusing();
      const all = surroundings({ store });
      const pay = once({ ...all.plain, onAbandoned: 'retry' }, async (_, claim) => {
        try {
          await commit(claim, writes);
        } catch (error) {
          if (error instanceof CommitRefusedError) throw new RejectedError('insufficient balance');
          throw error;
        }
      });
      expect(await thrownBy(() => all.time.until(pay(payment)))).toBeInstanceOf(RejectedError);
      expect(store.get('pay#p-1')?.status).toBe('rejected');
    },
  );

  promise(
    'Phases.onRefused',
    'Answers the error to fail with when a condition in `prepare` or `record` fails, e.g. a `RejectedError`',
    'three phases whose record is refused end as onRefused says',
    async () => {
      const store = refusing();
      const all = surroundings({ store });
      const pay = once(
        { ...all.plain, onAbandoned: 'retry' },
        inPhases<{ id: string }, string>({
          execute: () => 'declined',
          record: () => writes,
          onAbandoned: 'retry',
          onRefused: () => new RejectedError('insufficient balance'),
        }),
      );
      expect(await thrownBy(() => all.time.until(pay(payment)))).toBeInstanceOf(RejectedError);
      expect(store.get('pay#p-1')?.status).toBe('rejected');
    },
  );

  promise(
    'eachMessage',
    'Nothing starts that cannot end before the invocation does. The answer names exactly the messages that are to come again',
    'a transaction that is never answered does not keep its batch from being answered in time',
    async () => {
      const all = surroundings();
      const store = { ...mapStore(), commit: never };
      const handler = eachTransaction<{ id: string }>({ ...all.common, store }, () => writes);
      const one = record({ id: 'p-1' });
      expect(failed(await all.time.until(handler(event(one), context(all.time))))).toEqual([one.messageId]);
    },
  );
});
