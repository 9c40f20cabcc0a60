import { expect, test } from 'vitest';
import { readCommandLine } from '../../lib/cli/doctor.ts';
import { summary, table } from '../../lib/cli/doctor-report.ts';
import { tableActions } from '../../lib/pawl/deployment/needs.ts';

test('takes one name, and remembers claims for 30 days unless told otherwise', () => {
  expect(readCommandLine(['PawlOrders'])).toEqual({
    name: 'PawlOrders',
    region: undefined,
    claimsTable: undefined,
    claimRetentionSeconds: 2_592_000,
    lockLeaseSeconds: undefined,
    lockAttempts: undefined,
    concurrency: undefined,
    handlerTimeoutSeconds: undefined,
    maxAttempts: undefined,
    individualStore: false,
    locks: false,
    json: false,
  });
  const line = readCommandLine([
    'f',
    '--region',
    'eu-west-1',
    '--claims-table',
    't',
    '--claim-retention-days',
    '1',
    '--individual-store',
    '--locks',
    '--json',
    '--lock-attempts',
    '3',
    '--concurrency',
    '2',
    '--handler-timeout-seconds',
    '20',
    '--max-attempts',
    '5',
  ]);
  expect(line).toEqual({
    name: 'f',
    region: 'eu-west-1',
    claimsTable: 't',
    claimRetentionSeconds: 86_400,
    lockLeaseSeconds: 60,
    lockAttempts: 3,
    concurrency: 2,
    handlerTimeoutSeconds: 20,
    maxAttempts: 5,
    individualStore: true,
    locks: true,
    json: true,
  });
  expect(readCommandLine(['--help'])).toBe('help');
});

test.each([
  [[], /one stack or function; got 0 names/],
  [['a', 'b'], /got 2 names/],
  [['a', '--claim-retention-days', 'long'], /: expected a number above 0; got 'long'/],
  [['a', '--max-attempts', '0'], /--max-attempts: expected a number above 0; got '0'/],
  [['a', '--verbose'], /--verbose/],
])('refuses %j', (args, message) => {
  expect(() => readCommandLine(args)).toThrow(message);
});

test('asks for what locks call only when told that the handlers lock', () => {
  const ofLocks = ['dynamodb:UpdateItem', 'dynamodb:ConditionCheckItem'];
  expect(tableActions({})).not.toEqual(expect.arrayContaining(ofLocks));
  for (const individualStore of [false, true]) {
    const asked = tableActions({ individualStore, locks: true });
    expect(asked).toEqual(expect.arrayContaining([...tableActions({ individualStore }), ...ofLocks]));
    expect(asked).toHaveLength(new Set(asked).size);
  }
});

test('asks for what a store of a restored table calls while the table has a mark of a restore', () => {
  const mark = (kind: 'none' | 'lifted' | 'of-an-earlier-table') => tableActions({}, { kind });
  const stands = tableActions({}, { kind: 'stands', cutOff: 1, liftedFor: [] });
  for (const asked of [stands, mark('of-an-earlier-table')]) {
    expect(asked).toEqual([...tableActions({}), 'dynamodb:GetItem', 'dynamodb:DescribeTable']);
  }
  for (const asked of [mark('none'), mark('lifted'), tableActions({}, undefined)]) {
    expect(asked).toEqual(tableActions({}));
  }
});

test('a table keeps its columns when a text is longer than its line', () => {
  const findings = [
    { level: 'ok' as const, about: 'event source' as const, text: 'enabled' },
    {
      level: 'problem' as const,
      about: 'wiring' as const,
      text: 'one two three four five six seven eight nine ten eleven',
    },
  ];
  const text = table([{ kind: 'consumer', functionName: 'issue', queueName: 'orders', findings }], {
    colour: false,
    columns: 70,
  });
  expect(text).toBe(
    [
      'issue',
      '  fed by orders',
      '  ok       event source  enabled',
      '  PROBLEM  wiring        one two three four five six seven eight nine',
      '                         ten eleven',
      '',
    ].join('\n'),
  );
  expect(summary(findings)).toBe('1 problem, 0 warnings.');
});
