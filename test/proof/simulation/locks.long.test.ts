import { afterEach, describe, expect, it } from 'vitest';
import { sleep } from '../../../lib/pawl/kernel/host.ts';
import {
  type LockStore,
  memoryLockStore,
  resourceLocks,
  type TryLockAllResult,
} from '../../../lib/pawl/locks/index.ts';
import { createSandbox } from '../../../proof/simulation/lambda/sandbox.ts';
import { simulateLocks } from '../../../proof/simulation/locks/simulate.ts';
import { createPlanting } from '../../../proof/simulation/planting.ts';
import { lockRegressions } from '../../../proof/simulation/seeds.ts';
import { runSeeds } from '../../../proof/simulation/tally.ts';
import { createWorld } from '../../../proof/simulation/world/world.ts';

const from = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index);

describe('the simulation of locks', () => {
  it('finds nothing wrong under 200 seeds, in which everything happens that it is about', async () => {
    const { failures, stats } = await runSeeds(simulateLocks, from(1, 200));
    expect(failures).toEqual([]);
    for (const [what, times] of Object.entries(stats)) expect(times, what).toBeGreaterThan(20);
  });

  it('does the same again under the same seed, with and without turns of the event loop', async () => {
    for (const seed of from(1, 10)) {
      const { hash, steps } = await simulateLocks(seed);
      expect(await simulateLocks(seed, { turnsTheLoop: true, keepsStory: true })).toMatchObject({ hash, steps });
    }
  });

  it('of two attempts of one holder, one has it in the end, whatever the order of their steps', async () => {
    for (const seed of from(1, 300)) {
      const world = createWorld({ seed, keepsStory: false, turnsTheLoop: false });
      const { between, chance, pick } = world.random;
      const inner = memoryLockStore({ most: pick([2, 3, 100]) });
      const answers: TryLockAllResult[] = [];
      for (const name of ['first', 'second']) {
        const { host } = createSandbox(world, name, 0);
        const onTheWay = () => sleep(host, between(0, 20) + (chance(0.15) ? 400 : 0));
        const slowly = async <T>(act: () => Promise<T>): Promise<T> => {
          await onTheWay();
          const answer = await act();
          await onTheWay();
          return answer;
        };
        const store: LockStore = {
          ...inner,
          read: (ids) => slowly(() => inner.read(ids)),
          write: (writes) => slowly(() => inner.write(writes)),
        };
        const options = { holder: 'one', waitMs: pick([0, 30_000]) };
        world.after(between(0, 150), async () => {
          answers.push(await resourceLocks({ store, host }).tryLockAll(['a', 'b', 'c'], options));
        });
      }
      await world.run(Number.POSITIVE_INFINITY);
      const granted = answers.flatMap((answer) => (answer.outcome === 'locked' ? [answer.lock.id] : []));
      const held = inner.records().filter((record) => record.kind === 'lock' && record.status === 'held');
      expect([answers.length, held.length], `seed ${seed}`).toEqual([2, 1]);
      expect(granted, `seed ${seed}`).toContain(held[0]?.id);
    }
  });

  it.each(lockRegressions)('seed $seed: $was', async ({ seed }) => {
    expect((await simulateLocks(seed)).violations).toEqual([]);
  });
});

