import { describe, expect } from 'vitest';
import { type ClaimEvent, memoryStore, RejectedError, RetryableError, reconcile } from '../../../lib/pawl/index.ts';
import {
  bodyField,
  compositeKey,
  deadLetterQueue,
  eachMessage,
  type Message,
  messageAttribute,
  sentKey,
} from '../../../lib/pawl/sqs/index.ts';
import { resolverOf } from '../../support/resolver-of.ts';
import {
  context,
  event,
  failed,
  fakeSqs,
  mapStore,
  mischievous,
  never,
  promise,
  record,
  surroundings,
  wait,
} from './kit.ts';

const protocol = 'protocol';
const readme = 'README.md';
const promised = 'docs/explanation/promise.md';
const howItWorks = 'docs/explanation/how-it-works.md';
const handlerErrors = 'docs/reference/handler-errors.md';
const dlq = 'https://sqs.eu-west-1.amazonaws.com/123456789012/orders-dlq';
const fifoDlq = `${dlq}.fifo`;
type Order = { readonly id: string; readonly n?: number };

describe('a batch', () => {
  promise(
    `${protocol}, invariant 10`,
    '`batchItemFailures` is exactly the unfinished messages',
    'of a batch that ends in every way, exactly the unfinished messages are named',
    async () => {
      const all = surroundings();
      const handler = eachMessage<Order>(
        { ...all.common, onAbandoned: 'retry', deadLetters: deadLetterQueue(dlq) },
        ({ body }) => {
          if (body.id === 'retryable') throw new RetryableError('x');
          if (body.id === 'rejected') throw new RejectedError('x');
          if (body.id === 'unknown') throw new Error('x');
          if (body.id === 'undefined') throw undefined;
        },
      );
      const records = ['fine', 'retryable', 'rejected', 'unknown', 'undefined', 'fine'].map((id, i) =>
        record({ id }, { id: `m${i}` }),
      );
      const bad = [
        record('no json', { id: 'm6' }),
        record({ no: 'key' }, { id: 'm7' }),
        record({ other: 'key' }, { id: 'm8' }),
      ];
      const answer = await all.time.until(handler(event(...records, ...bad), context(all.time)));
      expect(failed(answer)).toEqual(['m1', 'm3', 'm4']);
      const buried = all.sqs.sent().map(({ MessageAttributes }) => MessageAttributes['pawl-reason'].StringValue);
      expect(buried.sort()).toEqual(['invalid-message', 'missing-key', 'missing-key', 'rejected']);
    },
  );

  promise(
    `${protocol}, a batch`,
    'Keys repeated inside one batch run once and share the outcome',
    'a key that is repeated in a batch runs once, and all its messages end alike',
    async () => {
      for (const ends of ['returns', 'throws', 'parks'] as const) {
        const all = surroundings();
        let runs = 0;
        const handler = eachMessage<Order>({ ...all.common, onAbandoned: ends === 'parks' ? 'park' : 'retry' }, () => {
          runs++;
          if (ends !== 'returns') throw new Error('x');
        });
        const records = Array.from({ length: 5 }, () => record({ id: 'same' }));
        const answer = await all.time.until(handler(event(...records), context(all.time)));
        expect(runs).toBe(1);
        const ids = records.map(({ messageId }) => messageId).sort();
        expect(failed(answer)).toEqual(ends === 'returns' ? [] : ids);
      }
    },
  );

  promise(
    `${protocol}, invariant 15`,
    'What one message of a batch says never decides about another: each meets the store’s record, not its batch-mate’s payload',
    'the same key with two payloads in one batch: the first runs, the other is key-reused and never acknowledged as done',
    async () => {
      const all = surroundings();
      const ran: unknown[] = [];
      const handler = eachMessage<Order>(
        { ...all.common, onAbandoned: 'retry', deadLetters: deadLetterQueue(dlq) },
        ({ body }) => {
          ran.push(body.n);
        },
      );
      const records = [record({ id: 'same', n: 1 }), record({ id: 'same', n: 2 }), record({ id: 'same', n: 1 })];
      const answer = await all.time.until(handler(event(...records), context(all.time)));
      expect(ran).toEqual([1]);
      expect(failed(answer)).toEqual([]);
      expect(all.sqs.sent().map((one) => [one.MessageBody, one.MessageAttributes['pawl-reason'].StringValue])).toEqual([
        [records[1]?.body, 'key-reused'],
      ]);
    },
  );

  promise(
    handlerErrors,
    'Without `deadLetters: deadLetterQueue(url)` it fails until the queue’s own redrive policy moves it',
    'without a dead-letter queue, and with one that refuses, what can never run stays on the queue',
    async () => {
      const sqs = fakeSqs(({ name }) => (name.startsWith('SendMessage') ? new Error('AccessDenied') : undefined));
      for (const deadLetters of [undefined, deadLetterQueue(dlq)]) {
        const all = surroundings({ sqs });
        const handler = eachMessage<Order>({ ...all.common, onAbandoned: 'park', deadLetters }, () => {
          throw new RejectedError('x');
        });
        const records = [record('no json'), record({}), record({ id: 'rejected' })];
        const answer = await all.time.until(handler(event(...records), context(all.time)));
        expect(failed(answer)).toEqual(records.map(({ messageId }) => messageId).sort());
      }
    },
  );

  promise(
    `${protocol}, invariant 6`,
    'A message is acknowledged only when confirmed, or durably parked or dead-lettered',
    'a dead letter that SQS fails inside of an HTTP 200 is not acknowledged',
    async () => {
      const sqs = fakeSqs();
      sqs.client.middlewareStack.add(
        (next, about) => async (args) => {
          const answer = await next(args);
          if (String(about['commandName']) !== 'SendMessageBatchCommand') return answer;
          const [one] = (args.input as { Entries: { Id: string }[] }).Entries;
          const output = {
            $metadata: {},
            Successful: [],
            Failed: [{ Id: one?.Id, Code: 'InternalError', SenderFault: false }],
          };
          return { ...answer, output: output as never };
        },
        { step: 'initialize', priority: 'high', name: 'failedInside' },
      );
      const all = surroundings({ sqs });
      const handler = eachMessage<Order>(
        { ...all.common, onAbandoned: 'park', deadLetters: deadLetterQueue(dlq) },
        () => {},
      );
      const batched = await all.time.until(handler(event(record('no json', { id: 'm1' })), context(all.time)));
      const sentInBatches = sqs.calls.some(({ name }) => name === 'SendMessageBatchCommand');
      expect(failed(batched)).toEqual(sentInBatches ? ['m1'] : []);
    },
  );

  promise(
    handlerErrors,
    'A message that can never run goes to the dead-letter queue with the message attributes `pawl-reason` and `pawl-error`',
    'what does not match the schema is dead-lettered with its reason, and nothing of the body is quoted in it',
    async () => {
      const all = surroundings();
      const schema = {
        '~standard': {
          validate: (value: unknown) =>
            (value as { amount?: number }).amount === 1
              ? { value: value as Order }
              : { issues: [{ path: ['amount'], message: 'secret 4711' }] },
        },
      };
      let runs = 0;
      const handler = eachMessage<Order>(
        { ...all.common, schema, onAbandoned: 'park', deadLetters: deadLetterQueue(dlq) },
        () => ++runs,
      );
      const wrong = record({ id: 'a', amount: 'secret 4711' });
      expect(failed(await all.time.until(handler(event(wrong), context(all.time))))).toEqual([]);
      const [letter] = all.sqs.sent();
      expect(letter.MessageBody).toBe(wrong.body);
      expect(letter.MessageAttributes['pawl-reason'].StringValue).toBe('invalid-message');
      expect(letter.MessageAttributes['pawl-source-message-id'].StringValue).toBe(wrong.messageId);
      expect(letter.MessageAttributes['pawl-error'].StringValue).not.toContain('4711');
      expect(JSON.stringify(all.heard)).not.toContain('4711');
      expect(runs).toBe(0);
    },
  );

  promise(
    `${protocol}, a batch`,
    'Work is bounded by `concurrency`',
    'no more handlers are at work than concurrency says, and all messages are done',
    async () => {
      const all = surroundings();
      let now = 0;
      let most = 0;
      const handler = eachMessage<Order>({ ...all.common, onAbandoned: 'retry', concurrency: 3 }, async () => {
        most = Math.max(most, ++now);
        await wait(all.time, 50);
        now--;
      });
      const records = Array.from({ length: 20 }, (_, i) => record({ id: `o-${i}` }));
      expect(failed(await all.time.until(handler(event(...records), context(all.time))))).toEqual([]);
      expect(most).toBe(3);
    },
  );

  promise(
    'eachMessage',
    'Nothing starts that cannot end before the invocation does. The answer names exactly the messages that are to come again',
    'messages whose turn comes too late are neither started nor claimed, and come again',
    async () => {
      const all = surroundings();
      const started: string[] = [];
      const handler = eachMessage<Order>(
        { ...all.common, onAbandoned: 'park', concurrency: 1, timeoutMs: 4_000 },
        async ({ body }) => {
          started.push(body.id);
          await wait(all.time, 4_000);
        },
      );
      const records = Array.from({ length: 10 }, (_, i) => record({ id: `o-${i}` }));
      const answer = await all.time.until(handler(event(...records), context(all.time, 15_000)));
      expect(started.length).toBeLessThan(4);
      expect(failed(answer)).toEqual(
        records
          .slice(started.length)
          .map(({ messageId }) => messageId)
          .sort(),
      );
      const claimed = all.claims
        .all()
        .filter(({ status }) => status !== 'released')
        .map(({ id }) => id);
      expect(claimed.sort()).toEqual(started.map((id) => `pay#${id}`).sort());
    },
  );

  promise(
    'SqsOptions.backoffSeconds',
    'A quarter of it is added or taken away at random. @default 10, 30, 90, 270, 810, then 900',
    'what failed is invisible for the back-off of its receive count',
    async () => {
      for (const [receiveCount, seconds] of [
        [1, 10],
        [2, 30],
        [3, 90],
        [4, 270],
        [5, 810],
        [6, 900],
        [40, 900],
      ] as const) {
        const all = surroundings();
        const handler = eachMessage<Order>({ ...all.common, onAbandoned: 'retry' }, () => {
          throw new Error('x');
        });
        const one = record({ id: 'a' }, { receiveCount });
        await all.time.until(handler(event(one), context(all.time)));
        const set = all.sqs.visibility().get(one.receiptHandle) ?? -1;
        expect(set).toBeGreaterThanOrEqual(Math.floor(seconds * 0.75));
        expect(set).toBeLessThanOrEqual(Math.ceil(seconds * 1.25));
      }
    },
  );

  promise(
    howItWorks,
    'If a duplicate arrives while the first copy runs, it goes back to the queue until that copy’s lease can have ended',
    'a duplicate in flight is deferred beyond the lease and the skew, and is not acknowledged',
    async () => {
      const all = surroundings();
      const handler = eachMessage<Order>({ ...all.common, onAbandoned: 'retry' }, never);
      handler(event(record({ id: 'a' })), context(all.time, 40_000)).catch(() => {});
      await all.time.advance(100);
      const twin = record({ id: 'a' });
      const mate = record({ id: 'b' });
      const other = eachMessage<Order>({ ...all.common, onAbandoned: 'retry' }, () => {});
      const answer = await all.time.until(other(event(twin, mate), context(all.time, 40_000)));
      expect(failed(answer)).toEqual([twin.messageId]);
      expect(all.sqs.visibility().get(twin.receiptHandle)).toBeGreaterThanOrEqual(40);
      expect(all.sqs.visibility().get(mate.receiptHandle)).toBeUndefined();
    },
  );

  promise(
    'SqsOptions.onInFlight',
    'only another message is discarded: the same one, delivered again, is deferred, and so is a duplicate of a claim that was taken without this option',
    'under discard another copy is acknowledged, and the one at work is not, nor any where that is not known',
    async () => {
      const all = surroundings();
      const options = { ...all.common, onAbandoned: 'retry', onInFlight: 'discard' } as const;
      const at = () => ({ firstReceivedAt: all.time.now() });
      eachMessage<Order>(options, never)(event(record({ id: 'a' }, { id: 'm-1', ...at() })), context(all.time, 40_000));
      eachMessage<Order>({ ...options, onInFlight: 'defer' }, never)(
        event(record({ id: 'b' })),
        context(all.time, 40_000),
      );
      await all.time.advance(5_000);
      const ends: Record<string, boolean> = {};
      const copies = {
        fresh: record({ id: 'a' }, at()),
        early: record({ id: 'a' }, { firstReceivedAt: all.time.now() - 5_500 }),
        undated: record({ id: 'a' }),
        again: record({ id: 'a' }, { id: 'm-1', receiveCount: 2, firstReceivedAt: all.time.now() - 5_000 }),
        byAnAheadClock: record({ id: 'a' }, { id: 'm-1', ...at() }),
        ofAClaimWithoutTheOption: record({ id: 'b' }, at()),
      };
      for (const [name, one] of Object.entries(copies)) {
        const answer = await all.time.until(eachMessage<Order>(options, never)(event(one), context(all.time, 40_000)));
        ends[name] = failed(answer).length === 0;
      }
      expect(ends).toEqual({
        fresh: true,
        early: true,
        undated: true,
        again: false,
        byAnAheadClock: false,
        ofAClaimWithoutTheOption: false,
      });
    },
  );

  promise(
    'RetryableError',
    'The message stays invisible for so long',
    'a RetryableError with retryAfterMs sets the visibility by it',
    async () => {
      const all = surroundings();
      const handler = eachMessage<Order>({ ...all.common, onAbandoned: 'park' }, () => {
        throw new RetryableError('429', { retryAfterMs: 120_000 });
      });
      const one = record({ id: 'a' });
      expect(failed(await all.time.until(handler(event(one), context(all.time))))).toEqual([one.messageId]);
      expect(all.sqs.visibility().get(one.receiptHandle)).toBeGreaterThanOrEqual(120);
    },
  );

  promise(
    `${protocol}, time`,
    'nothing is awaited that can hang: … a visibility change',
    'calls to SQS that fail do not change the answer, and what failed is still named',
    async () => {
      const sqs = fakeSqs(() => new Error('AccessDenied'));
      const all = surroundings({ sqs });
      const handler = eachMessage<Order>({ ...all.common, onAbandoned: 'retry' }, ({ body }) => {
        if (body.id === 'b') throw new Error('x');
      });
      const records = [record({ id: 'a' }), record({ id: 'b' })];
      expect(failed(await all.time.until(handler(event(...records), context(all.time))))).toEqual([
        records[1]?.messageId,
      ]);
      expect(all.of('queue-call-failed').length).toBeGreaterThan(0);
    },
  );

  promise(
    readme,
    'When the table cannot be reached, nothing runs and the messages stay on their queue',
    'with a store that refuses or hangs, all messages come again, and the handler is not called',
    async () => {
      for (const how of ['refuse', 'hang', 'lose-answer'] as const) {
        const all = surroundings({ store: mischievous(mapStore(), () => how) });
        let runs = 0;
        const handler = eachMessage<Order>(
          { ...all.common, onAbandoned: 'retry', deadLetters: deadLetterQueue(dlq) },
          () => ++runs,
        );
        const records = [record({ id: 'a' }), record({ id: 'b' }, { receiveCount: 3 })];
        const start = all.time.now();
        const answer = await all.time.until(handler(event(...records), context(all.time)));
        expect(failed(answer)).toEqual(records.map(({ messageId }) => messageId).sort());
        expect(all.time.now() - start).toBeLessThan(30_000);
        expect(runs).toBe(0);
      }
    },
  );

  promise(
    promised,
    'If an effect has happened and cannot be recorded, its message is acknowledged and not repeated. pawl reports `completion-lost`',
    'a message whose completion cannot be written is acknowledged before the invocation ends',
    async () => {
      for (const how of ['refuse', 'hang'] as const) {
        const store = mischievous(mapStore(), ({ write }) => (write?.next.status === 'completed' ? how : undefined));
        const all = surroundings({ store });
        const handler = eachMessage<Order>({ ...all.common, onAbandoned: 'retry' }, (_, claim) =>
          all.bank.apply(claim.effectKey),
        );
        const start = all.time.now();
        const answer = await all.time.until(handler(event(record({ id: 'a' })), context(all.time)));
        expect(all.time.now() - start).toBeLessThan(30_000);
        expect(failed(answer)).toEqual([]);
        expect(all.of('completion-lost')).toHaveLength(1);
      }
    },
  );

  promise(
    `${protocol}, invariant 17`,
    'What the author’s code does wrong … may cost a retry or a parked claim; never a lost message',
    'an effect that is not awaited and fails, and a handler that changes its message, lose nothing',
    async () => {
      const all = surroundings();
      const handler = eachMessage<Order>({ ...all.common, onAbandoned: 'park' }, async (message, claim) => {
        const order = message.body as { id: string };
        if (order.id === 'floats')
          void claim.effect(async () => {
            await wait(all.time, 2_000);
            throw new Error('not heard');
          });
        if (order.id === 'changes') {
          Object.assign(message.record, { messageId: 'stolen', body: '{}', receiptHandle: 'stolen' });
          order.id = 'other';
          throw new Error('x');
        }
      });
      const records = ['floats', 'changes', 'fine'].map((id) => record({ id }, { id }));
      const answer = await all.time.until(handler(event(...records), context(all.time)));
      expect(failed(answer)).toEqual(['changes', 'floats']);
      expect(all.claims.get('pay#fine')?.status).toBe('completed');
      for (const id of ['floats', 'changes']) expect(all.claims.get(`pay#${id}`)?.status).toBe('parked');
      expect(all.claims.get('pay#other')).toBeUndefined();
    },
  );

  promise(
    `${protocol}, invariant 17`,
    'What the author’s code does wrong (… never settles …) may cost a retry or a parked claim; never a lost message',
    'a handler that never settles has its batch come again: its mates are recorded by then, and it is parked alone',
    async () => {
      const all = surroundings();
      const ran: string[] = [];
      const options = { ...all.common, onAbandoned: 'park', deadLetters: deadLetterQueue(dlq) } as const;
      const handler = eachMessage<Order>(options, async ({ body }) => {
        ran.push(body.id);
        if (body.id === 'hangs') await never();
      });
      const records = ['hangs', 'a', 'b'].map((id) => record({ id }, { id }));
      let answer: unknown;
      handler(event(...records), context(all.time)).then((given) => {
        answer = given;
      });
      await all.time.advance(30_000);
      // Whatever is answered by then must not acknowledge it.
      if (answer !== undefined) expect(failed(answer)).toEqual(['hangs']);
      await all.time.advance(60_000);
      const again = records.map((one) => ({ ...one, attributes: { ApproximateReceiveCount: '2' } }));
      expect(failed(await all.time.until(handler(event(...again), context(all.time))))).toEqual([]);
      expect(ran.sort()).toEqual(['a', 'b', 'hangs']);
      expect(all.sqs.sent()).toMatchObject([{ MessageBody: records[0]?.body }]);
    },
  );

  promise(
    `${protocol}, invariant 17`,
    'What the author’s code does wrong … never a lost message, an unhandled rejection',
    'key, fingerprint, classify, backoffSeconds and attributes that throw cost no batch-mate anything',
    async () => {
      const bug = (): never => {
        throw undefined;
      };
      for (const broken of ['key', 'fingerprint', 'classify', 'backoffSeconds', 'attributes'] as const) {
        const all = surroundings();
        let runs = 0;
        const handler = eachMessage<Order>(
          {
            ...all.common,
            onAbandoned: 'retry',
            [broken]: (given: unknown) => {
              const { body } = given as Partial<Message<Order>>;
              if (broken === 'classify' || broken === 'backoffSeconds' || body?.id === 'bad') bug();
              if (broken === 'key') return body?.id;
              return broken === 'attributes' ? {} : 'text';
            },
          },
          ({ body }) => {
            runs++;
            if (body.id === 'bad') throw new Error('x');
          },
        );
        const records = [record({ id: 'bad' }, { id: 'bad' }), record({ id: 'good' }, { id: 'good' })];
        const answer = await all.time.until(handler(event(...records), context(all.time)));
        expect([broken, failed(answer)]).toEqual([broken, ['bad']]);
        expect(runs).toBeGreaterThan(0);
      }
    },
  );
});

