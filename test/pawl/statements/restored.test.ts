import { expect, it } from 'vitest';
import { memoryStore, once, RetryableError } from '../../../lib/pawl/index.ts';
import { nothingObserved } from '../../../lib/pawl/rules/observed.ts';
import type { MarkedRestore } from '../../../lib/pawl/rules/restored.ts';
import type { ReconcileStatementsOptions } from '../../../lib/pawl/statements/index.ts';
import { findings, reconcileStatements } from '../../../lib/pawl/statements/index.ts';
import { restoredStore } from '../../../lib/pawl/stores/dynamodb/restored-store.ts';
import { someDay } from '../../support/virtual-host.ts';
import { charges, hour } from './charges.ts';

/** What a run does about a table that was restored. The table itself: test/suites/integration/restored-statements.long.test.ts. */

const cutOff = someDay + hour;
const reopenedAt = someDay + 2 * hour;

/** A restored table that has forgotten everything between its cut-off and its mark, ten hours ago. */
async function restoredCharges() {
  let stands = true;
  const marked = (): MarkedRestore => ({ cutOff, firstCutOff: cutOff, reopenedAt, stands });
  const lifted: { readonly operation: string; readonly by: string }[] = [];
  const memory = memoryStore();
  const store = restoredStore(memory, {
    now: () => world.host.now(),
    ofClaim: async () => (stands ? marked() : undefined),
    forStatements: {
      readRestore: async () => marked(),
      async liftRestore(operation, { by }) {
        lifted.push({ operation, by });
        stands = false;
        return true;
      },
    },
  });
  const world = charges(store as typeof memory);
  await world.host.advance(12 * hour);
  const lost = (key: string, at = cutOff + 1000) => world.line(key, { at });
  const options = (more: Partial<ReconcileStatementsOptions> = {}) =>
    world.settings({ from: cutOff - hour, restored: 'lift', ...more });
  async function run(more: Partial<ReconcileStatementsOptions> = {}) {
    const done = await reconcileStatements(options(more));
    if (done.outcome !== 'done') throw new Error(done.outcome);
    return done.report;
  }
  /** Asks for a key as its message does when it comes again. */
  async function again(key: string, fn: () => unknown = () => undefined) {
    await world.charge(key, fn);
    return (await memory.read(`charge#${key}`))?.status;
  }
  return { ...world, memory, lost, lifted, options, run, again };
}

it('completes what the statement has, releases what it lacks, and lifts the mark for its operation', async () => {
  const { lost, lifted, run, again, memory } = await restoredCharges();
  expect([await again('a'), await again('b')]).toEqual(['parked', 'parked']);
  lost('a');
  lost('never asked for again');
  expect(await run()).toMatchObject({ lines: 2, settled: 2, matched: 2, open: {}, restored: { mark: 'lifted' } });
  expect(lifted).toEqual([{ operation: 'charge', by: 'statement' }]);
  expect((await memory.read('charge#a'))?.status).toBe('completed');
  expect(await memory.read('charge#b')).toMatchObject({
    status: 'released',
    unknownAt: undefined,
    resolution: { verdict: 'not-applied', by: 'statement' },
  });
  const ran: string[] = [];
  for (const key of ['a', 'b', 'never asked for again', 'new']) await again(key, () => ran.push(key));
  expect(ran).toEqual(['b', 'new']);
});

it.each([
  ['begins at the cut-off, and an effect of that moment may lie before it', { from: cutOff }, 'begins after'],
  ['begins less than skewMs before the cut-off', { from: cutOff - 999 }, 'begins after'],
  ['ends before the table was opened again', { cutOff: reopenedAt - 1 }, 'ends before'],
  ['ends less than skewMs after the table was opened again', { cutOff: reopenedAt + 999 }, 'ends before'],
  ['has more findings than may be stored', { mostFindings: 1 }, 'more findings'],
])('lifts no mark and releases nothing if the window %s', async (_, more, why) => {
  const { lost, line, lifted, run, again } = await restoredCharges();
  await again('b');
  lost('a');
  for (const id of ['one', 'two']) line('', { effectKey: undefined, id, at: cutOff + 1 });
  expect((await run(more)).restored).toMatchObject({ mark: 'stands', why: expect.stringContaining(why) });
  expect(lifted).toEqual([]);
  expect(await again('b')).toBe('parked');
});

