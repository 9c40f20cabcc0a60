import { expect, test } from 'vitest';
import { longestPauseSeconds } from '../../../lib/pawl/deployment/schedule-pause.ts';

const hour = 3600;
const day = 24 * hour;

test.each([
  ['rate(1 minute)', 60],
  ['rate(5 minutes)', 300],
  ['rate(2 hours)', 2 * hour],
  ['rate(7 days)', 7 * day],
  ['cron(* * * * ? *)', 60],
  ['cron(0/15 * * * ? *)', 900],
  ['cron(0 3 * * ? *)', day],
  ['cron(0 8,20 ? * * *)', 12 * hour],
  // From the last run of one day to the first of the next.
  ['cron(0 8-18 * * ? *)', 14 * hour],
  ['cron(30 18 ? * MON-FRI *)', 3 * day],
  ['cron(0 3 ? * MON *)', 7 * day],
  ['cron(0 3 1 * ? *)', 31 * day],
  ['cron(0 3 1 JAN,JUL ? *)', 184 * day],
  ['cron(0 3 29 FEB ? *)', 4 * 365 * day + day],
])('%s leaves up to %i seconds between two runs', (expression, seconds) => {
  expect(longestPauseSeconds(expression)).toBe(seconds);
});

test.each([
  'rate(soon)',
  'rate(0 days)',
  'at(2026-11-22T12:00:00)',
  'cron(0 3 L * ? *)',
  'cron(0 3 ? * MON#1 *)',
  'cron(0 3 * * ? 2026)',
  'cron(0 3 * *)',
  'cron(61 3 * * ? *)',
  'cron(0 3 30 FEB ? *)',
])('%s is not judged', (expression) => {
  expect(longestPauseSeconds(expression)).toBeUndefined();
});
