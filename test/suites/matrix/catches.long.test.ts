import { expect, test } from 'vitest';
import type { ClaimRecord } from '../../../lib/pawl/index.ts';
import { crashSweep } from '../../../lib/testing/index.ts';
import type { Outside } from './outside.ts';
import { nameOf, sweepOf } from './sweep.ts';
import type { Swept } from './table.ts';

/** What is wrong where the outside is another one than the matrix takes it to be. */
async function foundIn(swept: Swept, outside: (as: Outside) => Partial<Outside>): Promise<ReadonlySet<string>> {
  const sweep = sweepOf(swept);
  const provider: typeof sweep.provider = (time) => {
    const as = sweep.provider(time);
    return { ...as, ...outside(as) };
  };
  const { findings } = await crashSweep({ ...sweep, provider, max: 60 });
  return new Set(findings.flatMap(({ effects }) => Object.keys(effects).filter((name) => effects[name] !== 0)));
}

const doubled = async (swept: Swept, outside: (as: Outside) => Partial<Outside>) => {
  const sweep = sweepOf(swept);
  const report = await crashSweep({
    ...sweep,
    provider: (time) => {
      const as = sweep.provider(time);
      return { ...as, ...outside(as) };
    },
    max: 60,
  });
  return report.doubled.length;
};

const forgetsKeys = ({ act }: Outside) => ({ act: (effect: string, payment: string) => act(effect, payment) });
const records = (change: (record: ClaimRecord) => ClaimRecord) => (as: Outside) => ({
  recordOf(payment: string) {
    const record = as.recordOf(payment);
    return record && change(record);
  },
});

test.each<Swept>([
  { feature: 'retry', door: 'eachMessage', policy: 'retry' },
  { feature: 'step', door: 'once', policy: 'retry' },
  { feature: 'inPhases', door: 'httpOnce', policy: 'retry' },
  { feature: 'withLock', door: 'sqsOnce', policy: 'retry' },
])('a provider that forgets its keys is caught: $feature behind $door', async (swept) => {
  expect(await doubled(swept, forgetsKeys), nameOf(swept)).toBeGreaterThan(0);
});

test.each<[string, Swept, (record: ClaimRecord) => ClaimRecord]>([
  [
    'attributes that are not on the record',
    { feature: 'attributes', door: 'sqsOnce', policy: 'retry' },
    ({ attributes, ...record }) => record,
  ],
  [
    'checkpoints that are left',
    { feature: 'step', door: 'onceOverHttp', policy: 'park' },
    (record) => ({ ...record, checkpoints: '[]' }),
  ],
  [
    'a claim that is left in-flight',
    { feature: 'commit', door: 'eachMessage', policy: 'retry' },
    (record) => ({ ...record, status: 'in-flight' }),
  ],
  [
    'a claim that is completed',
    { feature: 'reject', door: 'eachTransaction', policy: 'retry' },
    (record) => ({ ...record, status: 'completed' }),
  ],
  [
    'a decision that is not kept',
    { feature: 'resolve', door: 'once', policy: 'park' },
    ({ resolution, ...record }) => record,
  ],
])('%s, and the matrix says so', async (what, swept, change) => {
  expect(await foundIn(swept, records(change))).toContain(what);
});

test.each([
  ['a resource whose lock is left held', '#', { id: '#lock#1', lockId: '#lock#1', status: 'held', holder: 'pay#p-1' }],
  ['progress that is not all done', '#work#', { next: 2, to: 3 }],
] as const)('%s, and the matrix says so', async (what, where, item) => {
  const swept: Swept = { feature: 'forEachItem', door: 'eachMessage', policy: 'retry' };
  const found = await foundIn(swept, ({ kept }) => ({
    kept: (prefix) => (prefix.startsWith(where) ? [item] : kept(prefix)),
  }));
  expect(found).toContain(what);
});
