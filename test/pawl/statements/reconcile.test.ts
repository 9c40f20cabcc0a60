import { expect, it } from 'vitest';
import { hashed, RetryableError } from '../../../lib/pawl/index.ts';
import { findings, reconcileStatements, type StatementLine } from '../../../lib/pawl/statements/index.ts';
import { charges, hour } from './charges.ts';

it('finds nothing where every charge has its line, and reports that once', async () => {
  const { charge, line, reconciled, events } = charges();
  for (const key of ['a', 'b', 'c']) {
    await charge(key);
    line(key);
  }
  const { report, found } = await reconciled();
  expect(found).toEqual([]);
  expect(report).toMatchObject({ lines: 3, matched: 3, settled: 0, waiting: 0, met: 0, open: {} });
  expect(events).toMatchObject([{ type: 'statement-clean', operation: 'charge', id: '', lines: 3, open: 0 }]);
});

it('finds what the provider did without a claim, what it has not done, another amount and a second line, and nothing else', async () => {
  const { charge, line, reconciled, events, open } = charges();
  for (const key of ['a', 'b', 'c', 'd', 'e']) await charge(key);
  line('a');
  line('b', { facts: { amountCents: 1251 } });
  line('c');
  line('c');
  line('unheard-of');
  line('e');
  const { found, report } = await reconciled();
  const expected = ['differs charge#b', 'missing-here charge#unheard-of', 'missing-there charge#d', 'twice charge#c'];
  expect(found.toSorted()).toEqual(expected);
  expect(report.open).toEqual({ differs: 1, 'missing-here': 1, 'missing-there': 1, twice: 1 });
  expect(events).toMatchObject([{ type: 'statement-findings', open: 4, fresh: 4 }]);
  expect((await open()).toSorted()).toEqual(expected);
});

it('says what differs, and leaves a difference within the tolerance alone', async () => {
  const { charge, line, reconciled } = charges();
  await charge('a');
  await charge('b');
  line('a', { facts: { amountCents: 1252 } });
  line('b', { facts: { amountCents: 1253 } });
  const { findings: found } = await reconciled({ tolerance: { amountCents: 2 } });
  expect(found).toMatchObject([
    { claimId: 'charge#b', differences: [{ name: 'amountCents', here: 1250, there: 1253 }] },
  ]);
});

it('completes a claim in doubt that the statement has, under its fence, and says by what', async () => {
  const { charge, line, reconciled, store, events } = charges();
  const failing = () => {
    throw new Error('the connection was reset');
  };
  await charge('parked', failing);
  await charge('released', failing, { onAbandoned: 'retry' });
  line('parked', { id: 'txn_p' });
  line('released', { id: 'txn_r' });
  const { report, found } = await reconciled();
  expect(found).toEqual([]);
  expect(report).toMatchObject({ lines: 2, matched: 2, settled: 2 });
  for (const [key, line] of [
    ['parked', 'txn_p'],
    ['released', 'txn_r'],
  ]) {
    const record = await store.read(`charge#${key}`);
    expect(record).toMatchObject({ status: 'completed', resolution: { verdict: 'applied', by: 'statement' } });
    expect(record?.resolution?.note).toContain(line);
    expect(record?.unknownAt).toBeUndefined();
  }
  expect(events.filter(({ type }) => type === 'reconciled')).toHaveLength(2);
});

it('completes a claim that was released with nothing in doubt, because the provider has its effect', async () => {
  const { charge, line, reconciled, store } = charges();
  await charge('a', () => {
    throw new RetryableError('nothing was applied, it was thought');
  });
  expect(await store.read('charge#a')).toMatchObject({ status: 'released', unknownAt: undefined });
  line('a');
  expect((await reconciled()).report.settled).toBe(1);
  let ran = 0;
  await charge('a', () => ran++);
  expect(ran).toBe(0);
});

it('completes a claim whose attempt was to leave no doubt, because the provider has its effect', async () => {
  const { charge, line, reconciled, store, host } = charges();
  void charge('a', () => new Promise(() => undefined));
  await host.advance(hour + 100);
  const seen = await store.read('charge#a');
  if (seen?.status !== 'in-flight') throw new Error('no worker has it');
  // As a worker of eachTransaction that has died leaves it.
  await store.write({ next: { ...seen, claimId: 'dead', atomic: seen.fence, leaseUntil: host.now(), rev: 9 }, seen });
  line('a');
  let reads = 0;
  const read = async (id: string) => {
    if (++reads > 50) throw new Error('the claim is read without an end');
    return store.read(id);
  };
  expect((await reconciled({ store: { ...store, read } })).report.settled).toBe(1);
  expect(await store.read('charge#a')).toMatchObject({ status: 'completed', resolution: { by: 'statement' } });
});

