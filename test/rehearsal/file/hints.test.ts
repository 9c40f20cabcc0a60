import { expect, test } from 'vitest';
import type { Facts } from '../../../lib/rehearsal/file/hint-rule.ts';
import { hintsFor } from '../../../lib/rehearsal/file/hints.ts';
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
const called = (sandbox: string, result: 'applied' | 'not-applied') =>
  ({ kind: 'called', sandbox, provider: 'MAILER_URL', call: 'POST /', result, fault: undefined }) as const;
const applied = (sandbox: string): Happening => called(sandbox, 'applied');
const sent: Happening = { kind: 'asked', how: 'sent to Orders' };
const stored = (result: string, sandbox = 'S1', isNamed = true): Happening => ({
  kind: 'stored',
  sandbox,
  operation: 'PutItem',
  isNamed,
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

test('two copies in one batch are no client that tries again, unless a call had failed', () => {
  const copies = [sent, sent, began('S1'), applied('S1'), applied('S1')];
  expect(hintsOn('doubled', copies)).toEqual(['no-idempotency']);
  const failed: Happening = { ...called('S1', 'applied'), fault: { kind: 'drop-applied' } };
  expect(hintsOn('doubled', [sent, sent, began('S1'), failed, applied('S1')])).toEqual(['client-retries']);
});

test('each copy has a claim of its own: no claim names the intent', () => {
  const unnamed = stored('written', 'S1', false);
  const copies = [sent, began('S1'), unnamed, applied('S1'), sent, began('S1'), unnamed, applied('S1')];
  expect(hintsOn('doubled', copies, { hasClaims: true })).toEqual(['claim-of-the-copy']);
  expect(
    hintsOn(
      'doubled',
      copies.filter((one) => one !== sent),
      { hasClaims: true },
    ),
  ).toEqual([]);
});

test('the effect is outside of the claim: an invocation had it before it wrote one', () => {
  const outside = [began('S1'), applied('S1'), stored('written'), began('S1'), applied('S1')];
  expect(hintsOn('doubled', outside, { hasClaims: true })).toEqual(['outside-of-the-claim']);
  const inside = [began('S1'), stored('written'), applied('S1'), began('S1'), stored('written'), applied('S1')];
  expect(hintsOn('doubled', inside, { hasClaims: true })).toEqual([]);
});

test('a failure is swallowed: the provider had failed, and the function said that all was done', () => {
  const failed = [began('S1'), called('S1', 'not-applied')];
  expect(hintsOn('lost', [...failed, ended('response')])).toEqual(['failure-swallowed']);
  expect(hintsOn('lost', [...failed, ended('response', 1, ['order-1'])])).toEqual([]);
  expect(hintsOn('lost', [...failed, ended('error')])).toEqual([]);
});

test('a whole batch came back, because one of it failed', () => {
  expect(hintsOn('doubled', [...twice, ended('error', 5)])).toContain('whole-batch');
  expect(hintsOn('doubled', [...twice, ended('error', 1)])).not.toContain('whole-batch');
});

test('the deduplication window has passed', () => {
  const late: Happening = { kind: 'asked', how: 'sent to Orders AGAIN, as after the deduplication window' };
  expect(hintsOn('doubled', [late, ...twice])).toContain('deduplication-window');
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
    absent: 0,
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
