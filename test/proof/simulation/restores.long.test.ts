import { afterEach, describe, expect, it } from 'vitest';
import { createPlanting } from '../../../proof/simulation/planting.ts';
import { simulateRestores } from '../../../proof/simulation/restores/simulate.ts';
import { runSeeds } from '../../../proof/simulation/tally.ts';

const from = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index);

describe('the simulation of restores', () => {
  it('finds nothing wrong under 100 seeds, in which everything happens that it is about', async () => {
    const { failures, stats } = await runSeeds(simulateRestores, from(1, 100));
    expect(failures).toEqual([]);
    for (const [what, times] of Object.entries(stats)) expect(times, what).toBeGreaterThan(10);
  });

  it('does the same again under the same seed, with and without turns of the event loop', async () => {
    for (const seed of from(1, 5)) {
      const { hash, steps } = await simulateRestores(seed);
      expect(await simulateRestores(seed, { turnsTheLoop: true, keepsStory: true })).toMatchObject({ hash, steps });
    }
  });
});

describe('the simulation of restores finds', () => {
  const { plant, firstBroken, uproot } = createPlanting(
    async () => (await import('../../../proof/simulation/restores/simulate.ts')).simulateRestores,
  );
  afterEach(uproot);

  type Table = typeof import('../../../lib/pawl/stores/dynamodb/physical-table.ts');
  type Restored = typeof import('../../../lib/pawl/rules/restored.ts');
  type Resolve = typeof import('../../../lib/pawl/rules/resolve.ts');
  type Settle = typeof import('../../../lib/pawl/rules/settle.ts');
  type Mark = typeof import('../../../lib/pawl/stores/dynamodb/restore-mark.ts');
  type Checkpoints = typeof import('../../../lib/pawl/rules/checkpoints.ts');
  const restored = '../../lib/pawl/rules/restored.ts';

  it("a mark of an earlier table that is taken for the table's own", async () => {
    plant<Table>('../../lib/pawl/stores/dynamodb/physical-table.ts', () => ({
      describeTable: async () => ({ id: 'any', restoredTo: undefined }),
    }));
    expect([1, 2]).toContain(await firstBroken(100));
  });

  it('a mark that is of a table by its name of a time: the second one has the name of the first', async () => {
    plant<Mark>('../../lib/pawl/stores/dynamodb/restore-mark.ts', ({ markedBy }) => ({
      markedBy(own, earlier, cut) {
        const marked = markedBy(own, earlier, cut);
        if (marked.kind === 'keep' || earlier === undefined) return marked;
        return { kind: 'write', draft: { ...marked.draft, reopenedAt: earlier.reopenedAt } };
      },
    }));
    expect([1, 2]).toContain(await firstBroken(100));
  });

  it('a claim in flight that is believed because its lease ends after the mark', async () => {
    plant<Restored>(restored, ({ asRestored }) => ({
      asRestored: (id, found, restore, now) =>
        found?.status === 'in-flight' && found.leaseUntil >= restore.reopenedAt
          ? found
          : asRestored(id, found, restore, now),
    }));
    expect([1, 2]).toContain(await firstBroken(200));
  });

  it('a step that is believed not to be applied because it was not at the cut-off', async () => {
    plant<Restored>(restored, ({ asRestored }) => ({
      asRestored: (id, found, restore, now) => ({
        ...asRestored(id, found, restore, now),
        ...(found?.checkpoints && { checkpoints: found.checkpoints }),
      }),
    }));
    expect([1, 2]).toContain(await firstBroken(200));
  });

  it('a decision on some steps that ends the doubt of all parts', async () => {
    plant<Resolve>('../../lib/pawl/rules/resolve.ts', ({ resolution }) => ({
      resolution: (found, said, rules, now) => ({ ...resolution(found, said, rules, now), forgottenUntil: undefined }),
    }));
    plant<Settle>('../../lib/pawl/rules/settle.ts', ({ settle }) => ({
      settle(claimId, found, outcome, rules, now) {
        const next = settle(claimId, found, outcome, rules, now);
        return typeof next === 'object' ? { ...next, forgottenUntil: undefined } : next;
      },
    }));
    expect([1, 2]).toContain(await firstBroken(100));
  });

  it('a sweep whose verdict on some steps ends the doubt of all parts', async () => {
    plant<Settle>('../../lib/pawl/rules/settle.ts', ({ settle }) => ({
      settle(claimId, found, outcome, rules, now) {
        const next = settle(claimId, found, outcome, rules, now);
        const isSaid = outcome.status === 'released' && outcome.doubtEnded === true;
        return typeof next === 'object' && isSaid ? { ...next, forgottenUntil: undefined } : next;
      },
    }));
    expect([1, 2]).toContain(await firstBroken(200));
  });

  it('a forgotten key that is taken for a new one', async () => {
    plant<Restored>(restored, ({ asRestored }) => ({
      asRestored: (id, found, restore, now) => ({
        ...asRestored(id, found, restore, now),
        ...(found === undefined && { unknownAt: undefined, forgottenUntil: undefined }),
      }),
    }));
    expect([1, 2]).toContain(await firstBroken(100));
  });

  it('a step in doubt that is not written down, so that no operator can decide it alone', async () => {
    plant<Checkpoints>('../../lib/pawl/rules/checkpoints.ts', ({ withCheckpoint, checkpointsOf }) => ({
      withCheckpoint: (before, index, checkpoint) =>
        checkpoint.state === 'started' && before[index] === undefined && checkpoint.result === undefined
          ? JSON.stringify(before)
          : withCheckpoint(before, index, checkpoint),
      checkpointsOf,
    }));
    expect(await firstBroken(300)).toBeDefined();
  });
});
