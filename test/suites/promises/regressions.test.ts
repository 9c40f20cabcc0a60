import middy from '@middy/core';
import { describe, expect } from 'vitest';
import {
  type ClaimRecord,
  canonicalJson,
  canonicalValue,
  FingerprintError,
  memoryStore,
  OptionError,
  once,
  RejectedError,
  RetryableError,
} from '../../../lib/pawl/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { metricEvents } from '../../../lib/pawl/observe/index.ts';
import { bodyField, deadLetterQueue, eachMessage } from '../../../lib/pawl/sqs/index.ts';
import {
  type AppWrite,
  CommitRefusedError,
  commit,
  eachTransaction,
  inPhases,
} from '../../../lib/pawl/transactions/index.ts';
import { context, event, failed, mapStore, never, promise, record, surroundings, thrownBy } from './kit.ts';

// Promises that were once broken.

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
      const pay = once({ ...all.plain, onAbandoned: 'retry' }, () => ++runs).outcome;
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
  const guide = 'docs/guides/transactions.md';
  const writes: readonly AppWrite[] = [{ Put: { TableName: 'ledger', Item: { id: 'e-1' } } }];
  /** A store under which a condition of the application never holds. */
  const refusing = () => {
    const claims = mapStore();
    const refused = [{ index: 0, code: 'ConditionalCheckFailed', message: 'balance' }];
    return { ...claims, commit: async () => ({ applied: false as const, refused }) };
  };

  promise(
    guide,
    "To reject the message instead, pass `onRefused: () => new RejectedError('insufficient balance')`",
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
    'If the writes have a condition, catch `CommitRefusedError`, and throw the error that it means for your handler',
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
      }).outcome;
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
      ).outcome;
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

// biome-ignore lint/suspicious/noExplicitAny: misuse that the types forbid
type Any = any;

describe('the fingerprint', () => {
  promise(
    'docs/guides/deployments.md',
    'declare the earlier rule for as long as those messages can come again',
    'a key that was recorded by the previous rule is accepted until its time, and another intent never is',
    async () => {
      const all = surroundings();
      let runs = 0;
      const until = new Date(all.time.now() + 3_600_000).toISOString();
      const handler = (fingerprint: Any) =>
        eachMessage<Any>({ ...all.common, fingerprint, onAbandoned: 'retry' }, () => ++runs);
      const deliver = async (fingerprint: Any, body: unknown) =>
        failed(await all.time.until(handler(fingerprint)(event(record(body, { id: 'm' })), context(all.time))))
          .length === 0;
      const after = { ignore: ['traceId'], previous: { ignore: [], until } };
      const first = { id: 'a', n: 1, traceId: 't' };
      expect(await deliver({ ignore: [] }, first)).toBe(true);
      expect(await deliver(after, first)).toBe(true);
      expect(await deliver(after, { ...first, n: 2 })).toBe(false);
      expect(await deliver({ ignore: ['traceId'] }, first)).toBe(false);
      expect(all.of('key-reused').map((one: Any) => one.ruleChanged)).toContain(true);
      await all.time.advance(3_700_000);
      expect(await deliver(after, { id: 'b', n: 1, traceId: 't' })).toBe(true);
      expect(await deliver(after, { id: 'b', n: 1, traceId: 'u' })).toBe(true);
      expect(runs).toBe(2);
    },
  );

  promise(
    'docs/reference/fingerprint.md',
    'A refusal is a `FingerprintError`. Its message names the problem and the path',
    'the refusal of a cycle says where it is',
    async () => {
      const cycle: Any = {};
      cycle.self = cycle;
      const error = await thrownBy(() => canonicalValue({ deep: [{ bad: cycle }] }));
      expect(String(error)).toContain('bad');
    },
  );

  promise(
    'docs/reference/fingerprint.md',
    'nesting beyond 500 levels | refused',
    '501 levels are refused',
    async () => {
      const deep = `${'['.repeat(501)}${']'.repeat(501)}`;
      expect(await thrownBy(() => canonicalJson(deep))).toBeInstanceOf(FingerprintError);
    },
  );
});