it('lifts the mark if the window has the lost time to the millisecond', async () => {
  const { run } = await restoredCharges();
  expect((await run({ from: cutOff - 1000, cutOff: reopenedAt + 1000 })).restored).toEqual({ mark: 'lifted' });
});

it('releases no claim beside which a run was observed that failed since: its line may come after the window', async () => {
  const { charge, run, host, memory } = await restoredCharges();
  for (const key of ['a', 'b']) {
    await charge(key, () => Promise.reject(new RetryableError('nothing was sent')), { onAbandoned: 'retry' });
  }
  const released = await memory.read('charge#b');
  if (released === undefined) throw new Error('no record');
  const failed = { run: 'r-1', at: host.now() - 100, until: host.now(), end: 'failed' };
  const observed = JSON.stringify({ ...nothingObserved, deliveries: 1, failed: 1, runs: [failed], beside: true });
  await memory.write({ next: { ...released, observed, rev: 9 }, seen: released });
  await run();
  const left = await Promise.all(['a', 'b'].map(async (key) => (await memory.read(`charge#${key}`))?.unknownAt));
  expect(left).toEqual([undefined, reopenedAt]);
});

it('lifts no mark beside a line that is undecided or unreadable: it may be the one that a key lacks', async () => {
  const { lost, line, run, again, memory, lifted } = await restoredCharges();
  await again('b');
  line('', { effectKey: `charge#sha256:${'0'.repeat(64)}`, at: cutOff + 1 });
  expect((await run()).restored).toMatchObject({ why: 'lines are unreadable' });
  const parked = await memory.read('charge#b');
  if (parked === undefined) throw new Error('no record');
  const checkpoints = JSON.stringify([{ name: 'card', state: 'started', at: cutOff, fence: 1 }]);
  await memory.write({ next: { ...parked, checkpoints, rev: 9 }, seen: parked });
  lost('b');
  expect((await run()).restored).toMatchObject({ why: 'lines are undecided' });
  expect(lifted).toEqual([]);
});

it('lifts no mark beside an unreadable line that an operator has accepted: nothing says which key it is about', async () => {
  const { line, lines, run, again, host, store, lifted } = await restoredCharges();
  await again('b');
  line('', { effectKey: `charge#sha256:${'0'.repeat(64)}`, at: cutOff + 1 });
  await run({ restored: 'complete' });
  const desk = findings({ store, host });
  for await (const { id } of desk.list()) await desk.accept(id, { by: 'maria', note: 'a long key' });
  const report = await run();
  expect(report).toMatchObject({ open: {}, unreadable: 1, restored: { mark: 'stands', why: 'lines are unreadable' } });
  expect([lifted, await again('b')]).toEqual([[], 'parked']);
  lines[0] = { key: 'long', at: cutOff + 1 };
  expect((await run()).restored).toEqual({ mark: 'lifted' });
});

it('has ended what it began with a page when it fails: no release goes on behind its back', async () => {
  const { run, again, store, memory } = await restoredCharges();
  for (const key of ['fails', 'slow']) await again(key);
  const failing: typeof store = {
    ...store,
    async write(write) {
      if (write.next.id === 'charge#fails') throw new Error('throttled');
      await new Promise((resolve) => setImmediate(resolve));
      return store.write(write);
    },
  };
  await expect(run({ store: failing })).rejects.toThrow('throttled');
  expect((await memory.read('charge#slow'))?.status).toBe('released');
});

