import { expect, test } from 'vitest';
import { createJournal } from '../../../lib/rehearsal/file/journal.ts';
import { slowedIn, starvedIn } from '../../../lib/rehearsal/file/standing.ts';

/** Three invocations of one sandbox: the first had its time, the second had not, and the third has not ended. */
function journalOfThree() {
  const journal = createJournal();
  const at = (batch: number) => ({ sandbox: 'SANDBOX1', construct: 'Shop/SendMail', batch });
  const began = { kind: 'began', receives: new Map<string, number>(), messages: new Map<string, string>() } as const;
  const ended = { kind: 'ended', outcome: { kind: 'response', value: undefined }, failed: new Set<string>() } as const;
  journal.add(['a'], { ...began, ...at(1) });
  journal.add(['a'], { ...ended, ...at(1) });
  journal.add(['b'], { ...began, ...at(2) });
  journal.add(['b'], { ...ended, ...at(2), machine: 'stretched' });
  journal.add(['c'], { ...began, ...at(3) });
  return journal;
}

test('those are starved of which an invocation did not have its time', () => {
  expect(starvedIn(journalOfThree(), { isCutOff: false })).toEqual(new Set(['b']));
});

test('where the machine was too slow to go on, those that a function was at work on are starved as well', () => {
  expect(starvedIn(journalOfThree(), { isCutOff: true })).toEqual(new Set(['b', 'c']));
});

test('one that ended in time, and had a good part less of it, is slowed, and not starved', () => {
  const journal = createJournal();
  const outcome = { kind: 'response', value: undefined } as const;
  const ended = { kind: 'ended', sandbox: 'SANDBOX1', construct: 'Shop/SendMail', batch: 1 } as const;
  journal.add(['a'], { ...ended, outcome, failed: new Set(), machine: 'slowed' });
  expect(slowedIn(journal)).toEqual(new Set(['a']));
  expect(starvedIn(journal, { isCutOff: false })).toEqual(new Set());
});