describe('FIFO', () => {
  promise(
    `${protocol}, invariant 8`,
    'FIFO order holds per group, and nothing of a group runs after its failed predecessor',
    'in a group the first failure stops the rest of it, and other groups are done in order',
    async () => {
      const all = surroundings();
      const ran: string[] = [];
      const handler = eachMessage<Order>({ ...all.common, onAbandoned: 'retry' }, async ({ body }) => {
        ran.push(body.id);
        await wait(all.time, body.id.startsWith('a1') ? 500 : 10);
        if (body.id === 'a2') throw new Error('x');
      });
      const records = ['a1', 'b1', 'a2', 'b2', 'a3', 'b3', 'a4'].map((id) =>
        record({ id }, { id, group: id.slice(0, 1) }),
      );
      const answer = await all.time.until(handler(event(...records), context(all.time)));
      expect(failed(answer)).toEqual(['a2', 'a3', 'a4']);
      expect(ran.filter((id) => id.startsWith('a'))).toEqual(['a1', 'a2']);
      expect(ran.filter((id) => id.startsWith('b'))).toEqual(['b1', 'b2', 'b3']);
    },
  );

  promise(
    `${protocol}, a batch`,
    'in a message group the first failure (or deferral) stops the rest of *that group* only',
    'a deferral stops its group: nothing of it runs after a message whose twin is in flight',
    async () => {
      const all = surroundings();
      eachMessage<Order>({ ...all.common, onAbandoned: 'retry' }, never)(
        event(record({ id: 'a1' }, { group: 'a' })),
        context(all.time),
      ).catch(() => {});
      await all.time.advance(100);
      const ran: string[] = [];
      const handler = eachMessage<Order>({ ...all.common, onAbandoned: 'retry' }, ({ body }) => void ran.push(body.id));
      const records = ['a1', 'b1', 'a2'].map((id) => record({ id }, { id, group: id.slice(0, 1) }));
      const answer = await all.time.until(handler(event(...records), context(all.time)));
      expect(failed(answer)).toEqual(['a1', 'a2']);
      expect(ran).toEqual(['b1']);
    },
  );

  promise(
    `${protocol}, a batch`,
    '`MessageGroupId` on a standard queue means fairness, not order',
    'a group of a standard queue does not stop at a failure',
    async () => {
      const all = surroundings();
      const handler = eachMessage<Order>({ ...all.common, onAbandoned: 'retry' }, ({ body }) => {
        if (body.id === 'a1') throw new Error('x');
      });
      const records = ['a1', 'a2', 'a3'].map((id) => record({ id }, { id, group: 'a', fifo: false }));
      expect(failed(await all.time.until(handler(event(...records), context(all.time))))).toEqual(['a1']);
    },
  );

  promise(
    'deadLetterQueue',
    'FIFO if the consumer’s own queue is',
    'a message that can never run leaves its FIFO group with its group id, and the rest of the group runs after it, in the same batch or the next',
    async () => {
      const all = surroundings();
      const ran: string[] = [];
      const handler = eachMessage<Order>(
        { ...all.common, onAbandoned: 'retry', deadLetters: deadLetterQueue(fifoDlq) },
        ({ body }) => void ran.push(body.id),
      );
      const next = record({ id: 'a2' }, { id: 'a2', group: 'a' });
      const answer = await all.time.until(
        handler(event(record('no json', { id: 'a1', group: 'a' }), next), context(all.time)),
      );
      expect(failed(answer)).not.toContain('a1');
      if (failed(answer).includes('a2')) await all.time.until(handler(event(next), context(all.time)));
      expect(ran).toEqual(['a2']);
      expect(all.sqs.sent()).toMatchObject([{ MessageGroupId: 'a' }]);
      expect(all.sqs.sent()[0].MessageDeduplicationId).toBeTruthy();
    },
  );

  promise(
    `${protocol}, invariant 8`,
    'nothing of a group runs after its failed predecessor',
    'when a dead letter of a FIFO group cannot be sent, nothing of the group is acknowledged after it',
    async () => {
      const sqs = fakeSqs(({ name }) => (name.startsWith('SendMessage') ? new Error('no') : undefined));
      const all = surroundings({ sqs });
      const handler = eachMessage<Order>(
        { ...all.common, onAbandoned: 'retry', deadLetters: deadLetterQueue(fifoDlq) },
        () => {},
      );
      const records = [record('no json', { id: 'a1', group: 'a' }), record({ id: 'a2' }, { id: 'a2', group: 'a' })];
      const answer = await all.time.until(handler(event(...records), context(all.time)));
      expect(failed(answer)).toContain('a1');
    },
  );

  promise(
    `${protocol}, a batch`,
    'Keys repeated inside one batch run once and share the outcome',
    'a key repeated in two groups runs once, and its group goes on only if it is done',
    async () => {
      const all = surroundings();
      const ran: string[] = [];
      const handler = eachMessage<Order>({ ...all.common, onAbandoned: 'retry' }, async ({ body }) => {
        ran.push(body.id);
        await wait(all.time, 20);
        if (body.id === 'same') throw new Error('x');
      });
      const records = [
        record({ id: 'same' }, { id: 'a1', group: 'a' }),
        record({ id: 'a-next' }, { id: 'a2', group: 'a' }),
        record({ id: 'same' }, { id: 'b1', group: 'b' }),
        record({ id: 'b-next' }, { id: 'b2', group: 'b' }),
      ];
      const answer = await all.time.until(handler(event(...records), context(all.time)));
      expect(failed(answer)).toEqual(['a1', 'a2', 'b1', 'b2']);
      expect(ran).toEqual(['same']);
    },
  );
});