describe('the simulation of locks finds', () => {
  const { plant, firstBroken, uproot } = createPlanting(
    async () => (await import('../../../proof/simulation/locks/simulate.ts')).simulateLocks,
  );
  afterEach(uproot);

  type Store = typeof import('../../../lib/pawl/locks/dynamodb/store.ts');
  type Decide = typeof import('../../../lib/pawl/locks/decide.ts');
  type Settle = typeof import('../../../lib/pawl/locks/settle.ts');
  type Locks = typeof import('../../../lib/pawl/locks/resource-locks.ts');
  type Rules = typeof import('../../../lib/pawl/locks/unlock-rules.ts');
  type Options = typeof import('../../../lib/pawl/locks/options.ts');
  type Acquire = typeof import('../../../lib/pawl/locks/acquire.ts');
  type Renewal = typeof import('../../../lib/pawl/locks/renewal.ts');
  type Progress = typeof import('../../../lib/pawl/locks/dynamodb/progress.ts');
  type Requests = typeof import('../../../lib/pawl/locks/requests.ts');

  it('writes that do not look at the lock', async () => {
    plant<Store>('../../lib/pawl/locks/dynamodb/store.ts', ({ dynamoLockStore }) => ({
      dynamoLockStore(options) {
        const store = dynamoLockStore(options);
        const looksAtNothing = {
          ConditionCheck: {
            TableName: options.table.nameOfTable(),
            Key: { id: 'nothing' },
            ConditionExpression: 'attribute_not_exists(id)',
          },
        };
        return { ...store, stillLocked: () => [], stillHeld: () => looksAtNothing };
      },
    }));
    expect([1, 2]).toContain(await firstBroken(200));
  });

  it('a lock of the set of resources, as a hash', async () => {
    const ofSet = (resources: readonly unknown[]) => [JSON.stringify(resources)];
    plant<Locks>('../../lib/pawl/locks/resource-locks.ts', ({ resourceLocks }) => ({
      resourceLocks(options) {
        const locks = resourceLocks(options);
        return { ...locks, tryWithLock: (resources, ...rest) => locks.tryWithLock(ofSet(resources), ...rest) };
      },
    }));
    plant<Store>('../../lib/pawl/locks/dynamodb/store.ts', ({ dynamoLockStore }) => ({
      dynamoLockStore(options) {
        const store = dynamoLockStore(options);
        return { ...store, stillLocked: (lock) => [store.stillHeld(lock)] };
      },
    }));
    expect([1, 2]).toContain(await firstBroken(100));
  });

  it('a lock that is taken while its lease runs', async () => {
    plant<Decide>('../../lib/pawl/locks/decide.ts', ({ decideLock }) => ({
      decideLock: (found, request, rules, now) =>
        decideLock(found, { ...request, leaseUntil: request.leaseUntil + 1e7 }, rules, now + 1e7),
    }));
    expect(await firstBroken(100)).toBe(5);
  });

  it('a lock that counts on clocks that agree', async () => {
    plant<Decide>('../../lib/pawl/locks/decide.ts', ({ decideLock }) => ({
      decideLock: (found, request, _, now) => decideLock(found, request, { skewMs: 0 }, now),
    }));
    expect(await firstBroken(1000)).toBe(5);
  });

  it('a lock that is not put out of the way before its resources are moved', async () => {
    plant<Decide>('../../lib/pawl/locks/decide.ts', ({ decideLock }) => ({
      decideLock(found, request, rules, now) {
        const decided = decideLock(found, request, rules, now);
        if (decided.kind !== 'clear') return decided;
        return decideLock(
          found.map(({ id, resource }) => ({ id, resource, lock: undefined })),
          request,
          rules,
          now,
        );
      },
    }));
    expect(await firstBroken(100)).toBe(3);
  });

  it('a lock that comes back after it has ended', async () => {
    plant<Settle>('../../lib/pawl/locks/settle.ts', ({ keepLock }) => ({
      keepLock: (lockId, found, until) => keepLock(lockId, found && { ...found, status: 'held' }, until),
    }));
    expect(await firstBroken(1000)).toBe(3);
  });

  it('a keep that unlocks', async () => {
    plant<Settle>('../../lib/pawl/locks/settle.ts', ({ endLock }) => ({
      keepLock: (lockId, found) => endLock(lockId, found),
    }));
    expect(await firstBroken(100)).toBe(8);
  });

  it('a rule that fails, and is taken for yes', async () => {
    plant<Rules>('../../lib/pawl/locks/unlock-rules.ts', ({ settleWork }) => ({
      settleWork(settings, lock, rule, renewal) {
        if (typeof rule !== 'function') return settleWork(settings, lock, rule, renewal);
        const looks = async () => rule(lock);
        return settleWork(settings, lock, () => looks().catch(() => true), renewal);
      },
    }));
    expect(await firstBroken(3000)).toBe(8);
  });

  it('a lock that is not kept for as long as was asked for', async () => {
    plant<Options>('../../lib/pawl/locks/options.ts', ({ lockSettings }) => ({
      lockSettings: (options) => ({ ...lockSettings(options), keepMs: 1 }),
    }));
    expect(await firstBroken(100)).toBe(8);
  });

  it('a fence that is not the one of the record', async () => {
    plant<Acquire>('../../lib/pawl/locks/acquire.ts', ({ acquire }) => ({
      async acquire(...args) {
        const acquired = await acquire(...args);
        if (acquired.kind === 'busy') return acquired;
        const resources = acquired.attempt.resources.map((one) => ({ ...one, fence: one.fence - 1 }));
        return { ...acquired, attempt: { ...acquired.attempt, resources } };
      },
    }));
    expect(await firstBroken(100)).toBe(4);
  });

  it('a takeover that its worker does not learn of', async () => {
    plant<Acquire>('../../lib/pawl/locks/acquire.ts', ({ acquire }) => ({
      async acquire(...args) {
        const acquired = await acquire(...args);
        if (acquired.kind === 'busy') return acquired;
        const memory = { ...acquired.attempt.memory, takenOver: new Map() };
        return { ...acquired, attempt: { ...acquired.attempt, memory } };
      },
    }));
    expect(await firstBroken(300)).toBe(9);
  });

  it('a signal that says nothing', async () => {
    plant<Renewal>('../../lib/pawl/locks/renewal.ts', ({ keepRenewed }) => ({
      keepRenewed: (owned) => ({ ...keepRenewed(owned), signal: new AbortController().signal }),
    }));
    expect(await firstBroken(1000)).toBe(13);
  });

  it('a lease that no worker renews', async () => {
    plant<Renewal>('../../lib/pawl/locks/renewal.ts', ({ keepRenewed }) => ({
      keepRenewed(owned) {
        const unchanging = { ...owned.settings.store, write: async () => ({ applied: true }) as const };
        return keepRenewed({ ...owned, settings: { ...owned.settings, store: unchanging } });
      },
    }));
    expect(await firstBroken(300)).toBe(13);
  });

  it('a request that is awaited without a bound', async () => {
    plant<Requests>('../../lib/pawl/locks/requests.ts', () => ({
      ask: (_, send) => send(),
      policyOf: () => ({ requestMs: 1e12, until: Number.POSITIVE_INFINITY }),
    }));
    expect(await firstBroken(300)).toBe(14);
  });

  it('progress that an earlier attempt moves on', async () => {
    plant<Progress>('../../lib/pawl/locks/dynamodb/progress.ts', ({ moveOn }) => ({
      moveOn: async (...args) => (await moveOn(...args)) && 'applied',
    }));
    expect(await firstBroken(1000)).toBe(7);
  });
});
