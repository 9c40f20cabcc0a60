import { describe, expect, it } from 'vitest';
import type { Checkpoint } from '../../../lib/pawl/rules/checkpoints.ts';
import { decide } from '../../../lib/pawl/rules/decide.ts';
import type { ClaimRecord } from '../../../lib/pawl/rules/record.ts';
import { memoryStore } from '../../../lib/pawl/stores/memory.ts';
import { record, request, rules } from '../../support/records.ts';
import { resolverOf } from '../../support/resolver-of.ts';
import { someDay, virtualHost } from '../../support/virtual-host.ts';

const step = (name: string, state: Checkpoint['state']): Checkpoint => ({ name, state, at: someDay, fence: 1 });
const by = { by: 'maria', note: 'ch_1' };

/** A parked claim with these steps, and what an operator can do with it. */
async function parked(steps: readonly Checkpoint[] = [], more: Partial<ClaimRecord> = {}) {
  const store = memoryStore();
  const checkpoints = steps.length > 0 ? { checkpoints: JSON.stringify(steps) } : {};
  const found = record({ id: 'refund#r-1', status: 'parked', ...checkpoints, ...more });
  await store.write({ next: found, seen: undefined });
  const claims = resolverOf({ operation: 'refund', store, host: virtualHost() });
  return {
    store,
    claims,
    resolve: (verdict: unknown, who: object = by) => claims.resolve('r-1', verdict as never, who as never),
  };
}

const inDoubt = [step('charge', 'started'), step('mail', 'done'), step('receipt', 'started')];

describe('a decision', () => {
  it.each(['perhaps', '', 5, null, undefined])('is refused where its verdict is none: %s', async (verdict) => {
    const { resolve, store } = await parked();
    await expect(resolve(verdict)).rejects.toThrow(
      /^verdict: expected 'applied', 'not-applied' or 'retry', or of a step \{ verdict: 'applied', result \}; got/,
    );
    expect(store.records()).toMatchObject([{ status: 'parked', rev: 1 }]);
  });

  it.each(['perhaps', 5, null, { verdict: 'not-applied' }, { verdict: 'retry', result: 1 }])(
    'is refused where what it says of a step is no verdict: %s',
    async (said) => {
      const { resolve } = await parked(inDoubt);
      await expect(resolve({ charge: said, receipt: 'applied' })).rejects.toThrow(
        /^verdict of step charge: expected 'applied', 'not-applied' or 'retry'/,
      );
    },
  );

  it('names the option that is misspelt: of who decided, and of a step', async () => {
    const { resolve } = await parked(inDoubt);
    await expect(resolve('retry', { ...by, fences: 1 })).rejects.toThrow(
      "resolve: there is no option 'fences'. Did you mean 'fence'? See node_modules/pawl/docs/reference/command-line.md and node_modules/pawl/docs/errors.md#unknown-option",
    );
    const said = { charge: { verdict: 'applied', results: 1 }, receipt: 'retry' };
    await expect(resolve(said)).rejects.toThrow(
      "resolve: there is no option 'charge.results'. Did you mean 'charge.result'? See node_modules/pawl/docs/guides/recover.md and node_modules/pawl/docs/errors.md#unknown-option",
    );
  });

  it.each([undefined, '', 5])('has an author: %s is none', async (who) => {
    const { resolve } = await parked();
    await expect(resolve('retry', { by: who, note: '' })).rejects.toThrow('by: expected the name of who decided; got');
  });

  it('has a note of at most 2,000 characters, and keeps as much of its author’s name', async () => {
    const { resolve, store } = await parked();
    for (const note of [undefined, 5, 'n'.repeat(2001)]) {
      await expect(resolve('retry', { by: 'maria', note })).rejects.toThrow(
        'note: expected a well-formed text of at most 2000 characters; got',
      );
    }
    expect(await resolve('retry', { by: 'm'.repeat(3000), note: 'n'.repeat(2000) })).toMatchObject({
      outcome: 'resolved',
    });
    expect(store.records()).toMatchObject([{ resolution: { by: 'm'.repeat(2000), note: 'n'.repeat(2000) } }]);
  });

  it('is kept on the claim, with when it was made', async () => {
    const { resolve, store } = await parked();
    await resolve('not-applied');
    expect(store.records()).toMatchObject([
      {
        status: 'released',
        resolution: { verdict: 'not-applied', by: 'maria', note: 'ch_1', at: new Date(someDay).toISOString() },
      },
    ]);
  });

  it('counts whatever the fence, where none is given, and only for its own fence where one is', async () => {
    const any = await parked([], { fence: 7 });
    expect(await any.resolve('retry')).toMatchObject({ outcome: 'resolved' });
    const other = await parked([], { fence: 7 });
    expect(await other.resolve('retry', { ...by, fence: 6 })).toMatchObject({ outcome: 'another-doubt' });
    expect(await other.resolve('retry', { ...by, fence: 7 })).toMatchObject({ outcome: 'resolved' });
  });

  it('of the whole as not applied speaks for its only step in doubt', async () => {
    const { resolve, store } = await parked([step('charge', 'started')]);
    expect(await resolve('not-applied')).toMatchObject({ outcome: 'resolved' });
    expect(JSON.parse(store.records()[0]?.checkpoints ?? '[]')).toMatchObject([{ name: 'charge', state: 'open' }]);
  });

  it.each([
    { charge: 'retry' },
    { charge: 'retry', receipt: 'retry', mail: 'retry' },
    { charge: 'retry', mail: 'retry' },
    { mail: 'retry', other: 'retry' },
    {},
  ])('names each step in doubt, and no other: %o does not', async (said) => {
    const { resolve, store } = await parked(inDoubt);
    expect(await resolve(said)).toMatchObject({ outcome: 'steps-in-doubt', steps: ['charge', 'receipt'] });
    expect(store.records()).toMatchObject([{ status: 'parked', rev: 1 }]);
  });

  it('of steps is none where no step is in doubt', async () => {
    const { resolve } = await parked([step('mail', 'done')]);
    expect(await resolve({})).toMatchObject({ outcome: 'steps-in-doubt', steps: [] });
  });

  it('of each step lets the handler run again, with what was said of them on the claim', async () => {
    const { resolve, store } = await parked(inDoubt);
    const said = { charge: { verdict: 'applied', result: 'ch_1' }, receipt: 'not-applied' };
    expect(await resolve(said)).toMatchObject({ outcome: 'resolved' });
    expect(store.records()).toMatchObject([
      {
        status: 'released',
        resolution: { verdict: 'by-step', steps: { charge: 'applied', receipt: 'not-applied' } },
      },
    ]);
    expect(JSON.parse(store.records()[0]?.checkpoints ?? '[]')).toMatchObject([
      { name: 'charge', state: 'done', result: '"ch_1"' },
      { name: 'mail', state: 'done' },
      { name: 'receipt', state: 'open' },
    ]);
  });
});

describe('a claim whose attempts all said that nothing was applied', () => {
  const usedUp = record({ status: 'released', attempts: 20 });
  const asked = request('second');
  const repeating = { ...rules, refusalsMayRepeat: true };

  it('may be tried again without end where its rules say so, and is parked where they do not', () => {
    expect(decide(usedUp, asked, repeating, someDay).kind).toBe('granted');
    expect(decide(usedUp, asked, rules, someDay).kind).toBe('parked');
  });

  it('is parked all the same where an earlier attempt is in doubt', () => {
    expect(decide({ ...usedUp, unknownAt: someDay }, asked, repeating, someDay).kind).toBe('parked');
  });
});
