import { describe, expect, test } from 'vitest';
import type { LockStore } from '../../../lib/locks/index.ts';
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

describe('a lock store is found out that', () => {
  for (const [name, open] of Object.entries(brokenLockStores)) {
    test(name, { timeout: 8000 }, async () => {
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
