import { expect, test } from 'vitest';
import { readLine } from '../../lib/cli/command.ts';
import { commands } from '../../lib/cli/commands.ts';
import { summary, table } from '../../lib/cli/doctor-report.ts';
import { needsOf } from '../../lib/cli/options.ts';

function needsIn(...args: readonly string[]) {
  const row = commands.find(({ name }) => name === 'doctor');
  if (row === undefined) throw new Error('there is no doctor');
  const line = readLine(row, args);
  if (line === 'help') throw new Error('it is help');
  return needsOf(line.options as Parameters<typeof needsOf>[0]);
}

test('remembers claims for 30 days, and has no locks, unless told otherwise', () => {
  expect(needsIn('PawlOrders')).toEqual({
    claimRetentionSeconds: 2_592_000,
    lockLeaseSeconds: undefined,
    lockAttempts: undefined,
    concurrency: undefined,
    handlerTimeoutSeconds: undefined,
    maxAttempts: undefined,
    individualStore: false,
    locks: false,
  });
});

test('takes what no account says of the handlers', () => {
  const days = ['--claim-retention-days', '0.5', '--handler-timeout-seconds', '20', '--max-attempts', '5'];
  const counts = ['--individual-store', '--locks', '--lock-attempts', '3', '--concurrency', '2'];
  expect(needsIn('f', ...days, ...counts)).toEqual({
    claimRetentionSeconds: 43_200,
    lockLeaseSeconds: 60,
    lockAttempts: 3,
    concurrency: 2,
    handlerTimeoutSeconds: 20,
    maxAttempts: 5,
    individualStore: true,
    locks: true,
  });
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