describe('parked messages', () => {
  promise(
    `${protocol}, the abandoned policy`,
    "'park': never twice. The claim is parked, the message goes to the dead-letter queue with the reason, a person or a job resolves it",
    'a parked message is dead-lettered once, stays parked on redrive, and runs or not as the operator resolves it',
    async () => {
      for (const [verdict, runs, outcome] of [
        ['applied', 1, 'completed'],
        ['not-applied', 2, 'completed'],
        ['retry', 2, 'completed'],
      ] as const) {
        const all = surroundings();
        let calls = 0;
        const handler = eachMessage<Order>(
          { ...all.common, onAbandoned: 'park', deadLetters: deadLetterQueue(dlq) },
          () => {
            if (++calls === 1) throw new Error('504');
          },
        );
        const deliver = async () =>
          failed(await all.time.until(handler(event(record({ id: 'a' })), context(all.time))));
        expect(await deliver()).toEqual([]);
        expect(await deliver()).toEqual([]);
        expect(all.sqs.sent().map(({ MessageAttributes }) => MessageAttributes['pawl-reason'].StringValue)).toEqual([
          'parked',
          'parked',
        ]);
        const parked = resolverOf({ operation: 'pay', store: all.claims });
        expect(await parked.resolve('a', verdict, { by: 'maria', note: 'looked' })).toMatchObject({
          outcome: 'resolved',
        });
        expect(await parked.resolve('a', verdict, { by: 'jo', note: 'too late' })).toMatchObject({
          outcome: 'not-in-doubt',
        });
        expect(await deliver()).toEqual([]);
        expect(calls).toBe(runs);
        expect(all.claims.get('pay#a')).toMatchObject({
          status: outcome,
          resolution: { verdict, by: 'maria', note: 'looked' },
        });
      }
    },
  );

  promise(
    'docs/guides/recover.md',
    'If the claim has been granted since, the doubt is another one. Nothing changes, and `resolve` returns `another-doubt`',
    'a resolution with an old fence does not decide a later doubt',
    async () => {
      const all = surroundings();
      const handler = eachMessage<Order>(
        { ...all.common, onAbandoned: 'park', deadLetters: deadLetterQueue(dlq) },
        () => {
          throw new Error('504');
        },
      );
      const deliver = () => all.time.until(handler(event(record({ id: 'a' })), context(all.time)));
      await deliver();
      const parked = resolverOf({ operation: 'pay', store: all.claims });
      const looked = await parked.read('a');
      await parked.resolve('a', 'not-applied', { by: 'maria', note: 'no trace' });
      await deliver();
      const late = await parked.resolve('a', 'applied', { by: 'jo', note: 'of the first', fence: looked?.fence });
      expect(late).toMatchObject({ outcome: 'another-doubt' });
      expect(all.claims.get('pay#a')?.status).toBe('parked');
    },
  );

  promise(
    'ResolveResult',
    'Nothing is known of this key',
    'a key that nobody has seen is unknown, and is not created by a resolution',
    async () => {
      const store = memoryStore();
      const parked = resolverOf({ operation: 'pay', store });
      expect(await parked.resolve('nobody', 'applied', { by: 'maria', note: '' })).toEqual({
        id: 'pay#nobody',
        outcome: 'unknown-key',
      });
      expect(store.records()).toEqual([]);
    },
  );

  promise(
    promised,
    'A message that kills its workers runs alone, after the rest of its batch',
    'a message whose worker died runs after its batch-mates, with nobody beside it',
    async () => {
      const all = surroundings();
      eachMessage<Order>({ ...all.common, onAbandoned: 'retry' }, never)(
        event(record({ id: 'poison' })),
        context(all.time, 5_000),
      ).catch(() => {});
      await all.time.advance(60_000);
      const at: string[] = [];
      const handler = eachMessage<Order>({ ...all.common, onAbandoned: 'retry' }, async ({ body }) => {
        at.push(`+${body.id}`);
        await wait(all.time, 100);
        at.push(`-${body.id}`);
      });
      const records = [
        record({ id: 'poison' }, { receiveCount: 2, id: 'poison' }),
        record({ id: 'a' }),
        record({ id: 'b' }),
      ];
      const answer = await all.time.until(handler(event(...records), context(all.time)));
      const alone = at.slice(-2).join() === '+poison,-poison' && at.length === 6;
      const later = failed(answer).join() === 'poison' && !at.includes('+poison');
      expect([alone, later]).toContain(true);
    },
  );
});

