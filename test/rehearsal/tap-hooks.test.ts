import { expect, test } from 'vitest';
import type { TapHooks } from '../../lib/rehearsal/engine/servers/tap.ts';
import { combineHooks } from '../../lib/rehearsal/engine/servers/tap-hooks.ts';

const call = { sandbox: 'SANDBOX0001', operation: 'PutItem', body: '{}' };
const answer = { status: 200, body: '{}' };

test('the first hook that does anything to a call decides, and those behind it do not see the call', () => {
  const seen: string[] = [];
  const named = (name: string, verdict: 'pass' | 'kill' | 'drop'): TapHooks => {
    const see = (what: string) => () => {
      seen.push(`${name} ${what}`);
      return verdict;
    };
    return { onRequest: see('request'), onResponse: see('response') };
  };
  const hooks = combineHooks({}, named('a', 'pass'), named('b', 'drop'), named('c', 'kill'));
  expect(hooks.onRequest?.(call)).toBe('drop');
  expect(hooks.onResponse?.(call, answer)).toBe('drop');
  expect(seen).toEqual(['a request', 'b request', 'a response', 'b response']);
});

test('the first rewrite is made, and a caller is killed if any hook says so', () => {
  const rewrite = { body: undefined, answer: () => 'rewritten' };
  const hooks = combineHooks(
    { rewrite: () => undefined, onAnswered: () => 'pass' },
    { rewrite: () => rewrite, onAnswered: () => 'kill' },
  );
  expect(hooks.rewrite?.(call)).toBe(rewrite);
  expect(hooks.onAnswered?.(call, answer)).toBe('kill');
  expect(combineHooks().rewrite?.(call)).toBeUndefined();
  expect(combineHooks().onAnswered?.(call, answer)).toBe('pass');
});
