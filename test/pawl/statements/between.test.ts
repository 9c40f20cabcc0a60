import { expect, it } from 'vitest';
import { reconcileStatements, type StatementLine } from '../../../lib/pawl/statements/index.ts';
import { resolverOf } from '../../support/resolver-of.ts';
import { charges, hour } from './charges.ts';

/** What can happen between two looks at one line or claim: within a run, and between two runs. */

const failing = () => {
  throw new Error('the connection was reset');
};

it('takes a line without an id that could not be decided for the same line in the next run, and not for a second one', async () => {
  const { charge, line, reconciled, host } = charges();
  const ends = Promise.withResolvers<void>();
  await host.advance(hour);
  void charge('a', () => ends.promise);
  await host.advance(hour + 100);
  line('a', { id: undefined });
  expect((await reconciled()).found).toEqual(['undecided charge#a']);
  ends.resolve();
  await host.advance(100);
  expect((await reconciled()).found).toEqual([]);
  expect((await reconciled()).found).toEqual([]);
});

it('does not say that a claim lacks its line if an operator completes it while the run reads', async () => {
  const { charge, line, settings, host, store } = charges();
  await charge('a', failing);
  const record = await store.read('charge#a');
  if (record === undefined) throw new Error('no record');
  // With steps, a line does not decide it.
  const checkpoints = JSON.stringify([{ name: 'card', state: 'done', at: record.firstSeenAt, fence: 1 }]);
  await store.write({ next: { ...record, checkpoints, rev: 9 }, seen: record });
  line('a');
  await host.advance(3 * hour);
  const parked = resolverOf({ operation: 'charge', store });
  const completing: typeof store = {
    ...store,
    listPlace: async (query) => {
      if (query.place.startsWith('#unstated#')) await parked.resolve('a', 'applied', { by: 'maria', note: 'ch_1' });
      return store.listPlace(query);
    },
  };
  expect(await reconcileStatements(settings({ store: completing }))).toMatchObject({
    outcome: 'done',
    findings: [],
    report: { met: 2 },
  });
});

it('tells two lines without an id apart by their keys, also where no claim can be found for them', async () => {
  const { line, reconciled, host } = charges();
  await host.advance(hour);
  for (const digit of ['0', '1']) line('', { effectKey: `charge#sha256:${digit.repeat(64)}`, id: undefined });
  expect((await reconciled()).report.open).toEqual({ unreadable: 2 });
});

it('reads a statement without ids anew if the last line that was done is another one of the same time and amount', async () => {
  const { charge, line, lines, settings, host } = charges();
  for (let index = 0; index < 120; index++) await charge(`order-${index}`);
  const at = host.now();
  for (let index = 0; index < 120; index++) line(`order-${index}`, { id: undefined, at });
  await host.advance(3 * hour);
  const stopping = new AbortController();
  await reconcileStatements(settings({ signal: stopping.signal, onProgress: () => stopping.abort() }));
  // A line that was not there: what was line 100 is line 101.
  lines.unshift({ ...(lines[0] as StatementLine), effectKey: 'charge#unheard-of' });
  const done = await reconcileStatements(settings());
  expect(done).toMatchObject({ report: { lines: 121, matched: 120, open: { 'missing-here': 1 } } });
});

it('reports what it has just found, also if the index does not list it yet', async () => {
  const { line, reconciled, host, store, events } = charges();
  await host.advance(hour);
  line('unheard-of');
  const lagging: typeof store = {
    ...store,
    listPlace: async (query) =>
      query.place === '#findings' ? { entries: [], after: undefined } : store.listPlace(query),
  };
  const { found, report } = await reconciled({ store: lagging });
  expect(found).toEqual(['missing-here charge#unheard-of']);
  expect(report).toMatchObject({ open: { 'missing-here': 1 }, fresh: 1 });
  expect(events).toMatchObject([{ type: 'statement-findings', open: 1 }]);
});

it('reports nothing twice where the index lists it, too', async () => {
  const { line, reconciled, host } = charges();
  await host.advance(hour);
  line('unheard-of');
  expect((await reconciled()).report.open).toEqual({ 'missing-here': 1 });
});

it('says of no claim that it is missing there if its line was read when findings were not stored any more', async () => {
  const { charge, line, reconciled, host } = charges();
  const ends = Promise.withResolvers<void>();
  await host.advance(hour);
  void charge('slow', () => ends.promise);
  await host.advance(hour + 100);
  line('unheard-of');
  // A worker holds its claim: it would be a finding, and is only counted.
  line('slow');
  const first = await reconciled({ mostFindings: 1 });
  expect(first.report).toMatchObject({ notStored: 1 });
  ends.resolve();
  await host.advance(24 * hour);
  const second = await reconciled({ from: first.report.cutOff, statement: () => [] });
  expect(second.found).toEqual(['missing-here charge#unheard-of']);
  expect(second.report).toMatchObject({ waiting: 1 });
});

it('completes a claim that was parked while the run read, when its line is looked at once more', async () => {
  const { charge, line, settings, host, store } = charges();
  await charge('a', failing);
  await host.advance(hour);
  line('a');
  await host.advance(3 * hour);
  let reads = 0;
  const held: typeof store = {
    ...store,
    // At the first look a worker holds it.
    read: async (id) => {
      const found = await store.read(id);
      return found && reads++ < 2 ? { ...found, status: 'in-flight', leaseUntil: host.now() + hour } : found;
    },
  };
  expect(await reconcileStatements(settings({ store: held }))).toMatchObject({
    outcome: 'done',
    findings: [],
  });
  expect(await store.read('charge#a')).toMatchObject({ status: 'completed' });
});

it('takes a line without an id for the same one, if another one was inserted before it and a process that had died repeats the part', async () => {
  const { charge, line, lines, settings, reconciled, store, host } = charges();
  await charge('a');
  line('a', { id: undefined });
  await host.advance(3 * hour);
  const dying: typeof store = {
    ...store,
    async writeNote(write) {
      // The mark is on the claim, and no progress is written.
      if (write.next.rev > 1) throw new Error('killed');
      return store.writeNote(write);
    },
  };
  await expect(reconcileStatements(settings({ store: dying }))).rejects.toThrow('killed');
  await charge('b');
  line('b', { id: undefined, at: lines[0]?.at ?? 0 });
  lines.reverse();
  expect((await reconciled()).found).toEqual([]);
});

it('finds a second line that says the same without an id, also if the two name their claim in two ways', async () => {
  const { charge, line, reconciled, host } = charges();
  await charge('a');
  const at = host.now();
  line('a', { id: undefined, at });
  line('', { id: undefined, at, effectKey: undefined, key: 'a' });
  expect((await reconciled()).found).toEqual(['twice charge#a']);
});