describe('keys of messages', () => {
  promise(
    'compositeKey',
    'The key is made of several parts, all of which must be there. `a` + `bc` and `ab` + `c` are different keys',
    'composite keys keep their parts apart, and a missing part is a missing key',
    async () => {
      const all = surroundings();
      const effectKeys = new Set<string>();
      const handler = eachMessage<{ a: string; b: string }>(
        { ...all.common, key: compositeKey(bodyField('a'), bodyField('b')), onAbandoned: 'retry' },
        (_, claim) => void effectKeys.add(claim.effectKey),
      );
      const pairs = [
        ['a', 'bc'],
        ['ab', 'c'],
        ['a/b', 'c'],
        ['a', 'b/c'],
        ['a%2Fb', 'c'],
        ['a%', 'c'],
        ['a\\', '/c'],
        ['a\\/', 'c'],
      ];
      const records = pairs.map(([a, b]) => record({ a, b }));
      const halves = [
        record({ a: 'x' }, { id: 'h1' }),
        record({ b: 'x' }, { id: 'h2' }),
        record({ a: '', b: 'x' }, { id: 'h3' }),
      ];
      const answer = await all.time.until(handler(event(...records, ...halves), context(all.time)));
      expect(failed(answer)).toEqual(['h1', 'h2', 'h3']);
      expect(effectKeys.size).toBe(pairs.length);
    },
  );

  promise(
    'messageAttribute',
    'The key is a message attribute, as a producer that keeps its key over its own retries sends it',
    'messages with the same attribute are one, and without it none runs',
    async () => {
      for (const [key, name] of [
        [messageAttribute('request-id'), 'request-id'],
        [sentKey(), 'idempotency-key'],
      ] as const) {
        const all = surroundings();
        let runs = 0;
        const handler = eachMessage<Order>({ ...all.common, key, onAbandoned: 'retry' }, () => ++runs);
        const records = [
          record({ id: 'a' }, { attributes: { [name]: 'k' } }),
          record({ id: 'a' }, { attributes: { [name]: 'k' } }),
          record({ id: 'a' }, { id: 'none' }),
        ];
        expect(failed(await all.time.until(handler(event(...records), context(all.time))))).toEqual(['none']);
        expect(runs).toBe(1);
      }
    },
  );
});

