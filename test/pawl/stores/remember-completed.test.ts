import { describe, expect, it } from 'vitest';
import { memoryStore, OptionError, rememberCompleted } from '../../../lib/pawl/index.ts';
import type { ClaimStore } from '../../../lib/pawl/rules/store.ts';
import { eachMessage } from '../../../lib/pawl/sqs/index.ts';
import { context, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { record } from '../../support/records.ts';
import { virtualHost } from '../../support/virtual-host.ts';

/** A store that counts what it is asked. */
function counting(store: ClaimStore) {
  const calls: string[] = [];
  const counted: ClaimStore = {
    read(id) {
      calls.push(`read ${id}`);
      return store.read(id);
    },
    write(write) {
      calls.push(`write ${write.next.status}`);
      return store.write(write);
    },
  };
  return { calls, counted };
}

describe('rememberCompleted', () => {
  it('answers the duplicates of what this process has completed without asking anybody', async () => {
    const { calls, counted } = counting(memoryStore());
    let ran = 0;
    const host = virtualHost();
    const handler = eachMessage<{ id: string }>(
      {
        operation: 'send',
        store: rememberCompleted(counted),
        key: ({ body }) => body.id,
        onAbandoned: 'retry',
        aws: noQueue,
        onEvent: () => undefined,
        host,
      },
      () => ++ran,
    );
    const deliver = (receiveCount: number) =>
      handler(sqsEvent(sqsRecord({ id: 'a' }, { receiveCount })), context(30_000, host.now));
    await deliver(1);
    expect(calls).toEqual(['write in-flight', 'write completed']);
    expect(await deliver(1)).toEqual({ batchItemFailures: [] });
    expect(await deliver(2)).toEqual({ batchItemFailures: [] });
    expect([calls.length, ran]).toEqual([2, 1]);
    // Past its retention, the store is asked again, and the effect happens again.
    await host.advance(31 * 24 * 3600 * 1000);
    await deliver(1);
    expect([calls.length, ran]).toEqual([4, 2]);
  });

  it('says nothing but "done": what was in flight, released or parked is asked for each time', async () => {
    for (const status of ['in-flight', 'released', 'parked', 'rejected'] as const) {
      const { calls, counted } = counting(memoryStore());
      const store = rememberCompleted(counted);
      const found = record({ status });
      await store.write({ next: found, seen: undefined });
      expect(await store.read(found.id)).toEqual(found);
      expect(await store.write({ next: record({ claimId: 'other' }), seen: undefined })).toEqual({
        applied: false,
        found,
      });
      expect(calls).toHaveLength(3);
    }
  });

  it('forgets the oldest when it is full', async () => {
    const { calls, counted } = counting(memoryStore());
    const store = rememberCompleted(counted, { keys: 2 });
    for (const id of ['a', 'b', 'c']) await store.write({ next: record({ id, status: 'completed' }), seen: undefined });
    for (const id of ['c', 'b', 'a']) await store.read(id);
    expect(calls.slice(3)).toEqual(['read a']);
    expect(() => rememberCompleted(counted, { keys: 0 })).toThrow(OptionError);
  });

  it('remembers what it finds completed, and counts a claim as new whenever it is found', async () => {
    const inner = memoryStore();
    for (const id of ['a', 'b', 'c']) await inner.write({ next: record({ id, status: 'completed' }), seen: undefined });
    const { calls, counted } = counting(inner);
    const store = rememberCompleted(counted, { keys: 2 });
    for (const id of ['a', 'b', 'a', 'b']) await store.read(id);
    expect(calls).toEqual(['read a', 'read b']);
    // Found by a write that another worker's completion refuses.
    expect(await store.write({ next: record({ id: 'c', claimId: 'other' }), seen: undefined })).toMatchObject({
      applied: false,
    });
    await store.read('c');
    expect(calls.slice(2)).toEqual(['write in-flight']);
    await store.read('a');
    expect(calls.slice(3)).toEqual(['read a']);
  });

  it('is refused without a whole number of keys, or with an option that it does not know', () => {
    for (const keys of [0, 1.5, -1]) {
      expect(() => rememberCompleted(memoryStore(), { keys })).toThrow(
        `rememberCompleted.keys: expected a whole number, 1 or more; got ${keys}`,
      );
    }
    expect(() => rememberCompleted(memoryStore(), { kyes: 5 } as never)).toThrow(
      "rememberCompleted: there is no option 'kyes'. Did you mean 'keys'? See node_modules/pawl/docs/guides/policies.md and node_modules/pawl/docs/errors.md#unknown-option",
    );
  });

  it('keeps whatever else a store can do, also where that is an object of a class', async () => {
    class Plain {
      readonly #inner = memoryStore();
      read(id: string) {
        return this.#inner.read(id);
      }
      write(write: Parameters<ClaimStore['write']>[0]) {
        return this.#inner.write(write);
      }
      records() {
        return this.#inner.records();
      }
      name() {
        return 'plain';
      }
    }
    class Named extends Plain {
      readonly table = 'claims';
      override name() {
        return `${super.name()}, named`;
      }
    }
    const store = rememberCompleted(new Named());
    await store.write({ next: record({ status: 'completed' }), seen: undefined });
    expect(await store.read(record().id)).toMatchObject({ status: 'completed' });
    const { records, name } = store;
    expect([store.table, name(), records().length]).toEqual(['claims', 'plain, named', 1]);
    expect(Object.keys(store).sort()).toEqual(['name', 'read', 'records', 'table', 'write']);
  });
});
