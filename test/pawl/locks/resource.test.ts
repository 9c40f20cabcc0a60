import { expect, it } from 'vitest';
import { nodeHost } from '../../../lib/pawl/host.ts';
import { memoryLockStore, type Resource, resourceLocks } from '../../../lib/pawl/locks/index.ts';
import { segmentsOf } from '../../../lib/pawl/locks/progress.ts';
import { resourceId } from '../../../lib/pawl/locks/resource.ts';

const id = (resource: unknown) => resourceId(resource as Resource, nodeHost);

it('keeps the parts of composite identities apart', () => {
  const ids = [['a', 'b#c'], ['a#b', 'c'], ['a', 'b', 'c'], ['a%23b', 'c'], 'a#b#c', 'a%23b%23c'].map(id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(id(['customer', 7])).toBe('#resource#customer#7');
  expect(id('customer')).toBe(id(['customer']));
});

it('hashes what is too long for a partition key, and what looks like a hash', () => {
  expect(id('x'.repeat(5000))).toMatch(/^#resource#sha256:[0-9a-f]{64}$/);
  expect(id(id('x'.repeat(5000)).replace('#resource#', ''))).not.toBe(id('x'.repeat(5000)));
});

it('refuses what identifies nothing', () => {
  for (const nothing of ['', [], ['a', ''], ['a', undefined], null, [2 ** 60], ['\ud800'], [{}]]) {
    expect(() => id(nothing), JSON.stringify(nothing)).toThrow(/^a (part of a )?resource/);
  }
});

it('refuses options that cannot be meant', async () => {
  const store = memoryLockStore();
  expect(() => resourceLocks({ store, leaseMs: 1 })).toThrow('leaseMs: expected at least 100; got 1');
  expect(() => resourceLocks({ store: undefined as never })).toThrow('store: expected a lock store');
  const locks = resourceLocks({ store });
  await expect(locks.tryLockAll([], { holder: 'one' })).rejects.toThrow('resources: expected at least one');
  await expect(locks.tryLockAll(['a'], { holder: '' })).rejects.toThrow('holder: expected 1 to 1024 characters');
  await expect(locks.tryLockAll(['a'], { holder: 'one', waitMs: -1 })).rejects.toThrow('waitMs');
  await expect(locks.tryLockAll(['a'], { holder: 'one', waitMs: Number.NaN })).rejects.toThrow('waitMs');
  await expect(locks.tryLockAll(['a'], { holder: 'one', waitMs: 100 / 3 })).resolves.toMatchObject({
    outcome: 'locked',
  });
});

it('divides any number of items into at most 64 segments, without a gap', () => {
  for (const total of [1, 49, 50, 51, 3200, 3201, 20_000, 100_000, 1_000_003]) {
    const segments = segmentsOf(total);
    expect(segments.length).toBeLessThanOrEqual(64);
    expect(segments[0]?.from).toBe(0);
    expect(segments.at(-1)?.to).toBe(total);
    for (const [index, { from, to }] of segments.entries()) {
      expect(to).toBeGreaterThan(from);
      expect(segments[index + 1]?.from ?? total).toBe(to);
    }
  }
});
