import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { nodeHost } from '../../../../lib/pawl/host.ts';
import { dynamoLockStore, lockOperator, resourceLocks } from '../../../../lib/pawl/locks/index.ts';
import { operator, operatorActs } from '../../../../lib/pawl/operate/index.ts';
import { postgresLockStore, postgresStore } from '../../../../lib/pawl/postgres/index.ts';
import type { KeepsNotes } from '../../../../lib/pawl/rules/notes.ts';
import type { ClaimStore } from '../../../../lib/pawl/rules/store.ts';
import { findingOf, storeFinding } from '../../../../lib/pawl/statements/finding.ts';
import { findings, settleFindings } from '../../../../lib/pawl/statements/index.ts';
import {
  correctRestore,
  dynamoStore,
  liftRestore,
  markRestored,
  sdk,
} from '../../../../lib/pawl/stores/dynamodb/index.ts';
import { withListing } from '../../../../lib/pawl/stores/listing.ts';
import { collect } from '../../../support/collect.ts';
import { runCommand } from '../../../support/in-process.ts';
import { createDatabase } from '../../../support/postgres-database.ts';
import { record } from '../../../support/records.ts';
import { claimsTable, localClient } from '../../../support/tables.ts';

const client = localClient(inject('dynamoEndpoint'));
const onEvent = () => undefined;
const maria = { by: 'maria', note: 'the incident' };
const arnOf = (who: string) => `arn:aws:sts::123456789012:assumed-role/Operators/${who}`;

beforeAll(() => {
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', inject('dynamoEndpoint'));
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'local');
  vi.stubEnv('AWS_REGION', 'us-east-1');
});
afterAll(() => {
  vi.unstubAllEnvs();
  client.destroy();
});

/** Each kind of act that a claim, a lock and a finding keep, done by the functions that do it. */
async function actOnAll(store: ClaimStore & KeepsNotes, lockStore: Parameters<typeof lockOperator>[0]['store']) {
  const operate = operator({ store, onEvent });
  await store.write({ next: record({ id: 'pay#1', status: 'parked' }), seen: undefined });
  await operate.resolve({ id: 'pay#1' }, 'applied', maria);
  await operate.forget({ id: 'pay#1' }, { by: 'ada', note: 'request 4711' });
  await store.write({ next: record({ id: 'pay#2', status: 'completed' }), seen: undefined });

  const lock = await resourceLocks({ store: lockStore, onEvent }).lockAll([['debt', 7]], { holder: 'r-1', reason: '' });
  await lock.keep();
  const desk = lockOperator({ store: lockStore, onEvent });
  await collect(desk.release(await desk.planRelease({ locks: [{ id: lock.id }], ...maria })));

  const made = ['a', 'b', 'c', 'd'].map((key) =>
    findingOf({ kind: 'twice', operation: 'pay', foundAt: 1, claimId: `pay#${key}` }, [key], nodeHost),
  );
  const [accepted = '', byHand = '', remedied = '', asked = ''] = made.map(({ id }) => id);
  for (const finding of made) await storeFinding(store, finding);
  const found = findings({ store, identity: async () => arnOf('tom') });
  await found.accept(accepted, maria);
  await found.settleByHand(byHand, maria);
  const amounts = { count: 9, amount: 9000 };
  const settling = (approval?: 'required') =>
    settleFindings({
      ...{ store, operation: 'pay', onEvent, identity: async () => arnOf('maria') },
      remedies: { twice: { operation: 'refund', onAbandoned: 'retry', amountOf: () => 500, run: () => 1, approval } },
      limits: { perRun: amounts, perDay: amounts },
    });
  for (const [settlement, id] of [
    [settling(), remedied],
    [settling('required'), asked],
  ] as const) {
    await collect(settlement.settle(await settlement.plan({ ...maria, findings: [id] })));
  }
  await found.approve(asked, { by: 'tom', note: 'seen' });
  return { lock: lock.id, accepted, byHand, remedied, asked };
}

function expectedOf({ lock, accepted, byHand, remedied, asked }: Awaited<ReturnType<typeof actOnAll>>) {
  const at = expect.any(Number);
  return [
    { act: 'forgotten', on: 'claim', id: 'pay#1', by: 'ada', note: 'request 4711', at, facts: {} },
    { act: 'released', on: 'lock', id: lock, ...maria, at, facts: {} },
    { act: 'accepted', on: 'finding', id: accepted, ...maria, at, facts: {} },
    { act: 'settled-by-hand', on: 'finding', id: byHand, ...maria, at, facts: {} },
    {
      ...{ act: 'remedied', on: 'finding', id: remedied, ...maria, at },
      facts: { operation: 'refund', amount: 500, claimId: expect.stringContaining('refund#'), settled: true },
    },
    {
      ...{ act: 'asked', on: 'finding', id: asked, ...maria, at },
      facts: { operation: 'refund', amount: 500, identity: arnOf('maria') },
    },
    { act: 'approved', on: 'finding', id: asked, by: 'tom', note: 'seen', at, facts: { identity: arnOf('tom') } },
  ];
}

