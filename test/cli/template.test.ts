import { expect, test } from 'vitest';
import { templateText } from '../../lib/cli/template-text.ts';
import { runPawlHere } from '../support/in-process.ts';

const run = (...args: readonly string[]) => runPawlHere('template', ...args);

test('prints the template, and nothing else, on the standard output', async () => {
  const { code, out, error } = await run(
    'sam',
    '--name',
    'send-email',
    '--function-timeout',
    '60',
    '--fifo',
    '--locks',
  );
  expect(code).toBe(0);
  expect(out).toBe(templateText('sam', { name: 'send-email', timeoutSeconds: 60, fifo: true, locks: true }));
  expect(error).toContain('sam deploy');
});

test('passes every option on', async () => {
  const { out } = await run(
    ...['terraform', '--visibility-timeout', '400', '--batch-size', '20', '--batching-window', '3'],
    ...['--max-concurrency', '4', '--retention-days', '2', '--max-receives', '50', '--claims-table', 'claims-of-all'],
    ...['--claim-retention-days', '17', '--lock-lease-seconds', '20', '--lock-attempts', '2', '--concurrency', '3'],
    ...['--handler-timeout-seconds', '9', '--max-attempts', '30'],
  );
  expect(out).toBe(
    templateText('terraform', {
      visibilityTimeoutSeconds: 400,
      batchSize: 20,
      maxBatchingWindowSeconds: 3,
      maxConcurrency: 4,
      retentionSeconds: 172_800,
      maxReceiveCount: 50,
      claimsTable: 'claims-of-all',
      claimRetentionSeconds: 17 * 86_400,
      locks: true,
      lockLeaseSeconds: 20,
      lockAttempts: 2,
      concurrency: 3,
      handlerTimeoutSeconds: 9,
      maxAttempts: 30,
    }),
  );
});

test('options that contradict each other are refused, and nothing is printed', async () => {
  const { code, out, error } = await run('cloudformation', '--function-timeout', '60', '--visibility-timeout', '359');
  expect([code, out]).toEqual([1, '']);
  expect(error).toContain('6 × 60 s + 0 s = 360 s');
});

test.each([
  [[], /one of sam, terraform, serverless, cloudformation; got nothing/],
  [['pulumi'], /got 'pulumi'/],
  [['sam', 'terraform'], /got 'sam terraform'/],
  [['sam', '--name', 'Send_Email'], /--name: expected lower-case letters, digits and hyphens/],
  [['sam', '--claims-table', 'arn:aws:dynamodb:eu-west-1:1:table/x'], /--claims-table: expected the name of a table/],
  [['sam', '--function-timeout', '901'], /--function-timeout: expected a whole number from 1 to 900; got '901'/],
  [['sam', '--retention-days', ''], /--retention-days: expected a whole number from 1 to 14; got ''/],
  [['sam', '--timeout', '3'], /--timeout/],
])('refuses %j', async (args, message) => {
  const { code, out, error } = await run(...args);
  expect([code, out]).toEqual([2, '']);
  expect(error).toMatch(message);
  expect(error).toContain('Run: pawl template --help');
});

test('--help names every option', async () => {
  const { code, out } = await run('--help');
  expect(code).toBe(0);
  for (const option of ['name', 'fifo', 'function-timeout', 'locks', 'claims-table', 'max-attempts']) {
    expect(out).toContain(`--${option} `);
  }
});
