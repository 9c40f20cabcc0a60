import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { once } from '../../../lib/pawl/index.ts';
import { findings, reconcileStatements, type StatementLine } from '../../../lib/pawl/statements/index.ts';
import { dynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { collect } from '../../support/collect.ts';
import { runCommand } from '../../support/in-process.ts';
import { claimsTable, localClient } from '../../support/tables.ts';

const client = localClient(inject('dynamoEndpoint'));
let tableName: string;
beforeAll(async () => {
  tableName = await claimsTable(client);
  const env = { AWS_ENDPOINT_URL_DYNAMODB: inject('dynamoEndpoint'), AWS_REGION: 'us-east-1' };
  for (const [name, value] of Object.entries({ ...env, AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' })) {
    vi.stubEnv(name, value);
  }
});
afterAll(() => {
  vi.unstubAllEnvs();
  client.destroy();
});

const pawl = (...args: readonly string[]) => runCommand([...args, '--table', tableName]);
const accepted = ['--by', 'maria', '--note', 'refunded'];

it('compares a statement with the claims in DynamoDB, and an operator lists and accepts what was found', async () => {
  const store = dynamoStore({ tableName, aws: sdk({ dynamodb: client }) });
  const keys = Array.from({ length: 250 }, (_, index) => `order-${index}`);
  const from = Date.now() - 1000;
  const charge = once(
    {
      operation: 'charge',
      store,
      key: (key: string) => key,
      attributes: () => ({ amountCents: 100 }),
      onAbandoned: 'park',
      statements: true,
    },
    () => undefined,
  ).outcome;
  await Promise.all(keys.map((key) => charge(key, { remainingMs: () => 30_000 })));
  const at = Date.now();
  const line = (key: string, amountCents = 100): StatementLine => ({
    key,
    at,
    id: `txn_${key}`,
    facts: { amountCents },
  });
  const lines = [
    ...keys.slice(1, -1).map((key) => line(key)),
    line('order-249', 101),
    line('unheard-of'),
    { ...line('order-7'), id: 'txn_again' },
  ];
  const host = { ...(await import('../../../lib/pawl/host.ts')).nodeHost, now: () => Date.now() + 300_000 };
  const options = { operation: 'charge', store, from, settleMs: 5000, statement: () => lines, host };
  const compared = await reconcileStatements({ ...options, onEvent: () => undefined });
  expect(compared).toMatchObject({
    outcome: 'done',
    report: { lines: 251, matched: 248, open: { 'missing-here': 1, 'missing-there': 1, differs: 1, twice: 1 } },
  });

  const listed = await pawl('findings', '--operation', 'charge');
  expect(listed.code).toBe(1);
  expect(listed.out).toMatch(/^KIND +AGE +CLAIM +WHAT +FINDING\n/);
  for (const shown of [
    /missing-there .* charge#order-0/,
    /missing-here .* charge#unheard-of/,
    /differs .* amountCents: 100 here, 101 there/,
    /twice .* charge#order-7/,
    /4 open findings\.\n$/,
  ]) {
    expect(listed.out).toMatch(shown);
  }
  const [differs] = (await pawl('findings', '--kind', 'differs', '--json')).lines();
  expect(differs).toMatchObject({ kind: 'finding', what: 'differs', claimId: 'charge#order-249' });
  const id = String(differs?.['id']);
  await expect(pawl('findings', 'accept', id, ...accepted)).rejects.toThrow('Nothing was changed');
  expect(await pawl('findings', 'accept', id, '--yes', ...accepted)).toMatchObject({
    code: 0,
    out: '1 finding accepted, 0 not.\n',
  });
  expect(await pawl('findings', 'accept', id, '--yes', ...accepted)).toMatchObject({ code: 1 });
  await expect(pawl('findings', 'accept', id)).rejects.toThrow('--by is missing.');
  const report = await pawl('statements', 'charge');
  expect(report).toMatchObject({ code: 1 });
  expect(report.out).toMatch(/lines +251\nmatched +248\n/);
  expect((await pawl('statements', 'refund')).out).toContain('No comparison of refund');

  const left = await collect(findings({ store }).list({ operation: 'charge' }));
  expect(left.map(({ kind }) => kind).toSorted()).toEqual(['missing-here', 'missing-there', 'twice']);
  const again = await reconcileStatements({ ...options, onEvent: () => undefined });
  expect(again).toMatchObject({ report: { open: { 'missing-here': 1, 'missing-there': 1, twice: 1 }, fresh: 0 } });
});

it('says that a table without the index cannot list', async () => {
  const { tableWithoutIndex } = await import('../../support/tables.ts');
  const store = dynamoStore({ tableName: await tableWithoutIndex(client), aws: sdk({ dynamodb: client }) });
  const compared = reconcileStatements({ operation: 'charge', store, from: 0, settleMs: 0, statement: () => [] });
  await expect(compared).rejects.toThrow('has no index of open claims');
});
