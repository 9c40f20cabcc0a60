import { type DynamoDBClient, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { nodeHost } from '../../../lib/pawl/host.ts';
import type { Host } from '../../../lib/pawl/kernel/host.ts';
import {
  dynamoLockStore,
  forEachItem,
  type Lock,
  LockKeptError,
  type LockStore,
  memoryLockStore,
  type Resource,
  resourceLocks,
  type TryLockAllResult,
} from '../../../lib/pawl/locks/index.ts';
import { dynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { simulatedTable } from '../../../proof/simulation/dynamodb/table.ts';
import { virtualHost } from '../../support/virtual-host.ts';

/**
 * A clock that moves on by itself whenever something waits for it: some turns of the event loop for what takes seconds, so that a store
 * which answers in a turn or two is not given up.
 */
function hurried() {
  let ahead = 0;
  const host: Host = {
    ...nodeHost,
    now: () => 1_800_000_000_000 + ahead,
    after(ms, run) {
      const wait = (turns: number): NodeJS.Immediate =>
        setImmediate(() => {
          if (turns > 0) {
            turn = wait(turns - 1);
            return;
          }
          ahead += ms;
          run();
        });
      let turn = wait(ms < 3000 ? 0 : 10);
      return () => clearImmediate(turn);
    },
  };
  return { host, later: (ms: number) => (ahead += ms) };
}

function granted(answer: TryLockAllResult): Lock {
  if (answer.outcome !== 'locked') throw new Error(`held by ${JSON.stringify(answer.by)}`);
  return answer.lock;
}

const unlock = { onSuccess: 'unlock', onFailure: 'keep' } as const;

describe('two attempts of one holder (invariant 5 of the acquisition)', () => {
  it('whose first one’s answer was lost: the first gives way to the second, at once', async () => {
    const { host, later } = hurried();
    const inner = memoryLockStore();
    let second: TryLockAllResult | undefined;
    let writes = 0;
    const store: LockStore = {
      ...inner,
      async write(all) {
        later(10);
        if (++writes > 1) return inner.write(all);
        await inner.write(all);
        second = await resourceLocks({ store: inner, host }).tryLockAll(['a', 'b'], { holder: 'one' });
        throw new Error('TimeoutError');
      },
    };
    const first = await resourceLocks({ store, host }).tryLockAll(['a', 'b'], { holder: 'one', waitMs: 30_000 });
    expect(first).toMatchObject({ outcome: 'busy', by: [{ holder: 'one', status: 'held' }] });
    expect(writes).toBe(2);
    expect(second && (await granted(second).renew())).toBe('renewed');
  });

  it('of which the later one came and went while the earlier one was still tidying up: that one does not begin', async () => {
    const inner = memoryLockStore();
    const locks = resourceLocks({ store: inner });
    await granted(await locks.tryLockAll(['a'], { holder: 'one' })).keep();
    let reads = 0;
    const store: LockStore = {
      ...inner,
      async read(ids) {
        // The resources, the lock that they name, and then what it has left to end.
        if (++reads === 3) await granted(await locks.tryLockAll(['a'], { holder: 'one' })).unlock();
        return inner.read(ids);
      },
    };
    const late = await resourceLocks({ store }).tryLockAll(['a'], { holder: 'one' });
    expect(late.outcome).toBe('busy');
    expect(await locks.read(['a'])).toEqual([]);
  });

  it('of which the earlier one is overtaken between two pieces: the later one keeps what it has', async () => {
    const inner = memoryLockStore({ most: 2 });
    let second: TryLockAllResult | undefined;
    const store: LockStore = {
      ...inner,
      async write(all) {
        const result = await inner.write(all);
        second ??= await resourceLocks({ store: inner }).tryLockAll(['a', 'b'], { holder: 'one' });
        return result;
      },
    };
    const first = await resourceLocks({ store }).tryLockAll(['a', 'b'], { holder: 'one', waitMs: 5000 });
    expect(first).toMatchObject({ outcome: 'busy', by: [{ holder: 'one', status: 'held' }] });
    expect(second && (await granted(second).renew())).toBe('renewed');
  });

  it('of which the earlier one died with what only a later piece has: the next one gets it, also after a wait', async () => {
    const { host } = hurried();
    const locks = resourceLocks({ store: memoryLockStore({ most: 2 }), host });
    granted(await locks.tryLockAll(['b'], { holder: 'one' }));
    const other = granted(await locks.tryLockAll(['a'], { holder: 'two' }));
    const waiting = locks.tryLockAll(['a', 'b'], { holder: 'one', waitMs: 30_000 });
    await new Promise((resolve) => setImmediate(resolve));
    await other.unlock();
    const lock = granted(await waiting);
    expect(await lock.renew()).toBe('renewed');
  });

  it('do not take a set that goes piece by piece from each other for ever', async () => {
    const { host } = hurried();
    const inner = memoryLockStore({ most: 3 });
    let requests = 0;
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const store: LockStore = {
      ...inner,
      async read(ids) {
        requests++;
        await turn();
        return inner.read(ids);
      },
      async write(all) {
        requests++;
        await turn();
        return inner.write(all);
      },
    };
    const resources = Array.from({ length: 40 }, (_, n) => `debt ${n}`);
    const attempt = () => resourceLocks({ store, host }).tryLockAll(resources, { holder: 'one', waitMs: 30_000 });
    const first = attempt();
    for (let turns = 0; turns < 25; turns++) await turn();
    const answers = await Promise.all([first, attempt()]);
    const locked = answers.flatMap((answer) => (answer.outcome === 'locked' ? [answer.lock] : []));
    expect(locked).toHaveLength(1);
    expect(await locked[0]?.renew()).toBe('renewed');
    expect(requests).toBeLessThan(200);
  });
});

it('locks a set that takes longer to be had than the lease is: it is renewed with every piece (invariant 4)', async () => {
  const { host, later } = hurried();
  const inner = memoryLockStore({ most: 10 });
  const store: LockStore = {
    ...inner,
    write(all) {
      later(100);
      return inner.write(all);
    },
  };
  const resources = Array.from({ length: 450 }, (_, n) => `debt ${n}`);
  const lock = granted(await resourceLocks({ store, host, leaseMs: 1000 }).tryLockAll(resources, { holder: 'one' }));
  expect(lock.remainingMs()).toBeGreaterThan(500);
  expect(await lock.unlock()).toBe('unlocked');
});

it('takes no more of a set when its lock has been taken over on the way (invariant 4)', async () => {
  const { host, later } = hurried();
  const inner = memoryLockStore({ most: 2 });
  const others = resourceLocks({ store: inner, host });
  let pieces = 0;
  const store: LockStore = {
    ...inner,
    async write(all) {
      const result = await inner.write(all);
      if (all.length > 1 && ++pieces === 1) {
        later(70_000);
        granted(await others.tryLockAll(['a'], { holder: 'two' }));
      }
      return result;
    },
  };
  expect((await resourceLocks({ store, host }).tryLockAll(['a', 'b', 'c'], { holder: 'one' })).outcome).toBe('busy');
  expect(await others.read(['b', 'c'])).toEqual([]);
  expect(inner.records().filter(({ id }) => id === '#resource#b')).toEqual([]);
});

it('tries anew when another holder has taken its lock over on the way, and gets all once that one is done', async () => {
  const { host, later } = hurried();
  const inner = memoryLockStore({ most: 2 });
  const others = resourceLocks({ store: inner, host });
  let pieces = 0;
  const store: LockStore = {
    ...inner,
    async write(all) {
      const result = await inner.write(all);
      if (all.length > 1 && ++pieces === 1) {
        later(70_000);
        await granted(await others.tryLockAll(['a'], { holder: 'two' })).unlock();
      }
      return result;
    },
  };
  const waiting = resourceLocks({ store, host }).tryLockAll(['a', 'b', 'c'], { holder: 'one', waitMs: 100_000 });
  expect(granted(await waiting).resources).toEqual(['a', 'b', 'c']);
});

it('says of whom it has taken over, also when somebody else was met before the rest was had', async () => {
  const host = virtualHost();
  const store = memoryLockStore({ most: 2 });
  const locks = resourceLocks({ store, host });
  await locks.tryLockAll(['a'], { holder: 'gone', reason: 'half done' });
  await host.advance(70_000);
  const other = granted(await locks.tryLockAll(['b'], { holder: 'two' }));
  const waiting = locks.tryLockAll(['a', 'b'], { holder: 'one', waitMs: 30_000 });
  await host.advance(1000);
  await other.unlock();
  await host.advance(5000);
  expect(granted(await waiting).takenOver).toMatchObject([{ resource: 'a', holder: 'gone', reason: 'half done' }]);
});

it('says of all resources of a lock that it has taken over, whichever piece they are in, and of no other', async () => {
  const host = virtualHost();
  const inner = memoryLockStore({ most: 2 });
  const locks = resourceLocks({ store: inner, host });
  const late = granted(await locks.tryLockAll(['a', 'b', 'c'], { holder: 'late' }));
  await host.advance(62_000);
  let writes = 0;
  const store: LockStore = {
    ...inner,
    async write(all) {
      // Found with its lease over, and renewed before it could be taken over.
      if (++writes === 1) expect(await late.renew()).toBe('renewed');
      return inner.write(all);
    },
  };
  const waiting = resourceLocks({ store, host }).tryLockAll(['a', 'b', 'c'], { holder: 'one', waitMs: 30_000 });
  await host.advance(1000);
  expect(await late.unlock()).toBe('unlocked');
  await host.advance(10_000);
  const lock = granted(await waiting);
  expect(lock.takenOver).toEqual([]);
  await host.advance(70_000);
  const next = granted(await locks.tryLockAll(['a', 'b', 'c'], { holder: 'two' }));
  expect(next.takenOver.map(({ resource, holder }) => [resource, holder])).toEqual([
    ['a', 'one'],
    ['b', 'one'],
    ['c', 'one'],
  ]);
});

it('gives up when its own record was deleted on the way, by hand', async () => {
  const inner = memoryLockStore({ most: 2 });
  let writes = 0;
  const store: LockStore = {
    ...inner,
    async write(all) {
      writes++;
      return writes > 1 && all.length > 1
        ? { applied: false, found: [undefined, ...all.slice(1).map(({ seen }) => seen)] }
        : inner.write(all);
    },
  };
  expect((await resourceLocks({ store }).tryLockAll(['a', 'b'], { holder: 'one' })).outcome).toBe('busy');
  expect(writes).toBeLessThan(5);
});

describe('the lease', () => {
  it('has half of its time left when the lock is granted, however long the last requests have taken', async () => {
    const { host, later } = hurried();
    const inner = memoryLockStore();
    await granted(await resourceLocks({ store: inner, host }).tryLockAll(['a'], { holder: 'one' })).keep();
    const store: LockStore = {
      ...inner,
      async write(all) {
        const result = await inner.write(all);
        // Of the lock of the earlier attempt, when the resources are had.
        if (all[0]?.next.kind === 'lock' && all[0].next.status === 'ended') later(40_000);
        return result;
      },
    };
    const lock = granted(await resourceLocks({ store, host }).tryLockAll(['a'], { holder: 'one' }));
    expect(lock.remainingMs()).toBeGreaterThan(30_000);
  });

  it('is not lost by one beat that hangs: it is given up when the next one is due', async () => {
    const host = virtualHost();
    const inner = memoryLockStore();
    let hangs = 0;
    const store: LockStore = {
      ...inner,
      write: (all) => (hangs-- === 1 ? new Promise(() => undefined) : inner.write(all)),
    };
    const locks = resourceLocks({ store, host, leaseMs: 300 });
    let signal: AbortSignal | undefined;
    void locks.withLock(['a'], { holder: 'one', unlock }, async (lock) => {
      ({ signal } = lock);
      hangs = 1;
      await new Promise(() => undefined);
    });
    await host.advance(1000);
    expect(signal?.aborted).toBe(false);
  });

  it('ends for no work that is over', async () => {
    const host = virtualHost();
    const locks = resourceLocks({ store: memoryLockStore(), host });
    let signal: AbortSignal | undefined;
    await locks.withLock(['a'], { holder: 'one', unlock }, (lock) => {
      ({ signal } = lock);
    });
    await host.advance(600_000);
    expect(signal?.aborted).toBe(false);
  });

  it('is not shortened by a renewal whose response comes after that of a later one', async () => {
    const host = virtualHost();
    const inner = memoryLockStore();
    let slow = false;
    const store: LockStore = {
      ...inner,
      async write(all) {
        const result = await inner.write(all);
        if (slow) {
          slow = false;
          await new Promise<void>((resolve) => host.after(3000, resolve));
        }
        return result;
      },
    };
    const lock = granted(await resourceLocks({ store, host }).tryLockAll(['a'], { holder: 'one' }));
    await host.advance(10_000);
    slow = true;
    const first = lock.renew();
    await host.advance(2000);
    expect(await lock.renew()).toBe('renewed');
    await host.advance(2000);
    expect(await first).toBe('renewed');
    expect(lock.remainingMs()).toBe(58_000);
  });

  it('ends for the work although a renewal hangs', async () => {
    const host = virtualHost();
    const inner = memoryLockStore();
    let hangs = false;
    const store: LockStore = { ...inner, write: (all) => (hangs ? new Promise(() => undefined) : inner.write(all)) };
    let signal: AbortSignal | undefined;
    void resourceLocks({ store, host, leaseMs: 300 }).withLock(['a'], { holder: 'one', unlock }, async (lock) => {
      ({ signal } = lock);
      hangs = true;
      await new Promise(() => undefined);
    });
    await host.advance(250);
    expect(signal?.aborted).toBe(false);
    await host.advance(51);
    expect(signal?.aborted).toBe(true);
  });

  it('may be longer than a timer of Node can be: no beat comes before its time, and the lease does not end', async () => {
    const inner = memoryLockStore();
    let writes = 0;
    const store: LockStore = {
      ...inner,
      write(all) {
        writes++;
        return inner.write(all);
      },
    };
    const locks = resourceLocks({ store, leaseMs: 90 * 24 * 3_600_000 });
    await locks.withLock(['a'], { holder: 'one', unlock }, async ({ signal }) => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(signal.aborted).toBe(false);
    });
    // The lock, and its end.
    expect(writes).toBe(2);
  });

  it('is renewed for as long as an unlock rule looks', async () => {
    const host = virtualHost();
    const locks = resourceLocks({ store: memoryLockStore(), host, leaseMs: 300, skewMs: 0 });
    const looks = () => new Promise<boolean>((resolve) => host.after(900, () => resolve(false)));
    const working = locks.withLock(['a'], { holder: 'one', unlock: { ...unlock, onSuccess: looks } }, () => 7);
    await host.advance(700);
    expect((await locks.tryLockAll(['a'], { holder: 'two' })).outcome).toBe('busy');
    await host.advance(300);
    await expect(working).rejects.toThrow(LockKeptError);
  });

  it('is not called renewed by a worker whose clock has gone back, if somebody else has taken over', async () => {
    let ahead = 0;
    const store = memoryLockStore();
    const host = { ...nodeHost, now: () => nodeHost.now() + ahead };
    const locks = resourceLocks({ store, host });
    const first = granted(await locks.tryLockAll(['a'], { holder: 'one' }));
    ahead = 62_000;
    granted(await locks.tryLockAll(['a'], { holder: 'two' }));
    ahead = -600_000;
    expect(await first.renew()).toBe('stale');
  });

  it('that was kept is not called kept again when the next attempt has it', async () => {
    const locks = resourceLocks({ store: memoryLockStore() });
    const first = granted(await locks.tryLockAll(['a'], { holder: 'one' }));
    expect([await first.keep(), await first.keep()]).toEqual(['kept', 'kept']);
    granted(await locks.tryLockAll(['a'], { holder: 'one' }));
    expect([await first.keep(), await first.unlock()]).toEqual(['stale', 'stale']);
  });
});

it.each(['unlocked', undefined, true])('refuses %j for a rule', async (rule) => {
  const locks = resourceLocks({ store: memoryLockStore() });
  const withRule = (rules: object) => locks.withLock(['a'], { holder: 'one', unlock: rules as never }, () => 7);
  const expected = "expected 'unlock', 'keep' or a function";
  await expect(withRule({ ...unlock, onSuccess: rule })).rejects.toThrow(`unlock.onSuccess: ${expected}`);
  await expect(withRule({ ...unlock, onFailure: rule })).rejects.toThrow(`unlock.onFailure: ${expected}`);
  expect(await locks.read(['a'])).toEqual([]);
});

describe('DynamoDB', () => {
  const TableName = 'table';
  /** A table whose answers somebody may change on the way. */
  function table(change: (command: { readonly input: never }, serve: () => unknown) => unknown) {
    const simulated = simulatedTable<string>(TableName, () => undefined);
    const client = {
      async send(command: { readonly input: never }) {
        return change(command, () => simulated.execute(command.constructor.name, command.input, 'test'));
      },
    } as unknown as DynamoDBClient;
    return { simulated, client };
  }

  it('may leave some keys of every read unread, as long as it comes on: they are asked for again', async () => {
    const { client } = table(({ input }, serve) => {
      const [asked] = Object.entries<{ Keys: object[] }>(input['RequestItems'] ?? {});
      if (asked === undefined) return serve();
      const [name, { Keys, ...rest }] = asked;
      const unread = Keys.splice(0, Math.floor(Keys.length * 0.15));
      const UnprocessedKeys = unread.length > 0 ? { [name]: { ...rest, Keys: unread } } : {};
      return { ...(serve() as object), UnprocessedKeys };
    });
    const store = dynamoLockStore(
      dynamoStore({ tableName: TableName, aws: sdk({ dynamodb: client }), host: hurried().host }),
    );
    const resources = Array.from({ length: 20_000 }, (_, n) => `debt ${n}`);
    expect(await resourceLocks({ store }).read(resources)).toEqual([]);
    await resourceLocks({ store }).lockAll(resources.slice(0, 250), { holder: 'one' });
    expect(await resourceLocks({ store }).read(resources)).toHaveLength(250);
  });

  it('is not asked again what makes no sense: a chunk whose actions are not well-formed fails at once', async () => {
    let transactions = 0;
    const { client } = table((command, serve) => {
      if (command.constructor.name !== 'TransactWriteItemsCommand' || ++transactions === 1) return serve();
      throw Object.assign(new Error('an expression that cannot be read'), { name: 'ValidationException' });
    });
    const Key = { id: 'nothing' };
    const fence = { ConditionCheck: { TableName, Key, ConditionExpression: 'attribute_not_exists(id)' } };
    const store = dynamoStore({ tableName: TableName, aws: sdk({ dynamodb: client }) });
    const options = { id: 'malformed', work: 'write', fence, store, host: hurried().host };
    await expect(forEachItem(['x'], options, () => [])).rejects.toThrow('an expression that cannot be read');
    expect(transactions).toBe(2);
  });

  it('is never asked about one item twice in a transaction', () => {
    const store = dynamoLockStore(dynamoStore({ tableName: TableName, aws: sdk() }));
    const same: readonly Resource[] = [['customer', 7], 'debt 1', ['customer', 7]];
    expect(store.stillLocked({ id: '#lock#1' }, same)).toHaveLength(2);
  });

  it('has applied a chunk and says so only the third time: it is done, and not refused', async () => {
    let transactions = 0;
    const { simulated, client } = table((command, serve) => {
      if (command.constructor.name !== 'TransactWriteItemsCommand') return serve();
      transactions++;
      if (transactions === 2) {
        serve();
        throw new Error('socket hang up');
      }
      if (transactions !== 3) return serve();
      // Its first copy still has the progress, and the item is there already.
      const CancellationReasons = [{ Code: 'TransactionConflict' }, { Code: 'ConditionalCheckFailed' }];
      throw new TransactionCanceledException({ message: 'cancelled', $metadata: {}, CancellationReasons });
    });
    const Put = (id: string) => ({ TableName, Item: { id }, ConditionExpression: 'attribute_not_exists(id)' });
    const fence = {
      ConditionCheck: { TableName, Key: { id: 'nothing' }, ConditionExpression: 'attribute_not_exists(id)' },
    };
    const options = {
      id: 'request',
      work: 'write',
      fence,
      store: dynamoStore({ tableName: TableName, aws: sdk({ dynamodb: client }) }),
    };
    const answer = forEachItem(['x'], { ...options, host: hurried().host }, (chunk) =>
      chunk.map((id) => ({ Put: Put(id) })),
    );
    expect(await answer).toEqual({ outcome: 'done', total: 1, done: 1 });
    expect(simulated.items.has('x')).toBe(true);
  });
});