it('leaves a claim to the worker that holds it, and looks again in the next run', async () => {
  const { charge, line, reconciled, store, host } = charges();
  const ends = Promise.withResolvers<void>();
  await host.advance(hour);
  void charge('a', () => ends.promise);
  await host.advance(hour + 100);
  line('a');
  const first = await reconciled();
  expect(first.found).toEqual(['undecided charge#a']);
  expect(await store.read('charge#a')).toMatchObject({ status: 'in-flight' });
  ends.resolve();
  await host.advance(100);
  const { found, report } = await reconciled({ from: host.now(), statement: () => [] });
  expect(found).toEqual([]);
  expect(report.open).toEqual({});
  expect(await store.read('charge#a')).toMatchObject({ status: 'completed', open: undefined });
});

it('does not say of a claim with steps that all of them have happened', async () => {
  const { charge, line, reconciled, store } = charges();
  await charge('a', () => {
    throw new Error('reset');
  });
  const record = await store.read('charge#a');
  if (record === undefined) throw new Error('no record');
  const checkpoints = JSON.stringify([{ name: 'card', state: 'done', at: record.firstSeenAt, fence: 1 }]);
  await store.write({ next: { ...record, checkpoints, rev: 9 }, seen: record });
  line('a');
  expect((await reconciled()).found).toEqual(['undecided charge#a']);
  expect(await store.read('charge#a')).toMatchObject({ status: 'parked' });
});

it('takes the line of a rejected claim for one that should not be there', async () => {
  const { charge, line, reconciled } = charges();
  const { RejectedError } = await import('../../../lib/pawl/index.ts');
  await charge('a', () => {
    throw new RejectedError('the card was declined');
  });
  line('a');
  expect((await reconciled()).findings).toMatchObject([{ kind: 'missing-here', status: 'rejected' }]);
});

it('decides nothing by absence before the line can have come', async () => {
  const { charge, reconciled, host } = charges();
  await charge('early');
  await host.advance(3 * hour);
  await charge('late');
  const { found, report } = await reconciled({ cutOff: host.now() });
  expect(found).toEqual(['missing-there charge#early']);
  expect(report.waiting).toBe(1);
  const later = await reconciled({ from: host.now() - 5 * hour });
  expect(later.found.toSorted()).toEqual(['missing-there charge#early', 'missing-there charge#late']);
});

it('waits for a line that may still come, until its claim has settled for long enough before the cut-off', async () => {
  const { charge, reconciled, host, store } = charges();
  await charge('a');
  const { leaseUntil = 0 } = (await store.read('charge#a')) ?? {};
  await host.advance(9 * hour);
  const justBefore = await reconciled({ cutOff: leaseUntil + 1000 + hour - 1 });
  expect([justBefore.found, justBefore.report.waiting]).toEqual([[], 1]);
  expect((await reconciled({ cutOff: leaseUntil + 1000 + hour })).found).toEqual(['missing-there charge#a']);
});

it('believes the record, and not an index that still lists a claim with its line', async () => {
  const { charge, line, reconciled, store } = charges();
  await charge('a');
  line('a');
  const entry = { id: 'charge#a', firstSeenAt: (await store.read('charge#a'))?.firstSeenAt ?? 0 };
  const lagging: typeof store = {
    ...store,
    listPlace: async (query) =>
      query.place.startsWith('#unstated#charge#') ? { entries: [entry], after: undefined } : store.listPlace(query),
  };
  expect((await reconciled({ store: lagging })).found).toEqual([]);
});

it('refuses a cut-off before which lines may still come', async () => {
  const { settings, host } = charges();
  await host.advance(9 * hour);
  await expect(reconcileStatements(settings({ cutOff: host.now() - 1000 }))).rejects.toThrow(/cutOff: expected a time/);
});

it('takes a claim for missing only if all that time was read, by this window or those before it', async () => {
  const { charge, line, reconciled, host } = charges();
  await charge('before');
  await host.advance(hour);
  const from = host.now();
  await charge('within');
  const first = await reconciled({ from });
  expect(first.found).toEqual(['missing-there charge#within']);
  expect(first.report.waiting).toBe(1);
  const second = await reconciled({ from: first.report.cutOff });
  expect(second.report).toMatchObject({ waiting: 1 });
  // The line of a claim comes with a later window, and settles the finding.
  line('within');
  expect((await reconciled({ from: second.report.cutOff })).found).toEqual([]);
});

