import { expect, test } from 'vitest';
import type { Outcome } from '../../../lib/rehearsal/engine/lambda/sandbox.ts';
import { createJournal, type Happening, type Journal } from '../../../lib/rehearsal/file/journal.ts';
import { ordinal, storyOf } from '../../../lib/rehearsal/file/story.ts';

type Line = readonly [intents: readonly string[], happening: Happening];

/** A journal in which something happens every second. */
function journalOf(...lines: readonly Line[]): Journal {
  let now = Date.UTC(2026, 10, 22);
  const journal = createJournal(() => now);
  for (const [intents, happening] of lines) {
    journal.add(intents, happening);
    now += 1_000;
  }
  return journal;
}

const began = (sandbox: string, ...intents: readonly string[]): Line => [
  intents,
  {
    kind: 'began',
    sandbox,
    construct: 'Mails/Send',
    batch: intents.length,
    receives: new Map(intents.map((intent) => [intent, 1])),
    messages: new Map(intents.map((intent) => [intent, `${intent}-message`])),
  },
];

const applied = (sandbox: string, intent: string): Line => [
  [intent],
  { kind: 'called', sandbox, provider: 'MAILER_URL', call: 'POST /', result: 'applied', fault: undefined },
];

test('tells what happened to an intent, with the seconds since the first thing of the run, and how it ended', () => {
  const journal = journalOf(
    [['a'], { kind: 'asked', how: 'sent to Mails/Orders' }],
    began('S1', 'a'),
    applied('S1', 'a'),
  );
  expect(storyOf('a', journal, 'email × 1')).toEqual([
    '   0.000 s  sent to Mails/Orders',
    '   1.000 s  S1  Send receives message a-messag for the 1st time',
    '   2.000 s  S1  calls MAILER_URL, POST /: APPLIED',
    '       end  email × 1',
  ]);
});

test('leaves out what happened to others, but for what cost this one its worker', () => {
  const killed: Line = [['b'], { kind: 'killed', sandbox: 'S1', moment: 'as it began' }];
  const journal = journalOf(began('S1', 'a', 'b'), applied('S1', 'b'), killed, began('S2', 'c'), applied('S2', 'c'));
  expect(storyOf('a', journal)).toEqual([
    '   0.000 s  S1  Send receives message a-messag for the 1st time, in a batch of 2',
    '   2.000 s  S1  IS KILLED as it began, because of b in the same batch',
  ]);
});

test('tells writes that name no intent in one line: they may be about any of their batch', () => {
  const stored = (key: string): Line => [
    ['a', 'b'],
    {
      kind: 'stored',
      sandbox: 'S1',
      operation: 'PutItem',
      write: { table: 'T', key, result: 'written' },
      isNamed: false,
    },
  ];
  const journal = journalOf(began('S1', 'a', 'b'), stored('x'), stored('y'));
  expect(storyOf('a', journal)[1]).toContain('PutItem T: written × 2 (of the whole batch');
});

test('says of a batch whether this message has failed', () => {
  const ended = (...failed: readonly string[]): Line => [
    ['a', 'b'],
    {
      kind: 'ended',
      sandbox: 'S1',
      construct: 'Mails/Send',
      batch: 2,
      outcome: { kind: 'response', value: {} },
      failed: new Set(failed),
    },
  ];
  const last = (...failed: readonly string[]) =>
    storyOf('a', journalOf(began('S1', 'a', 'b'), ended(...failed))).at(-1);
  expect(last()).toContain('responds: all done');
  expect(last('a')).toContain('responds: this message has failed');
  expect(last('b')).toContain('responds: this message is done, others have failed');
});

test('counts as English does', () => {
  expect([1, 2, 3, 4, 11, 12, 13, 21, 102, 111].map(ordinal)).toEqual(
    '1st 2nd 3rd 4th 11th 12th 13th 21st 102nd 111th'.split(' '),
  );
});

test('says nothing of what a record, a response or an error holds, if it is for others than the author', () => {
  const write = { table: 'Orders', key: 'order-1 card-4929', result: 'written' };
  const ended = (outcome: Outcome): Line => [
    ['order-1'],
    { kind: 'ended', sandbox: 'S1', construct: 'Mails/Send', batch: 0, outcome, failed: new Set() },
  ];
  const journal = journalOf(
    began('S1', 'order-1'),
    [['order-1'], { kind: 'stored', sandbox: 'S1', operation: 'PutItem', isNamed: true, write }],
    ended({ kind: 'response', value: { card: 'card-4929' } }),
    ended({ kind: 'error', error: { name: 'TypeError', message: 'card-4929 is none' } }),
  );
  expect(storyOf('order-1', journal, undefined, 'hidden')).toEqual([
    '   0.000 s  S1  Send receives message order-1- for the 1st time',
    '   1.000 s  S1  PutItem Orders: written',
    '   2.000 s  S1  responds',
    '   3.000 s  S1  fails: TypeError',
  ]);
  expect(storyOf('order-1', journal).join('\n').split('card-4929')).toHaveLength(4);
});

test('does not tell twice what a write or a send says already', () => {
  const struck: Line = [['a'], { kind: 'struck', fault: 'throttle', sandbox: 'S1', text: 'refused' }];
  expect(storyOf('a', journalOf(began('S1', 'a'), struck))).toHaveLength(1);
});
