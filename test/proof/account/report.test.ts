import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { record } from '../../../lib/rehearsal/engine/app/template.ts';
import { facts } from '../../../proof/account/facts.ts';
import { quantile } from '../../../proof/account/latency.ts';
import { isConfirmed, markdown, type Report } from '../../../proof/account/report.ts';
import { template } from '../../../proof/account/template.ts';

const finding = (kind: Report['findings'][number]['kind']) => ({
  id: kind,
  fact: `a|b ${kind}`,
  matters: 'c',
  kind,
  seen: 'd\ne',
});
const report: Report = {
  ...{ at: '2026-11-22T12:00:00.000Z', region: 'eu-central-1', seconds: 90 },
  findings: [finding('confirmed'), finding('refuted'), finding('unknown')],
  latencies: [{ request: 'PutItem', samples: 200, p50Ms: 3.14, p99Ms: 12.6 }],
};

test('the p50 and the p99 are values that were measured: the smallest that half of all, or 99 of 100, do not exceed', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect([quantile(hundred, 0.5), quantile(hundred, 0.99)]).toEqual([50, 99]);
  expect(quantile([7], 0.99)).toBe(7);
});

test('the report counts the findings, and a text of an account cannot break its table', () => {
  const text = markdown(report);
  expect(text).toContain('1 facts are confirmed, 1 refuted, 1 not found out.');
  expect(text).toContain(String.raw`| a\|b refuted | **refuted** | d e | c |`);
  expect(text).toContain('| PutItem | 200 | 3.1 | 12.6 |');
  expect(markdown({ ...report, endpoint: 'https://127.0.0.1:1' })).toContain('not AWS');
});

test('only an account in which every fact is confirmed is good', () => {
  expect(isConfirmed({ ...report, findings: [finding('confirmed')] })).toBe(true);
  for (const kind of ['refuted', 'unknown'] as const)
    expect(isConfirmed({ ...report, findings: [finding('confirmed'), finding(kind)] })).toBe(false);
});

test('the code of the functions fits into a template, and nothing that is deployed outlives the stack', () => {
  const functions = Object.values(template.Resources).flatMap((resource) => {
    const { Type, DeletionPolicy = 'Delete', Properties } = record(resource);
    expect(DeletionPolicy).toBe('Delete');
    return Type === 'AWS::Lambda::Function' ? [record(Properties)] : [];
  });
  expect(functions).toHaveLength(4);
  for (const { Code } of functions) expect(String(record(Code)['ZipFile']).length).toBeLessThan(4096);
});

test('the page about it has a row for each fact', () => {
  const page = readFileSync(new URL('../../../docs/guides/verify-account.md', import.meta.url), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| ')).length - 1;
  expect(rows).toBe(facts.length);
});