describe('options', () => {
  const valid: Any = { operation: 'pay', store: memoryStore(), key: () => 'k', onAbandoned: 'retry' };
  for (const [option, what, misuse] of [
    ['maxAttempts', 'maxAttempts 0', () => once({ ...valid, maxAttempts: 0 }, () => 1).outcome],
    ['maxAbandoned', 'maxAbandoned 0', () => once({ ...valid, maxAbandoned: 0 }, () => 1).outcome],
    ['recordResult', "recordResult 'false'", () => once({ ...valid, recordResult: 'false' }, () => 1).outcome],
    ['backoffSeconds', 'a back-off that is a number', () => eachMessage({ ...valid, backoffSeconds: 10 }, () => 1)],
    [
      'store',
      'eachTransaction over a store without commit',
      () => eachTransaction({ ...valid, onAbandoned: undefined }, () => []),
    ],
    ['namespace', 'metrics without a namespace', () => metricEvents({ namespace: '' })],
  ] as const) {
    promise(
      'OptionError',
      'An option was missing or out of range. Thrown when the consumer is set up, never while messages are handled',
      `${what} is an OptionError that names ${option}`,
      async () => {
        const error = await thrownBy(misuse);
        expect(error).toBeInstanceOf(OptionError);
        expect((error as Error).message).toContain(option);
      },
    );
  }
});

describe('batch-mates', () => {
  promise(
    `${protocol}, invariant 15`,
    'each meets the store’s record, not its batch-mate’s payload',
    'a retry is not dead-lettered for another payload that came before it in the batch: it runs',
    async () => {
      const all = surroundings();
      let runs = 0;
      const options = { ...all.common, onAbandoned: 'retry', deadLetters: deadLetterQueue(dlq) } as const;
      const handler = eachMessage<Order>(options, () => {
        if (++runs === 1) throw new RetryableError('429');
      });
      const right = record({ id: 'same', n: 1 }, { id: 'right' });
      await all.time.until(handler(event(right), context(all.time)));
      const wrong = record({ id: 'same', n: 2 }, { id: 'wrong' });
      const again = { ...right, attributes: { ...right.attributes, ApproximateReceiveCount: '2' } };
      expect(failed(await all.time.until(handler(event(wrong, again), context(all.time))))).toEqual([]);
      expect(all.sqs.sent().map(({ MessageBody }) => MessageBody)).toEqual([wrong.body]);
      expect(runs).toBe(2);
    },
  );

  promise(
    `${protocol}, invariant 15`,
    'each meets the store’s record, not its batch-mate’s payload',
    'sqsOnce: a retry is not dead-lettered for another payload that came before it in the batch: it runs',
    async () => {
      const all = surroundings();
      let runs = 0;
      const handler = middy(
        (sent: { Records: readonly { messageId: string }[] }) => {
          if (++runs === 1)
            return { batchItemFailures: sent.Records.map(({ messageId }) => ({ itemIdentifier: messageId })) };
          return { batchItemFailures: [] };
        },
        { timeoutEarlyInMillis: 0 },
      ).use(
        sqsOnce({ ...all.common, onAbandoned: 'retry', deadLetters: deadLetterQueue(dlq) }) as never,
      ) as unknown as (...given: unknown[]) => Promise<unknown>;
      const right = record({ id: 'same', n: 1 }, { id: 'right' });
      await all.time.until(handler(event(right), context(all.time)));
      const wrong = record({ id: 'same', n: 2 }, { id: 'wrong' });
      await all.time.until(handler(event(wrong, right), context(all.time)));
      expect(all.sqs.sent().map(({ MessageBody }) => MessageBody)).toEqual([wrong.body]);
      expect(runs).toBe(2);
    },
  );
});
