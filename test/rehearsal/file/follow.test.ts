import { expect, test } from 'vitest';
import { lostSoFar } from '../../../lib/rehearsal/file/follow.ts';
import { createJournal, type Happening } from '../../../lib/rehearsal/file/journal.ts';

const all = ['a', 'b', 'c'];
const began: Happening = {
  ...{ kind: 'began', sandbox: 'S1', construct: 'App/Fn', batch: 1 },
  ...{ receives: new Map(), messages: new Map() },
};
const ended: Happening = {
  ...{ kind: 'ended', sandbox: 'S1', construct: 'App/Fn', batch: 1, failed: new Set<string>() },
  outcome: { kind: 'response', value: null },
};

/** What is lost a minute after this, if nothing else has happened. */
function after(happened: readonly (readonly [string, Happening])[], { events = 0, ms = 60_000 } = {}) {
  const journal = createJournal(() => 1_000_000);
  for (const [intent, happening] of happened) journal.add([intent], happening);
  return lostSoFar(all, { entries: journal.entries, at: 1_000_000 + ms, events });
}

test('what no function has had yet is to come, and not lost', () => {
  const sent: Happening = { kind: 'asked', how: 'sent to Orders' };
  expect(after([])).toEqual({ lost: 0, toCome: 3 });
  expect(
    after([
      ['a', sent],
      ['b', sent],
    ]),
  ).toEqual({ lost: 0, toCome: 3 });
  expect(
    after([
      ['a', began],
      ['a', ended],
    ]),
  ).toEqual({ lost: 1, toCome: 2 });
  expect(after([['b', { kind: 'filtered-out', construct: 'App/Fn' }]])).toEqual({ lost: 1, toCome: 2 });
});

test('what a function is at work on, or what has just ended, is neither', () => {
  expect(after([['a', began]])).toEqual({ lost: 0, toCome: 2 });
  expect(
    after(
      [
        ['a', began],
        ['a', ended],
      ],
      { ms: 0 },
    ),
  ).toEqual({ lost: 0, toCome: 2 });
  expect(
    after(
      [
        ['a', began],
        ['a', ended],
      ],
      { events: 1 },
    ),
  ).toEqual({ lost: 0, toCome: 2 });
});