describe('what operators have done', () => {
  it('is exported from every record that keeps it, a line each, and of a table that was restored', async () => {
    const tableName = await claimsTable(client);
    const aws = sdk({ dynamodb: client });
    const store = dynamoStore({ tableName, aws });
    const done = await actOnAll(withListing(store), dynamoLockStore(store));
    await store.write({ next: record({ id: 'pay#3', status: 'parked' }), seen: undefined });
    await operator({ store, onEvent }).resolve({ id: 'pay#3' }, 'not-applied', maria);
    const mark = { tableName, aws, ...maria };
    await markRestored({ ...mark, cutOff: new Date('2026-11-21T09:00:00Z') });
    await correctRestore({ ...mark, cutOff: new Date('2026-11-21T08:00:00Z') });
    await liftRestore({ ...mark, operation: 'pay' });
    await liftRestore(mark);

    const ran = await runCommand(['acts', '--table', tableName, '--json']);
    const lines = ran.lines().map(({ kind, ...act }) => [kind, act] as const);
    const acts = lines.filter(([kind]) => kind === 'act').map(([, act]) => act);
    const at = expect.any(Number);
    const table = { on: 'table', id: '#restored', ...maria, at };
    expect(acts).toHaveLength(12);
    expect(acts).toEqual(
      expect.arrayContaining([
        ...expectedOf(done),
        { act: 'resolved', on: 'claim', id: 'pay#3', ...maria, at, facts: { verdict: 'not-applied' } },
        { act: 'marked', ...table, facts: { cutOff: Date.parse('2026-11-21T08:00:00Z') } },
        { act: 'corrected', ...table, facts: { cutOffBefore: Date.parse('2026-11-21T09:00:00Z') } },
        { act: 'lifted', ...table, facts: { operation: 'pay' } },
        { act: 'lifted', ...table, facts: {} },
      ]),
    );
    expect(ran.code).toBe(0);
    const table2 = await runCommand(['acts', '--table', tableName]);
    expect(table2.out).toMatch(/Z +maria +released +lock +#lock#\S+ +the incident\n/);
    expect(table2.out).toMatch(/12 acts\.\n$/);
    const later = new Date(Date.now() + 3_600_000).toISOString();
    expect(await runCommand(['acts', '--table', tableName, '--since', later])).toMatchObject({
      code: 0,
      out: 'No record keeps an act.\n',
    });
  });

  it('is exported from a database as well', { skip: inject('postgresUrl') === '' }, async () => {
    await using database = await createDatabase(inject('postgresUrl'));
    const { pool, url } = database;
    const done = await actOnAll(postgresStore({ pool }), postgresLockStore({ pool }));
    const ran = await runCommand(['acts', '--database', url, '--json']);
    const acts = ran.lines().flatMap(({ kind, ...act }) => (kind === 'act' ? [act] : []));
    expect(acts).toHaveLength(7);
    expect(acts).toEqual(expect.arrayContaining(expectedOf(done)));
  });

  it('leaves out what no operator has done, and what another program wrote', async () => {
    const resolved = (resolution: object) => ({ id: 'pay#1', resolution });
    const said = { verdict: 'applied', note: 'n', at: '2026-11-22T12:00:00.000Z' };
    const records = [
      resolved({ ...said, by: 'last holder' }),
      resolved({ ...said, id: 't', by: 'maria' }),
      resolved({ ...said, id: 't', by: 17 }),
      resolved({ ...said, id: 't', by: 'maria', at: 'never' }),
      { id: '#finding#pay#twice#x', text: '{"accepted":' },
      { id: '#lock#1', released: 'no' },
      { id: '#work#1', resolution: { ...said, id: 't', by: 'maria' } },
      { id: 5 },
      {},
    ];
    async function* all() {
      yield* records;
    }
    expect(await collect(operatorActs(all()))).toEqual([
      {
        ...{
          act: 'resolved',
          on: 'claim',
          id: 'pay#1',
          by: 'maria',
          note: 'n',
          at: Date.parse('2026-11-22T12:00:00Z'),
        },
        facts: { verdict: 'applied' },
      },
    ]);
    expect(() => operatorActs(all(), { since: Number.NaN })).toThrow('since');
  });
});
