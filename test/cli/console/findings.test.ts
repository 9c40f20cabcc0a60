import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FindingsList, PlanShown } from '../../../lib/cli/console/api.ts';
import { type RunningConsole, startConsole } from '../../../lib/cli/console/server.ts';
import { memoryStore } from '../../../lib/pawl/index.ts';
import { operator } from '../../../lib/pawl/operate/index.ts';
import { findings, reconcileStatements, settleFindings } from '../../../lib/pawl/statements/index.ts';
import { collect } from '../../support/collect.ts';
import { openPage } from '../../support/console-client.ts';

/** What the page shows and does of findings, over the real server. */

const maria = { by: 'maria', note: 're_1, refunded' };
let store: ReturnType<typeof memoryStore>;
let served: RunningConsole;
let page: Awaited<ReturnType<typeof openPage>>;

/** Who the console is, as AWS says. */
let person = 'maria';
const identity = async () => `arn:aws:sts::123456789012:assumed-role/Operators/${person}`;
let refunded: string[];

function settlement() {
  return settleFindings({
    ...{ store, operation: 'charge', identity, onEvent: () => undefined },
    remedies: {
      'missing-here': {
        operation: 'refund-by-remedy',
        onAbandoned: 'park',
        amountOf: () => 500,
        approval: 'required',
        run: ({ claimId = '' }) => refunded.push(claimId),
      },
    },
    limits: { perRun: { count: 9, amount: 9000 }, perDay: { count: 9, amount: 9000 } },
  });
}

async function serve(write: boolean, keeps = true, hasRemedies = false): Promise<void> {
  const operate = operator({ store, onEvent: () => undefined });
  const kept = keeps ? findings({ store, identity }) : undefined;
  served = await startConsole({
    desks: new Map([['claims', { operate, findings: kept, settlement: hasRemedies ? settlement() : undefined }]]),
    title: 'claims',
    write,
    user: 'maria',
    queues: [],
  });
  page = await openPage(served);
}

beforeEach(async () => {
  store = memoryStore();
  const from = Date.now() - 10_000;
  const lines = ['order-1', 'order-2'].map((key) => ({ key, at: from + 1000, id: `txn_${key}` }));
  const options = { store, from, settleMs: 0, skewMs: 0, onEvent: () => undefined };
  await reconcileStatements({ ...options, operation: 'charge', statement: () => lines });
  await reconcileStatements({ ...options, operation: 'refund', statement: () => lines.slice(0, 1) });
  [person, refunded] = ['maria', []];
  await serve(true);
});
afterEach(() => served.stop());

const listed = async (): Promise<FindingsList> => JSON.parse((await page.get('/api/findings')).text);
const planned = async (ids: readonly string[], kind = 'accept'): Promise<PlanShown> =>
  JSON.parse((await page.post('/api/plan', { kind, ids })).text);
const acted = async (planId: string) => {
  const { text } = await page.post('/api/act', { planId, ...maria });
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
};

it('lists the open findings, with the last run of each of their operations', async () => {
  const { findings: found, operations, reports, truncated } = await listed();
  expect(found.map(({ kind, claimId }) => `${kind} ${claimId}`).toSorted()).toEqual([
    'missing-here charge#order-1',
    'missing-here charge#order-2',
    'missing-here refund#order-1',
  ]);
  expect([operations, truncated]).toEqual([['charge', 'refund'], false]);
  expect(reports).toMatchObject([{ operation: 'charge', lines: 2 }, { operation: 'refund' }]);
});

