import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Claim,
  type ClaimEvent,
  failOpen,
  memoryStore,
  once,
  RetryableError,
  rememberCompleted,
  step,
} from '../../../lib/pawl/index.ts';
import { bodyField } from '../../../lib/pawl/sqs/index.ts';
import { dynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import {
  type AppWrite,
  CommitRefusedError,
  commit,
  commitStep,
  eachTransaction,
  inPhases,
  type TransactionalStore,
  transactionalStore,
} from '../../../lib/pawl/transactions/index.ts';
import { context, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { memoryTransactions } from '../../support/memory-transactions.ts';
import { resolverOf } from '../../support/resolver-of.ts';
import { virtualHost } from '../../support/virtual-host.ts';

const put = (id: string): AppWrite => ({ Put: { TableName: 'ledger', Item: { id } } });
const maria = { by: 'maria', note: 'seen in the ledger' };

function setUp(given?: (store: TransactionalStore) => TransactionalStore) {
  const host = virtualHost();
  const { items, store } = memoryTransactions(memoryStore());
  const events: ClaimEvent[] = [];
  const options = {
    operation: 'pay',
    store: given?.(store) ?? store,
    key: (id: string) => id,
    onAbandoned: 'retry',
    onEvent: (event: ClaimEvent) => void events.push(event),
    host,
  } as const;
  return { host, items, store, events, options };
}

const unhandled: unknown[] = [];
const note = (reason: unknown) => void unhandled.push(reason);
beforeEach(() => void process.on('unhandledRejection', note));
afterEach(async () => {
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', note);
  expect(unhandled.splice(0)).toEqual([]);
});

describe('a store that commits', () => {
  it('still does with attributes, and behind rememberCompleted', async () => {
    const { options, items } = setUp((store) => rememberCompleted(store));
    const call = once<string, unknown>({ ...options, attributes: () => ({ amount: 12 }) }, (_, claim) =>
      commit(claim, [put('entry-1')]),
    ).outcome;
    expect(await call('p-1')).toMatchObject({ outcome: 'completed', replayed: false });
    expect(await call('p-1')).toMatchObject({ outcome: 'completed', replayed: true });
    expect([...items.keys()]).toEqual(['entry-1']);
    expect(await options.store.read('pay#p-1')).toMatchObject({ status: 'completed', attributes: { amount: 12 } });
  });

  it('is refused by failOpen at once: there would be nothing left to let through', () => {
    const { store } = setUp();
    expect(() => failOpen(store as never, () => undefined)).toThrow(
      'failOpen: expected a store that only keeps claims',
    );
  });

  it('is missed before the remote call of inPhases, and not after it', async () => {
    let called = 0;
    const { options } = setUp();
    const phases = inPhases<string, unknown>({
      execute: () => ++called,
      record: () => [put('entry-1')],
      onAbandoned: 'retry',
    });
    const call = once<string, unknown>({ ...options, store: memoryStore() }, phases).outcome;
    await expect(call('p-1')).rejects.toThrow('store: expected transactionalStore');
    expect(called).toBe(0);
  });
});

describe('a commitStep', () => {
  it('that fails is reported, and keeps its claim from being completed, although nobody waits for it', async () => {
    const { options, items, events, store } = setUp();
    items.set('reservation', {});
    const call = once<string, unknown>(options, async (_, claim) => {
      void commitStep(claim, 'reserve', () => [put('reservation')]);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }).outcome;
    await expect(call('p-1')).rejects.toMatchObject({ cause: expect.any(CommitRefusedError) });
    expect(await store.read('pay#p-1')).toMatchObject({ status: 'released' });
    expect(events.filter(({ type }) => type === 'step-failed')).toMatchObject([{ step: 'reserve' }]);
  });

  it('that is started early and awaited later does not end the process when its condition is refused', async () => {
    const { options, items, host, store } = setUp();
    items.set('reservation', {});
    const call = once<string, unknown>(options, async (_, claim) => {
      const reserving = commitStep(claim, 'reserve', () => [put('reservation')]);
      await new Promise<void>((resolve) => host.after(1000, resolve));
      await reserving;
    }).outcome;
    const answer = call('p-1').catch((error: unknown) => error);
    await new Promise((resolve) => setImmediate(resolve));
    await host.advance(1001);
    expect(await answer).toBeInstanceOf(CommitRefusedError);
    expect(await store.read('pay#p-1')).toMatchObject({ status: 'released' });
  });

  it('that is refused and never awaited keeps its claim from being completed', async () => {
    const { options, items, store, host } = setUp();
    items.set('reservation', {});
    const call = once<string, unknown>(options, async (_, claim) => {
      void commitStep(claim, 'reserve', async () => {
        await new Promise<void>((resolve) => host.after(10, resolve));
        return [put('reservation')];
      });
      return 'done';
    }).outcome;
    const answer = call('p-1').catch((error: unknown) => error);
    await host.advance(11);
    expect(await answer).toMatchObject({ cause: expect.any(CommitRefusedError) });
    expect(await store.read('pay#p-1')).toMatchObject({ status: 'released' });
  });
});

it('a commit whose answer was lost is known to be applied, also on a claim that an operator once resolved', async () => {
  let loses = false;
  const { options, items, store } = setUp((inner) => ({
    ...inner,
    async commit(write, writes) {
      const result = await inner.commit(write, writes);
      if (!loses) return result;
      loses = false;
      throw new Error('socket hang up');
    },
  }));
  let attempt: (claim: Claim) => Promise<unknown> = (claim) =>
    step(claim, 'charge', () => Promise.reject(new Error('who knows')), { onAbandoned: 'park' });
  const call = once<string, unknown>(options, (_, claim) => attempt(claim)).outcome;
  await expect(call('p-1')).rejects.toThrow('who knows');
  const resolved = await resolverOf({ operation: 'pay', store }).resolve('p-1', 'not-applied', maria);
  expect(resolved).toMatchObject({ outcome: 'resolved' });

  attempt = async (claim) => {
    loses = true;
    await commit(claim, [put('entry-1')]);
  };
  const answer = call('p-1');
  await Promise.race([answer, options.host.advance(1000)]);
  expect(await answer).toMatchObject({ outcome: 'completed', replayed: false });
  expect([...items.keys()]).toEqual(['entry-1']);
});

it.each([
  ['whose error the handler has caught', 'charge'],
  ['that this attempt does not call', undefined],
])('a commit does not complete a claim with a step in doubt, %s', async (_, called) => {
  const { options, items, store } = setUp();
  let attempt: (claim: Claim) => Promise<unknown> = (claim) =>
    step(claim, 'charge', () => new Promise(() => undefined), { onAbandoned: 'park' });
  const call = once<string, unknown>(options, (_input, claim) => attempt(claim)).outcome;
  void call('p-1', { remainingMs: () => 10_000 }).catch(() => undefined);
  await options.host.advance(20_000);
  attempt = async (claim) => {
    if (called) await step(claim, called, () => 'ch_1', { onAbandoned: 'park' }).catch(() => undefined);
    await commit(claim, [put('entry-1')]);
  };
  await expect(call('p-1')).rejects.toThrow('charge');
  expect([...items.keys()]).toEqual([]);
  expect(await store.read('pay#p-1')).toMatchObject({ status: 'parked' });
});

it('a commit that is applied at its second try is applied, also where the first one is refused in the end', async () => {
  let tries = 0;
  const { options, items, host, store } = setUp((inner) => ({
    ...inner,
    async commit(write, writes) {
      if (++tries > 1) return inner.commit(write, writes);
      // Refused by a condition that no longer holds when it is tried again; the answer takes its time.
      await new Promise<void>((resolve) => host.after(6000, resolve));
      return { applied: false, refused: [{ index: 0, code: 'ConditionalCheckFailed', message: 'too little' }] };
    },
  }));
  const slow: TransactionalStore = {
    ...options.store,
    async commit(write, writes) {
      const result = await options.store.commit(write, writes);
      // The second answer comes after that of the first.
      if ('applied' in result && result.applied) await new Promise<void>((resolve) => host.after(3000, resolve));
      return result;
    },
  };
  const call = once<string, unknown>({ ...options, store: slow }, (_, claim) =>
    commit(claim, [put('entry-1')]),
  ).outcome;
  const answer = call('p-1', { remainingMs: () => 30_000 }).catch((error: Error) => error);
  await host.advance(20_000);
  expect(await answer).toMatchObject({ outcome: 'completed', replayed: false });
  expect([...items.keys()]).toEqual(['entry-1']);
  expect(await store.read('pay#p-1')).toMatchObject({ status: 'completed' });
});

describe('eachTransaction', () => {
  it('does not wait for ever for a first transaction that hangs: the message goes on under a claim', async () => {
    const late: (() => Promise<unknown>)[] = [];
    const { options, items, host } = setUp((inner) => ({
      ...inner,
      commit(write, writes) {
        if (late.length > 0) return inner.commit(write, writes);
        late.push(() => inner.commit(write, writes));
        return new Promise(() => undefined);
      },
    }));
    const { operation, store, onEvent } = options;
    const handler = eachTransaction<{ id: string }>(
      { operation, store, onEvent, host, key: bodyField('id') },
      ({ body }) => [put(body.id)],
    );
    const answer = handler(sqsEvent(sqsRecord({ id: 'p-1' })), context(30_000, host.now));
    await host.advance(10_000);
    expect(await answer).toEqual({ batchItemFailures: [] });
    expect([...items.keys()]).toEqual(['p-1']);
    expect(await late[0]?.()).toMatchObject({ applied: false });
  });

  it('looks at no claim while messages are new, and at those of a producer that has sent all of them twice', async () => {
    const asked = { read: 0, write: 0, commit: 0 };
    const { options, items, host } = setUp((inner) => ({
      read: (id) => {
        asked.read++;
        return inner.read(id);
      },
      write: (write) => {
        asked.write++;
        return inner.write(write);
      },
      commit: (write, writes) => {
        asked.commit++;
        return inner.commit(write, writes);
      },
    }));
    const { operation, store, onEvent } = options;
    const handler = eachTransaction<{ id: string }>(
      { operation, store, onEvent, host, key: bodyField('id'), concurrency: 10 },
      ({ body }) => [put(body.id)],
    );
    const batch = Array.from({ length: 60 }, (_, n) => sqsRecord({ id: `p-${n}` }));
    const call = () => handler(sqsEvent(...batch), context(30_000, host.now));
    expect(await call()).toEqual({ batchItemFailures: [] });
    expect([items.size, asked]).toEqual([60, { read: 0, write: 0, commit: 60 }]);
    // The first ten find out that they are duplicates, by a transaction and a claim that are refused.
    expect(await call()).toEqual({ batchItemFailures: [] });
    expect([items.size, asked]).toEqual([60, { read: 50, write: 10, commit: 70 }]);
  });
});

it('a value that DynamoDB cannot hold is a refusal of the write that has it, and no store that is down', async () => {
  const client = new DynamoDBClient({ region: 'eu-west-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } });
  client.send = () => expect.fail('it was sent');
  const store = transactionalStore(dynamoStore({ tableName: 'claims', aws: sdk({ dynamodb: client }) }));
  const claim = { id: 'pay#p-1', claimId: 'c', fence: 1, status: 'completed', leaseUntil: 1, firstSeenAt: 1 } as const;
  const next = { ...claim, attempts: 1, abandoned: 0, rev: 2, v: 1 } as const;
  const nan = { Put: { TableName: 'ledger', Item: { id: 'e', amount: Number.NaN } } };
  const result = await store.commit({ next, seen: undefined }, [put('entry-1'), nan]);
  expect(result).toMatchObject({ applied: false, refused: [{ index: 1, code: 'ValidationError' }] });
});

it('execute of inPhases is given the claim, so that what it writes can be fenced', async () => {
  const { options } = setUp();
  const fences: number[] = [];
  const phases = inPhases<string, unknown>({
    execute: (_, __, claim) => fences.push(claim.fence),
    record: () => [put('entry-1')],
    onAbandoned: 'retry',
  });
  expect(await once<string, unknown>(options, phases).outcome('p-1')).toMatchObject({ outcome: 'completed' });
  expect(fences).toEqual([1]);
});

it('no error of the engine says the key, which listeners may have been promised not to see', async () => {
  const { options, events } = setUp();
  const failing = {
    ...options.store,
    read: () => Promise.reject(new Error('down')),
    write: () => Promise.reject(new Error('down')),
  };
  const call = once<string, unknown>({ ...options, store: failing }, () => {
    throw new RetryableError('never');
  }).outcome;
  const error: Error = await call('alice@example.com').then(
    () => expect.fail('it ran'),
    (thrown) => thrown,
  );
  expect(error.message).not.toContain('alice');
  for (const { id: _, ...event } of events) expect(JSON.stringify(event)).not.toContain('alice');
});

it('a promise among the writes is refused, and nothing is committed', async () => {
  const { options, store, items } = setUp();
  const { key: _, onAbandoned: __, ...given } = options;
  const handler = eachTransaction({ ...given, key: bodyField('id') }, async () => [Promise.resolve(put('a')) as never]);
  const event = sqsEvent(sqsRecord({ id: 'order-17' }, { messageId: 'm' }));
  const { batchItemFailures } = await handler(event, context(30_000, options.host.now));
  expect(batchItemFailures).toEqual([{ itemIdentifier: 'm' }]);
  expect(items.size).toBe(0);
  const record = await store.read('pay#order-17');
  expect(record?.error?.message).toContain('got a promise; await it first');
});