it('releases no claim with steps, and no doubt that a worker has left since the mark was set: its policy decides that', async () => {
  const { run, again, memory } = await restoredCharges();
  await again('steps');
  const parked = await memory.read('charge#steps');
  if (parked === undefined) throw new Error('no record');
  const checkpoints = JSON.stringify([{ name: 'card', state: 'started', at: cutOff, fence: 1 }]);
  await memory.write({ next: { ...parked, checkpoints, rev: 9 }, seen: parked });
  await again('ran');
  const released = await memory.read('charge#ran');
  if (released === undefined) throw new Error('no record');
  // An operator has let it run, and its worker died in the middle.
  await memory.write({ next: { ...released, unknownAt: reopenedAt + hour, rev: 9 }, seen: released });
  expect((await run()).restored).toEqual({ mark: 'lifted' });
  expect([await again('steps'), await again('ran')]).toEqual(['parked', 'parked']);
});

it('releases no claim that was first seen before the window: its effect may have its line there', async () => {
  const { run, memory, again, host } = await restoredCharges();
  await again('old');
  const parked = await memory.read('charge#old');
  if (parked === undefined) throw new Error('no record');
  await memory.write({ next: { ...parked, firstSeenAt: cutOff - 2 * hour, rev: 9 }, seen: parked });
  expect((await run()).restored).toEqual({ mark: 'lifted' });
  expect((await memory.read('charge#old'))?.status).toBe('parked');
  expect((await run({ from: cutOff - 3 * hour, cutOff: host.now() - 2 * hour })).restored).toEqual({ mark: 'lifted' });
  expect((await memory.read('charge#old'))?.status).toBe('released');
});

it('lifts no mark if an attempt of the run did not know of the restore; the next run does', async () => {
  const { lost, options, run, memory } = await restoredCharges();
  for (let index = 0; index < 101; index++) lost(`order-${index}`);
  const stopping = new AbortController();
  const stopped = await reconcileStatements(
    options({ store: memory, restored: 'complete', signal: stopping.signal, onProgress: () => stopping.abort() }),
  );
  expect(stopped.outcome).toBe('stopped');
  expect((await run()).restored).toMatchObject({ mark: 'stands', why: expect.stringContaining('begun by') });
  expect((await run()).restored).toEqual({ mark: 'lifted' });
});

it("leaves the mark as it is under 'release', and keys as they are under 'complete'", async () => {
  const { lost, run, again, memory, lifted } = await restoredCharges();
  await again('b');
  lost('a');
  const completed = await run({ restored: 'complete' });
  expect([completed.settled, completed.restored]).toEqual([1, undefined]);
  expect((await memory.read('charge#b'))?.status).toBe('parked');
  expect((await run({ restored: 'release' })).restored).toEqual({ mark: 'stands' });
  expect((await memory.read('charge#b'))?.status).toBe('released');
  expect(lifted).toEqual([]);
});

it('does not say that a claim lacks its line if the table has forgotten when it saw the key first', async () => {
  const { memory, store, run, host } = await restoredCharges();
  // Asked for again under 'retry': it runs, and its earlier effect may have a line before the window.
  const charge = once(
    {
      ...{ operation: 'charge', store, host, key: (key: string) => key, onAbandoned: 'retry', statements: true },
      onEvent: () => undefined,
    },
    () => undefined,
  ).outcome;
  await charge('a', { remainingMs: () => 30_000 });
  expect(await memory.read('charge#a')).toMatchObject({ status: 'completed', restoredAt: reopenedAt });
  await host.advance(9 * hour);
  expect(await run({ from: reopenedAt, restored: 'complete' })).toMatchObject({ open: {}, waiting: 1 });
  expect(await run({ from: cutOff - hour, restored: 'complete' })).toMatchObject({ open: { 'missing-there': 1 } });
});

it('refuses to release or lift over a store that knows of no restore, and a word that is none', async () => {
  const { settings, host } = charges();
  await host.advance(9 * hour);
  await expect(reconcileStatements(settings({ restored: 'lift' }))).rejects.toThrow("'lift' needs a store");
  await expect(reconcileStatements(settings({ restored: 'all' as 'lift' }))).rejects.toThrow(
    "'complete', 'release' or",
  );
});