describe('findings', () => {
  it('are accepted by a plan that was shown, by name and with a note, and nothing is written before', async () => {
    const ids = (await listed()).findings.map(({ id }) => id).filter((id) => id.includes('charge'));
    const plan = await planned(ids);
    expect(plan).toMatchObject({ kind: 'accept', count: 2, stay: 0, summary: [{ will: 'accept', count: 2 }] });
    expect((await listed()).findings).toHaveLength(3);
    expect(await acted(plan.planId)).toEqual([
      ...ids.map((id) => ({ kind: 'result', result: { id, outcome: 'accepted' } })),
      { kind: 'end' },
    ]);
    expect((await listed()).findings).toHaveLength(1);
    const note = await store.readNote(ids[0] ?? '');
    expect(JSON.parse(note?.text ?? '')).toMatchObject({ accepted: maria });
    // A plan is carried out once.
    expect(await page.post('/api/act', { planId: plan.planId, ...maria })).toMatchObject({ status: 400 });
  });

  it('that were accepted since the plan stay as they were, and the page says so', async () => {
    const [{ id } = { id: '' }] = (await listed()).findings;
    const plan = await planned([id, id, '#finding#charge#twice#no-such']);
    expect(plan).toMatchObject({ count: 1, stay: 1, summary: [{ will: 'accept' }, { will: 'stay: not-open' }] });
    await findings({ store }).accept(id, { by: 'joe', note: 'mine' });
    expect(await acted(plan.planId)).toMatchObject([{ result: { id, outcome: 'not-open' } }, { kind: 'end' }]);
    expect(JSON.parse((await store.readNote(id))?.text ?? '')).toMatchObject({ accepted: { by: 'joe' } });
  });

  it('whose store fails say so, and the others are accepted', async () => {
    const ids = (await listed()).findings.map(({ id }) => id);
    const plan = await planned(ids);
    const { writeNote } = store;
    let writes = 0;
    store.writeNote = async (write) => {
      if (++writes === 1) throw new Error('throttled');
      return writeNote(write);
    };
    expect(await acted(plan.planId)).toMatchObject([
      { result: { id: ids[0], outcome: 'failed', error: { message: 'throttled' } } },
      { result: { outcome: 'accepted' } },
      { result: { outcome: 'accepted' } },
      { kind: 'end' },
    ]);
  });

  it('are accepted by no console that only reads', async () => {
    await served.stop();
    await serve(false);
    expect(await page.post('/api/plan', { kind: 'accept', ids: [] })).toMatchObject({ status: 403 });
    expect((await listed()).findings).toHaveLength(3);
  });

  it('are none where the store keeps none', async () => {
    await served.stop();
    await serve(true, false);
    expect(await listed()).toMatchObject({ findings: [], reports: [], truncated: false });
  });

  it('are settled by their remedies, once each, after a dry run and a second person', async () => {
    await served.stop();
    await serve(true, true, true);
    const ids = (await listed()).findings.map(({ id }) => id);
    const ofCharge = ids.filter((id) => id.includes('#charge#'));
    const dry = await planned(ids, 'settle');
    expect(dry).toMatchObject({ count: 2, stay: 1, amount: 0, taken: { count: 0, amount: 0 } });
    expect(dry.summary).toEqual(
      expect.arrayContaining([
        { will: 'ask', count: 2 },
        { will: 'stay: no-remedy', count: 1 },
      ]),
    );
    expect(await acted(dry.planId)).toEqual([
      ...ofCharge.map((id) => ({ kind: 'result', result: { id, outcome: 'asked', amount: 500 } })),
      { kind: 'end' },
    ]);
    const approved = async () =>
      (await acted((await planned(ids, 'approve')).planId)).map((line) => line.result?.outcome);
    expect(await planned(ids, 'approve')).toMatchObject({ count: 2, stay: 1 });
    expect(await approved()).toEqual(['own-request', 'own-request', undefined]);
    expect((await planned(ids, 'settle')).count).toBe(0);
    person = 'tom';
    expect(await approved()).toEqual(['approved', 'approved', undefined]);
    person = 'maria';
    const plan = await planned(ids, 'settle');
    expect(plan).toMatchObject({ count: 2, amount: 1000 });
    expect(plan.summary).toContainEqual({ will: 'settle', count: 2 });
    expect(refunded).toEqual([]);
    expect(await acted(plan.planId)).toMatchObject([
      { result: { outcome: 'settled', amount: 500 } },
      { result: { outcome: 'settled' } },
      { kind: 'end' },
    ]);
    const notes = await Promise.all(ofCharge.map((id) => store.readNote(id)));
    for (const note of notes)
      expect(JSON.parse(note?.text ?? '')).toMatchObject({ request: maria, remedied: { how: 'remedy', ...maria } });
    expect(refunded.toSorted()).toEqual(['charge#order-1', 'charge#order-2']);
    expect(await planned(ids, 'settle')).toMatchObject({ count: 0, taken: { count: 2, amount: 1000 } });
    expect((await listed()).findings).toHaveLength(1);
  });

  it('that were settled by hand are not settled again, and keep who has done it', async () => {
    const ids = (await listed()).findings.map(({ id }) => id);
    const [id = ''] = ids;
    const plan = await planned([id], 'settle-by-hand');
    expect(plan.summary).toEqual([{ will: 'settle-by-hand', count: 1 }]);
    expect(await acted(plan.planId)).toMatchObject([{ result: { id, outcome: 'settled-by-hand' } }, { kind: 'end' }]);
    expect(JSON.parse((await store.readNote(id))?.text ?? '')).toMatchObject({
      remedied: { how: 'by-hand', ...maria },
    });
    expect(await planned(ids, 'settle-by-hand')).toMatchObject({ count: 2, stay: 1 });
  });

  it('are settled by no remedy where the console has none', async () => {
    expect(JSON.parse((await page.get('/api/state')).text)).toMatchObject({ remedies: false });
    expect(await page.post('/api/plan', { kind: 'settle', ids: [] })).toMatchObject({
      status: 400,
      text: expect.stringContaining('Start it with --remedies.'),
    });
  });

  it.each([[{ kind: 'accept' }], [{ kind: 'accept', ids: 'all' }], [{ kind: 'accept', ids: [1] }]])(
    'are not planned for %j',
    async (body) => {
      expect(await page.post('/api/plan', body)).toMatchObject({ status: 400 });
      expect(await collect(findings({ store }).list())).toHaveLength(3);
    },
  );
});
