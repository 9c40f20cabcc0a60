import { expect, test } from 'vitest';
import { type Facts, hintsFor } from '../../../lib/rehearsal/file/hints.ts';
import { createJournal, type Happening } from '../../../lib/rehearsal/file/journal.ts';
import type { Harmed } from '../../../lib/rehearsal/file/result.ts';

const CONSUMER = 'Mails/Send';

/** What happened to `order-1`, which came to harm. */
function hintsOn(problem: Harmed['problem'], happenings: readonly Happening[], facts: Partial<Facts> = {}) {
  const journal = createJournal(() => Date.UTC(2026, 10, 22));
  for (const happening of happenings) journal.add(['order-1'], happening);
  const harmed: readonly Harmed[] = [
    { effect: 'email', intent: 'order-1', problem, times: problem === 'lost' ? 0 : 2, story: [] },
  ];
  const all: Facts = { harmed, verdicts: [], journal, consumers: [], hasClaims: false, shortened: [], ...facts };
  return hintsFor(all).map(({ name }) => name);
}

const began = (sandbox: string, construct = CONSUMER): Happening => ({
  kind: 'began',
  sandbox,
  construct,
  batch: 1,
  receives: new Map([['order-1', 1]]),
  messages: new Map(),
});
const applied = (sandbox: string): Happening => ({
  kind: 'called',
  sandbox,
  provider: 'MAILER_URL',
  call: 'POST /',
  result: 'applied',
  fault: undefined,
});
const stored = (result: string, sandbox = 'S1'): Happening => ({
  kind: 'stored',
  sandbox,
  operation: 'PutItem',
  isNamed: true,
  write: { table: 'T', key: 'order-1', result },
});
const ended = (kind: 'error' | 'timed-out' | 'response', batch = 1, failed: readonly string[] = []): Happening => ({
  kind: 'ended',
  sandbox: 'S1',
  construct: CONSUMER,
  batch,
  failed: new Set(failed),
  outcome:
    kind === 'error'
      ? { kind, error: { name: 'Error', message: 'no' } }
      : kind === 'response'
        ? { kind, value: {} }
        : { kind },
});

const twice = [began('S1'), applied('S1'), began('S2'), applied('S2')];

test('what another function writes for the same intent remembers nothing of the effect', () => {
  const archived = [began('S9', 'Mails/Archive'), stored('written', 'S9')];
  expect(hintsOn('doubled', [...twice, ...archived])).toEqual(['no-idempotency']);
  expect(hintsOn('doubled', [...twice, stored('written')])).toEqual(['idempotency-incomplete']);
});

test('nothing remembers: the effect happened at two deliveries, and the function wrote nothing', () => {
  expect(hintsOn('doubled', twice)).toEqual(['no-idempotency']);
  expect(hintsOn('doubled', [...twice, stored('ConditionalCheckFailed')])).toEqual(['no-idempotency']);
});

test('the memory is incomplete: the function wrote a record, and the effect happened twice all the same', () => {
  expect(hintsOn('doubled', [...twice, stored('written')])).toEqual(['idempotency-incomplete']);
});

test('neither is said of an app with a claims table', () => {
  expect(hintsOn('doubled', twice, { hasClaims: true })).toEqual([]);
});

test('the record came too early: it was written, and the effect never happened', () => {
  expect(hintsOn('lost', [began('S1'), stored('written')])).toEqual(['recorded-too-early']);
  expect(hintsOn('lost', [began('S1'), stored('ConditionalCheckFailed')])).toEqual([]);
});

test('the client tries again: one invocation applied the effect twice', () => {
  expect(hintsOn('doubled', [began('S1'), applied('S1'), applied('S1')])).toEqual(['client-retries']);
});

test('a whole batch came back, because one of it failed', () => {
  expect(hintsOn('doubled', [...twice, ended('error', 5)])).toContain('whole-batch');
  expect(hintsOn('doubled', [...twice, ended('error', 1)])).not.toContain('whole-batch');
});

test('the deduplication window has passed', () => {
  const sent: Happening = { kind: 'asked', how: 'sent to Orders AGAIN, as after the deduplication window' };
  expect(hintsOn('doubled', [sent, ...twice])).toContain('deduplication-window');
});

test('a function that times out in half of its invocations is named, without harm', () => {
  expect(hintsOn('doubled', [ended('timed-out'), ended('response')], { harmed: [] })).toEqual(['timeouts']);
  const seldom = [ended('timed-out'), ended('response'), ended('response')];
  expect(hintsOn('doubled', seldom, { harmed: [] })).toEqual([]);
});

test('much that is parked is named in an app with claims', () => {
  const verdict = {
    effect: 'email',
    intents: 10,
    done: 7,
    doubled: [],
    lost: [],
    unfinished: [],
    setAside: [],
    notOwed: [],
  };
  const hints = (parked: readonly string[], hasClaims = true) =>
    hintsOn('doubled', [], { harmed: [], hasClaims, verdicts: [{ ...verdict, parked }] });
  expect(hints(['a', 'b', 'c'])).toEqual(['much-parked']);
  expect(hints(['a', 'b'])).toEqual([]);
  expect(hints(['a', 'b', 'c'], false)).toEqual([]);
});

test('a harmless run of a sound app has no hints', () => {
  expect(hintsOn('doubled', [began('S1'), applied('S1')], { harmed: [] })).toEqual([]);
});
