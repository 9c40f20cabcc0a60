import { expect, test } from 'vitest';
import { junitOf } from '../../../lib/rehearsal/file/junit.ts';
import type { RehearsalResult } from '../../../lib/rehearsal/file/result.ts';

const email = {
  effect: 'email',
  intents: 3,
  done: 2,
  absent: 0,
  doubled: ['order-1'],
  lost: [],
  unfinished: [],
  parked: [],
  setAside: [],
  notOwed: [],
  uncounted: [],
  unjudged: [],
};

function xmlOf(more: Partial<Parameters<typeof junitOf>[0]> = {}): string {
  const harmed: RehearsalResult['harmed'] = [
    { effect: 'email', intent: 'order-1', problem: 'doubled', times: 2, story: ['0.1 s  a & b', '0.2 s  <c>'] },
  ];
  return junitOf(
    { effects: [email], harmed, empty: [], findings: [], left: 0, seconds: 12.34, ...more },
    'rehearsal.ts',
  );
}

test('is a suite for each effect, with a failed case for each intent that came to harm', () => {
  expect(xmlOf()).toContain('<testsuite name="email" tests="2" failures="1">');
  expect(xmlOf()).toContain('<testcase classname="email" name="order-1"><failure message="doubled: happened 2 times">');
});

test('escapes what XML means, and replaces what it cannot hold', () => {
  expect(xmlOf()).toContain('0.1 s  a &amp; b\n0.2 s  &lt;c&gt;');
  expect(xmlOf({ findings: ['a "quoted" \u0000 finding'] })).toContain('name="a &quot;quoted&quot; \ufffd finding"');
});

test('fails for what check found, for messages that were left, and for a run that shows nothing', () => {
  expect(xmlOf({ findings: ['The sum is wrong'], left: 2, empty: ['The traffic has sent nothing.'] })).toContain(
    '<testsuite name="check" tests="3" failures="3">',
  );
});