it('does nothing with lines outside of the window, and with those of other operations', async () => {
  const { charge, line, reconciled, host } = charges();
  await charge('a');
  line('a');
  line('a', { effectKey: 'refund#a' });
  line('unheard-of', { at: host.now() - 100 * hour });
  line('unheard-of', { at: host.now() + 100 * hour });
  const { report, found } = await reconciled();
  expect(found).toEqual([]);
  expect(report).toMatchObject({ lines: 1, outside: 3 });
});

it('finds an effect that the provider was given no key for, and a line that says nothing', async () => {
  const { line, reconciled, host } = charges();
  await host.advance(hour);
  line('', { effectKey: undefined, id: 'by hand' });
  line('', { effectKey: `charge#sha256:${'0'.repeat(64)}`, id: 'hashed' });
  line('', { effectKey: undefined, key: Number.NaN, id: 'no key' });
  expect((await reconciled()).found.toSorted()).toEqual([
    'missing-here by hand',
    'unreadable hashed',
    'unreadable no key',
  ]);
});

it('finds the claim of a long key by the key', async () => {
  const { charge, line, reconciled } = charges();
  const key = 'é'.repeat(400);
  await charge(key);
  line('', { effectKey: undefined, key });
  expect((await reconciled()).found).toEqual([]);
});

it('takes the same line of two windows for one, and two lines that say the same for two', async () => {
  const { charge, line, reconciled, host } = charges();
  await charge('a');
  line('a', { id: undefined });
  expect((await reconciled()).found).toEqual([]);
  expect((await reconciled()).found).toEqual([]);
  await charge('b');
  const at = host.now();
  line('b', { id: undefined, at });
  line('b', { id: undefined, at });
  expect((await reconciled()).found).toEqual(['twice charge#b']);
});

it('reports a finding in each run until it is accepted, and not again', async () => {
  const { charge, reconciled, line, store, host, events } = charges();
  await charge('a');
  line('unheard-of');
  expect((await reconciled()).found).toHaveLength(2);
  const again = await reconciled();
  expect(again.found).toHaveLength(2);
  expect(again.report.fresh).toBe(0);
  const desk = findings({ store, host });
  for (const { id } of again.findings) {
    expect(await desk.accept(id, { by: 'maria', note: 'refunded' })).toMatchObject({
      outcome: 'accepted',
      finding: { accepted: { by: 'maria', note: 'refunded' } },
    });
    expect(await desk.accept(id, { by: 'joe', note: 'me too' })).toMatchObject({ outcome: 'not-open' });
  }
  expect(await desk.accept('#finding#charge#twice#x', { by: 'joe', note: '' })).toEqual({ outcome: 'unknown-finding' });
  expect((await reconciled()).found).toEqual([]);
  expect(events.map(({ type }) => type)).toEqual(['statement-findings', 'statement-findings', 'statement-clean']);
});

it('reports a difference again once it is another one', async () => {
  const { charge, line, lines, reconciled, store, host } = charges();
  await charge('a');
  line('a', { facts: { amountCents: 1 } });
  const [first] = (await reconciled()).findings;
  await findings({ store, host }).accept(first?.id ?? '', { by: 'maria', note: 'known' });
  expect((await reconciled()).found).toEqual([]);
  lines[0] = { ...(lines[0] as StatementLine), facts: { amountCents: 2 } };
  expect((await reconciled()).found).toEqual(['differs charge#a']);
});

it('stores no more findings than it may, and counts the rest', async () => {
  const { line, reconciled, host, open } = charges();
  await host.advance(hour);
  for (let index = 0; index < 5; index++) line(`unheard-of-${index}`);
  const { report } = await reconciled({ mostFindings: 3 });
  expect(report).toMatchObject({ met: 3, notStored: 2 });
  expect(await open()).toHaveLength(3);
});

it('settles by itself what the next look finds in order', async () => {
  const { charge, line, reconciled, host } = charges();
  await charge('late-line');
  await host.advance(hour);
  line('late-claim');
  expect((await reconciled()).found.toSorted()).toEqual([
    'missing-here charge#late-claim',
    'missing-there charge#late-line',
  ]);
  await charge('late-claim');
  line('late-line');
  expect((await reconciled()).found).toEqual([]);
});

