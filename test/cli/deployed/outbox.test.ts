import { describe, expect, it, test, vi } from 'vitest';
import { readDeployed } from '../../../lib/cli/deployed/read.ts';
import { checkOutbox } from '../../../lib/pawl/deployment/doctor/check-outbox.ts';
import { outboxActions, outboxRelayActions } from '../../../lib/pawl/deployment/needs.ts';
import type { outboxes } from '../../../lib/pawl/deployment/rules/outbox.ts';
import { arn, type DescribedAccount, describedTable, useDescribedAccounts } from '../../support/described-account.ts';
import { runCommand } from '../../support/in-process.ts';

const stream = arn('dynamodb', 'table/outbox/stream/2026-11-27T00:00:00.000');
const functionArn = (name: string) => arn('lambda', `function:${name}`);
const functionOf = (name: string, Variables: Readonly<Record<string, string>>) => ({
  FunctionName: name,
  FunctionArn: functionArn(name),
  Role: 'arn:aws:iam::123456789012:role/worker',
  Environment: { Variables },
});
const outboxTable = {
  TableName: 'outbox',
  TableArn: arn('dynamodb', 'table/outbox'),
  LatestStreamArn: stream,
  DeletionProtectionEnabled: true,
  KeySchema: [
    { AttributeName: 'id', KeyType: 'HASH' },
    { AttributeName: 'n', KeyType: 'RANGE' },
  ],
  AttributeDefinitions: [
    { AttributeName: 'id', AttributeType: 'S' },
    { AttributeName: 'n', AttributeType: 'N' },
  ],
};
const relayed = { FunctionArn: functionArn('relay'), EventSourceArn: stream };

/** A function that commits messages from an API, one that sweeps, and a relay. */
const sound: DescribedAccount = {
  stacks: {
    Shop: ['pay', 'sweep', 'relay', 'other'].map((name) => ['AWS::Lambda::Function', name] as const),
  },
  functions: {
    pay: functionOf('pay', { CLAIMS_TABLE: 'claims', OUTBOX_TABLE: 'outbox' }),
    sweep: functionOf('sweep', { OUTBOX_TABLE: 'outbox' }),
    relay: functionOf('relay', { OUTBOX_TABLE: 'outbox' }),
    other: functionOf('other', {}),
  },
  mappings: [relayed],
  queues: {},
  table: describedTable,
  outbox: { table: outboxTable, ttl: 'expiresAt' },
  decisionOn: () => 'allowed',
};

const describeAccount = useDescribedAccounts();

async function read(change: Partial<DescribedAccount> = {}) {
  await describeAccount({ ...sound, ...change });
  return readDeployed('Shop', { config: { region: 'eu-west-1' } });
}

/** What doctor says of the outbox of one function, beside what is well. */
async function examine(change: Partial<DescribedAccount> = {}, name = 'pay'): Promise<readonly string[]> {
  const { outboxes } = await read(change);
  return outboxes
    .filter(({ functionName }) => functionName === name)
    .flatMap((facts) => checkOutbox(facts))
    .filter(({ level }) => level !== 'ok')
    .map(({ level, rule, about, text }) => `${level} ${rule ?? about}: ${text}`);
}

test('finds nothing wrong with a sound outbox, and says what it saw', async () => {
  const { consumers, scheduled, outboxes, skipped } = await read();
  expect([consumers, scheduled, skipped.map(({ functionName }) => functionName)]).toEqual([[], [], ['other']]);
  expect(
    outboxes.map((facts) => [facts.functionName, ...checkOutbox(facts).map(({ about, text }) => `${about}: ${text}`)]),
  ).toEqual(
    [
      ['pay', 5],
      ['sweep', 3],
      ['relay', 4],
    ].map(([name, count]) => [
      name,
      `outbox table: outbox, its stream read by ${functionArn('relay')}, protected`,
      `permissions: ${count} of ${count} that it needs, as IAM simulates them`,
    ]),
  );
});

