import { describe, expect, test, vi } from 'vitest';
import type { LockStore } from '../../../lib/pawl/locks/index.ts';
import { lockStoreLaws } from '../../../lib/testing/index.ts';
import { brokenLockStores } from './broken-lock-stores.ts';
import { rightLockStore } from './map-lock-store.ts';
import { runLaws } from './run-laws.ts';

const caught = new Map<string, string>();

const lawsOver = (open: () => LockStore) => runLaws((test) => lockStoreLaws({ test, open }));

test('a lock store over a Map passes every law that it can be held to, and each other law is skipped with its reason', async () => {
  const { passed, failed, skipped } = await lawsOver(rightLockStore);
  expect([...failed]).toEqual([]);
  expect(passed.length).toBeGreaterThan(25);
  for (const name of skipped) expect(name).toMatch(/ \(skipped: open(Elsewhere|LosingResponses) is not given\)$/);
  expect(skipped).toHaveLength(2);
});

test('a lock store of which every write is refused because of itself passes the same laws', async () => {
  const meetsItself = (): LockStore => {
    const store = rightLockStore();
    return {
      ...store,
      async write(writes) {
        const result = await store.write(writes);
        return result.applied ? store.write(writes) : result;
      },
    };
  };
  const { passed, failed } = await runLaws((test) => lockStoreLaws({ test, open: meetsItself, mayMeetItself: true }));
  expect([...failed]).toEqual([]);
  expect(passed).toEqual((await lawsOver(rightLockStore)).passed);
});

test('a lock store that takes three seconds for each call passes the same laws: no lease ends by the slowness of a machine', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const later = <T>(answer: T): T => {
    vi.setSystemTime(Date.now() + 3000);
    return answer;
  };
  const slow = (): LockStore => {
    const { most, read, write } = rightLockStore();
    return { most, read: async (ids) => later(await read(ids)), write: async (writes) => later(await write(writes)) };
  };
  try {
    const { passed, failed } = await lawsOver(slow);
    expect([...failed]).toEqual([]);
    expect(passed).toEqual((await lawsOver(rightLockStore)).passed);
  } finally {
    vi.useRealTimers();
  }
});

describe('a lock store is found out that', () => {
  for (const [name, open] of Object.entries(brokenLockStores)) {
    test(name, async () => {
      const { failed } = await lawsOver(open);
      for (const [law, message] of failed) caught.set(law, message);
      expect(failed.size).toBeGreaterThan(0);
    });
  }
});

test('each law finds one of them out', async () => {
  const { passed } = await lawsOver(rightLockStore);
  expect(passed.filter((law) => !caught.has(law))).toEqual([]);
});