it('asks nothing of claims that do not wait for a statement', async () => {
  const { charge, reconciled, line, store } = charges();
  await charge('a', undefined, { statements: false });
  await charge('b', undefined, { statements: false });
  expect(await store.read('charge#a')).toMatchObject({ open: undefined, statement: undefined });
  line('b', { facts: { amountCents: 1 } });
  expect((await reconciled()).found).toEqual(['differs charge#b']);
});

it('has the last report for an operator', async () => {
  const { charge, line, reconciled, store, host } = charges();
  await charge('a');
  line('a');
  const { report } = await reconciled();
  expect(await findings({ store, host }).report('charge')).toEqual(report);
  expect(await findings({ store, host }).report('refund')).toBeUndefined();
});

it('closes a difference when the corrected line comes, and keeps by which line', async () => {
  const { charge, line, lines, reconciled, events, open, store } = charges();
  await charge('a');
  const wrong = line('a', { id: 'txn_a', facts: { amountCents: 1251 } });
  const { findings: found } = await reconciled();
  expect(await open()).toEqual(['differs charge#a']);
  lines[0] = { ...wrong, facts: { amountCents: 1250 } };
  const { report } = await reconciled();
  expect([await open(), report.open]).toEqual([[], {}]);
  expect(events.at(-1)).toMatchObject({ type: 'statement-clean', open: 0 });
  const note = await store.readNote(found[0]?.id ?? '');
  expect(JSON.parse(note?.text ?? '')).toMatchObject({
    differences: [{ here: 1250, there: 1251 }],
    settledAt: expect.any(Number),
    settledBy: { id: 'txn_a', facts: { amountCents: 1250 } },
  });
});

it('reports one difference of a line that was corrected to another wrong amount, and the first one again when it is wrong again', async () => {
  const { charge, line, lines, reconciled } = charges();
  await charge('a');
  const wrong = line('a', { id: 'txn_a', facts: { amountCents: 1251 } });
  const differs = async (amountCents: number) => {
    lines[0] = { ...wrong, facts: { amountCents } };
    const { findings: found } = await reconciled();
    return found.flatMap(({ differences = [] }) => differences.map(({ there }) => there));
  };
  expect(await differs(1251)).toEqual([1251]);
  expect(await differs(1260)).toEqual([1260]);
  expect(await differs(1250)).toEqual([]);
  expect(await differs(1251)).toEqual([1251]);
});

it('closes a difference whose claim says the same by now, though its line is in no window any more', async () => {
  const { charge, line, reconciled, open, store, host } = charges();
  await charge('a');
  line('a', { facts: { amountCents: 1251 } });
  await reconciled();
  const seen = await store.read('charge#a');
  if (seen === undefined) throw new Error('there is no claim');
  await store.write({ next: { ...seen, attributes: { amountCents: 1251 }, rev: seen.rev + 1 }, seen });
  await host.advance(24 * hour);
  await reconciled({ from: host.now() - hour });
  expect(await open()).toEqual([]);
});

it('leaves a difference open whose line is another one, and one that an operator has accepted closed', async () => {
  const { charge, line, reconciled, open } = charges();
  await charge('a');
  await charge('b');
  line('a', { facts: { amountCents: 1251 } });
  line('b');
  await reconciled();
  await reconciled();
  expect(await open()).toEqual(['differs charge#a']);
});

it('finds the claims of keys that are hidden by the keys as they are, with the secret, and keeps no such key', async () => {
  const hideKeys = hashed('a secret of the customers');
  const { charge, line, reconciled, store, open, host } = charges();
  const byKey = (key: string) => line(key, { effectKey: undefined, key });
  for (const key of ['maria@example.com', 'ada@example.com']) await charge(key, undefined, { hideKeys });
  await charge('in doubt', () => Promise.reject(new Error('the connection was reset')), { hideKeys });
  byKey('maria@example.com');
  byKey('in doubt');
  byKey('eve@example.com');
  byKey(' ');
  const { found, report, findings: all } = await reconciled({ hideKeys });
  expect(found.map((one) => one.split(' ')[0])).toEqual(['missing-here', 'missing-there', 'unreadable']);
  expect(report).toMatchObject({ lines: 4, matched: 2, settled: 1 });
  expect(JSON.stringify([all, await open()])).not.toMatch(/example\.com/);
  await host.advance(hour);
  await expect(reconciled({ hideKeys: hashed(undefined) })).rejects.toThrow('a secret of at least 16 characters');
  expect(await store.read('charge#maria@example.com')).toBeUndefined();
});