test('asks of a sweep of claims that sweeps the outbox as well no permission to make messages', async () => {
  const marked = {
    CLAIMS_TABLE: 'claims',
    OUTBOX_TABLE: 'outbox',
    PAWL_SCHEDULED: '[{"kind":"sweep","maxSilenceHours":1}]',
  };
  const functions = { ...sound.functions, sweep: functionOf('sweep', marked) };
  const relaying: readonly string[] = outboxRelayActions;
  const decisionOn = (action: string) => (relaying.includes(action) ? 'allowed' : 'implicitDeny');
  expect(await examine({ functions, decisionOn, rules: {} }, 'sweep')).toEqual([]);
  expect(await examine({ functions, decisionOn, rules: {} }, 'pay')).toHaveLength(1);
});

interface Case {
  readonly says: RegExp;
  readonly broken: Partial<DescribedAccount>;
  readonly narrow: Partial<DescribedAccount>;
}

const tableWith = (change: object) => ({ outbox: { table: { ...outboxTable, ...change }, ttl: 'expiresAt' } });
const cases: Readonly<Record<keyof typeof outboxes, Case>> = {
  outboxKey: {
    says: /key id \(HASH, S\), and must have id \(HASH, S\), n \(RANGE, N\)/,
    broken: tableWith({ KeySchema: outboxTable.KeySchema.slice(0, 1) }),
    narrow: tableWith({ GlobalSecondaryIndexes: [] }),
  },
  outboxRelay: {
    says: /No enabled event source reads a stream of the outbox table outbox/,
    broken: { mappings: [{ ...relayed, State: 'Disabled' } as typeof relayed] },
    narrow: { mappings: [{ FunctionArn: functionArn('relay:live'), EventSourceArn: stream }] },
  },
  outboxTtl: {
    says: /does not delete by expiresAt/,
    broken: { outbox: { table: outboxTable, ttl: undefined } },
    narrow: { outbox: { table: outboxTable, ttl: 'expiresAt' } },
  },
  outboxDeletion: {
    says: /has no deletion protection/,
    broken: tableWith({ DeletionProtectionEnabled: false }),
    narrow: tableWith({ DeletionProtectionEnabled: true }),
  },
};

describe.each(Object.entries(cases))('the rule %s', (rule, { says, broken, narrow }) => {
  it('is broken, and narrowly kept', async () => {
    const [only, ...more] = await examine(broken);
    expect(only).toMatch(says);
    expect(only?.split(':')[0]).toMatch(new RegExp(`(problem|warning) ${rule}$`));
    expect(more).toEqual([]);
    expect(await examine(narrow)).toEqual([]);
  });
});

it('has no relay where the table has no stream', async () => {
  const { LatestStreamArn: _, ...table } = outboxTable;
  expect(await examine({ outbox: { table, ttl: 'expiresAt' } })).toEqual([
    expect.stringContaining('warning outboxRelay'),
  ]);
});

it.each([
  ['pay', outboxActions],
  ['relay', outboxRelayActions],
] as const)('misses each permission of %s, and no other', async (name, actions) => {
  for (const missing of [...new Set([...outboxActions, ...outboxRelayActions])]) {
    const said = await examine({ decisionOn: (action) => (action === missing ? 'implicitDeny' : 'allowed') }, name);
    const needs = (actions as readonly string[]).includes(missing);
    expect(said, missing).toEqual(needs ? [expect.stringContaining(missing)] : []);
  }
});

it('says what it could not read', async () => {
  expect(await examine({ outbox: { table: 'denied', ttl: undefined } })).toEqual([
    'unknown outbox table: pawl could not read the outbox table outbox.',
  ]);
});

it('is shown by pawl doctor, whose exit code counts it', async () => {
  await describeAccount({ ...sound, mappings: [] });
  vi.stubEnv('AWS_REGION', 'eu-west-1');
  const { code, out } = await runCommand(['doctor', 'pay']);
  expect(code).toBe(0);
  expect(out).toContain('with the outbox outbox');
  expect(out).toContain('outbox table');
  const { code: refused, lines } = await (async () => {
    await describeAccount({ ...sound, ...tableWith({ KeySchema: outboxTable.KeySchema.slice(0, 1) }) });
    return runCommand(['doctor', 'pay', '--json']);
  })();
  expect(refused).toBe(1);
  expect(lines()[0]?.['examined']).toMatchObject([{ kind: 'outbox', functionName: 'pay', tableName: 'outbox' }]);
});
