import type { SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, test } from 'vitest';
import {
  type Lease,
  memoryStore,
  type OnceOptions,
  once,
  type Reconcile,
  reconcile,
  renewedLease,
} from '../../../lib/pawl/index.ts';
import { memoryLockStore, resourceLocks } from '../../../lib/pawl/locks/index.ts';
import { type OperatorOptions, operator } from '../../../lib/pawl/operate/index.ts';
import { sendOnce } from '../../../lib/pawl/sqs/index.ts';
import { sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { inPhases, type Phases } from '../../../lib/pawl/transactions/index.ts';
import { memoryTransactions } from '../../support/memory-transactions.ts';
import { virtualHost } from '../../support/virtual-host.ts';

/** A value as a caller without types passes it. */
const untyped = <T>(value: unknown) => value as T;
const input = { id: 'order-17' };
const options = (more: Partial<OnceOptions<typeof input>>): OnceOptions<typeof input> => ({
  operation: 'pay',
  store: memoryStore(),
  key: ({ id }) => id,
  onAbandoned: 'park',
  onEvent: () => {},
  ...more,
});
const notApplied = () => ({ verdict: 'not-applied' as const });

describe('a policy that was not made by reconcile(…), or was changed after it', () => {
  for (const settleMs of [undefined, null, '60000', Number.NaN, -1]) {
    test(`is refused at setup if settleMs is ${JSON.stringify(settleMs) ?? settleMs} (${typeof settleMs})`, () => {
      const policy = { ...reconcile({ ask: notApplied, settleMs: 60_000 }), settleMs };
      expect(() => once(options({ onAbandoned: untyped(policy) }), () => 1)).toThrow(/settleMs/);
    });
  }

  test('is refused at setup if it has no function to ask, or a misspelt field', () => {
    for (const policy of [
      { kind: 'reconcile' },
      { kind: 'reconcile', ask: 'the provider', settleMs: 1_000 },
      { kind: 'reconcile', ask: notApplied, settelMs: 1_000 },
    ]) {
      expect(() => once(options({ onAbandoned: untyped<Reconcile<unknown>>(policy) }), () => 1)).toThrow('reconcile');
    }
  });
});

test('a lease whose length is a text is refused at setup', () => {
  const lease: Lease = { ...renewedLease(60_000), leaseMs: untyped<number>('5000') };
  expect(() => once(options({ lease }), () => 1)).toThrow('lease.leaseMs');
});

test('operator refuses a retention that is a text, and writes no expiresAt that DynamoDB cannot expire', async () => {
  const store = memoryStore();
  await once(options({ store }), () => {
    throw new Error('timeout');
  })
    .outcome(input)
    .catch(() => {});
  const wrong = untyped<OperatorOptions>({ store, retentionSeconds: '3600' });
  await Promise.resolve()
    .then(() => operator(wrong).resolve({ operation: 'pay', key: input.id }, 'applied', { by: 'maria', note: '' }))
    .catch(() => {});
  for (const { expiresAt } of store.records()) expect(['number', 'undefined']).toContain(typeof expiresAt);
});

test('operator refuses options that are missing, and a store that is none', () => {
  expect(() => operator(untyped<OperatorOptions>(undefined))).toThrow();
  expect(() => operator(untyped<OperatorOptions>({ store: {} }))).toThrow('store');
});

test('a waitMs that is a text is refused, or ends the wait', async () => {
  const host = virtualHost();
  const locks = resourceLocks({ store: memoryLockStore(), leaseMs: 3_600_000, host });
  await locks.lockAll(['debt'], { holder: 'first' });
  let ended = false;
  const second = locks.lockAll(['debt'], { holder: 'second', waitMs: untyped<number>('50') });
  second
    .catch(() => {})
    .finally(() => {
      ended = true;
    });
  await host.advance(60_000);
  expect(ended).toBe(true);
});

test('inPhases without a function record is refused before the remote call', async () => {
  let calls = 0;
  const phases = untyped<Phases<typeof input, number>>({ execute: () => ++calls, onAbandoned: 'park' });
  await Promise.resolve()
    .then(() => once(options({ store: memoryTransactions(memoryStore()).store }), inPhases(phases)))
    .then((pay) => pay(input))
    .catch(() => {});
  expect(calls).toBe(0);
});

test('an option that is inherited is refused: half of the code that reads options copies them, and a copy has own properties only', () => {
  const given = Object.assign(Object.create({ recordResult: false }), options({}));
  expect(() => once(untyped<OnceOptions<typeof input>>(given), () => 'a secret')).toThrow('recordResult');
});

test('a message and a call may be instances of a class, whose fields are getters: both are read, and not copied', async () => {
  class Refund {
    get key() {
      return 'refund-1';
    }
    get body() {
      return { payment: 1 };
    }
  }
  class Call {
    remainingMs() {
      return 10_000;
    }
  }
  const host = virtualHost();
  const bodies: unknown[] = [];
  const client = {
    async send({ input }: { readonly input: { readonly MessageBody: string } }) {
      bodies.push(JSON.parse(input.MessageBody));
      return { MessageId: 'm-1' };
    },
  };
  const send = sendOnce({
    operation: 'refund',
    store: memoryStore(),
    queueUrl: 'https://sqs.us-east-1.amazonaws.com/000000000000/refunds',
    aws: sdk({ sqs: untyped<SQSClient>(client) }),
    onEvent: () => {},
    host,
  });
  expect(await send(new Refund())).toMatchObject({ outcome: 'sent', key: 'refund-1' });
  expect(bodies).toEqual([{ payment: 1 }]);
  expect(await once(options({ host }), () => 1).outcome(input, new Call())).toMatchObject({ outcome: 'completed' });
});