describe('reconcile in a queue', () => {
  promise(
    `${protocol}, the abandoned policy`,
    '"not found" is not believed earlier',
    'a message in doubt is deferred until the provider can be believed, and then runs once',
    async () => {
      const all = surroundings();
      let runs = 0;
      const handler = eachMessage<Order>(
        {
          ...all.common,
          onAbandoned: reconcile<Message<Order>>({
            ask: (doubt) => ({ verdict: all.bank.has(doubt.effectKey) ? 'applied' : 'not-applied' }),
            settleMs: 30_000,
          }),
        },
        (_, claim) => {
          if (++runs > 1) return all.bank.apply(claim.effectKey);
          wait(all.time, 20_000).then(() => all.bank.apply(claim.effectKey)); // still on its way
          throw new Error('time-out');
        },
      );
      const one = record({ id: 'a' });
      let acknowledged = false;
      for (let receives = 1; !acknowledged && receives < 10; receives++) {
        const again = { ...one, attributes: { ...one.attributes, ApproximateReceiveCount: String(receives) } };
        const answer = await all.time.until(handler(event(again), context(all.time)));
        acknowledged = failed(answer).length === 0;
        await all.time.advance(5_000);
      }
      expect(acknowledged).toBe(true);
      expect(all.bank.count()).toBe(1);
      expect(runs).toBe(1);
    },
  );
});

describe('events', () => {
  promise(
    'ClaimEvent',
    'There is never a payload or a result in one',
    'no event carries a payload or a result, whatever happens',
    async () => {
      const all = surroundings();
      const handler = eachMessage<Order>(
        { ...all.common, recordResult: true, onAbandoned: 'retry', deadLetters: deadLetterQueue(dlq) },
        ({ body }) => {
          if (body.id === 'b') throw new RejectedError('no');
          return 'result-4711';
        },
      );
      const records = [
        record({ id: 'a', card: 'payload-4711' }),
        record({ id: 'b', card: 'payload-4711' }),
        record('{"payload-4711": '),
        record({ card: 'payload-4711' }),
      ];
      await all.time.until(handler(event(...records), context(all.time)));
      await all.time.until(handler(event(record({ id: 'a', card: 'payload-4712' })), context(all.time)));
      const heard: readonly ClaimEvent[] = all.heard;
      expect(heard.length).toBeGreaterThan(5);
      expect(JSON.stringify(heard)).not.toMatch(/471[12]/);
    },
  );
});
