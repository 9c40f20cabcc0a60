import { expect, test } from 'vitest';
import { createJournal, type Happening, type Journal } from '../../../lib/rehearsal/file/journal.ts';
import { createMarks } from '../../../lib/rehearsal/file/marks.ts';

const start = Date.UTC(2026, 10, 22);

function journalOf(...lines: readonly (readonly [intents: readonly string[], happening: Happening])[]): Journal {
  let now = start;
  const journal = createJournal(() => now);
  for (const [intents, happening] of lines) {
    journal.add(intents, happening);
    now += 1_000;
  }
  return journal;
}

const began: Happening = {
  ...{ kind: 'began', sandbox: 'S1', construct: 'Mails/Send', batch: 2 },
  receives: new Map([['a', 1]]),
  messages: new Map([
    ['a', 'a-message-id'],
    ['b', 'b-message-id'],
  ]),
};

test('a kill says when it struck, which sandbox, at which message, and at what moment', () => {
  const { entries } = journalOf(
    [['a', 'b'], began],
    [['b'], { kind: 'killed', sandbox: 'S1', moment: 'as it sent PutItem to DynamoDB, which did not get it' }],
  );
  expect(createMarks().of(entries)).toEqual([
    {
      ...{ id: 0, at: start + 1_000, fault: 'kill', sandbox: 'S1', construct: 'Send', intents: ['b'] },
      ...{ message: 'b-messag', text: 'as it sent PutItem to DynamoDB, which did not get it' },
    },
  ]);
});

test('each kind of fault has a mark, and what goes well has none', () => {
  const called = { kind: 'called', sandbox: 'S1', provider: 'MAILER_URL', call: 'POST /', result: 'applied' } as const;
  const journal = journalOf(
    [['a'], { kind: 'asked', how: 'sent to Mails/Orders' }],
    [['a'], { kind: 'struck', fault: 'duplicate', sandbox: undefined, text: 'goes to Mails/Orders again' }],
    [['a', 'b'], began],
    [['a'], { ...called, fault: undefined }],
    [['a'], { ...called, fault: { kind: 'error-applied', status: 500 } }],
    // The kill has a mark of its own.
    [['a'], { ...called, fault: { kind: 'kill-applied' } }],
    [['a'], { kind: 'stalled', sandbox: 'S1', moment: 'as it began', forMs: 7_000 }],
    [['a'], { kind: 'acknowledged', construct: 'Mails/Send', message: 'a-message-id', forgotten: false }],
    [['a'], { kind: 'acknowledged', construct: 'Mails/Send', message: 'a-message-id', forgotten: true }],
    [['a'], { kind: 'visible-while-handled', construct: 'Mails/Send', message: 'a-message-id' }],
    [['a'], { kind: 'struck', fault: 'throttle', sandbox: 'S1', text: 'PutItem to DynamoDB is refused as too many' }],
    [[], { kind: 'deployed', what: 'version 2' }],
    [['a'], { kind: 'failed', sandbox: 'S1', line: 'sends SendMessage to SQS, which DOES NOT GET IT' }],
  );
  const marks = createMarks().of(journal.entries);
  expect(marks.map(({ fault }) => fault)).toEqual(
    'duplicate provider freeze redeliver redeliver throttle deploy other'.split(' '),
  );
  expect(marks[1]?.text).toBe('MAILER_URL, POST /: APPLIED; the response is 500');
  expect(marks[3]).toMatchObject({ construct: 'Send', message: 'a-messag' });
});

test('a journal that grows is read on, and no mark is made twice', () => {
  const journal = journalOf([['a'], { kind: 'killed', sandbox: 'S1', moment: 'as it began' }]);
  const marks = createMarks();
  expect(marks.of(journal.entries)).toHaveLength(1);
  expect(marks.of(journal.entries)).toHaveLength(1);
  journal.add(['b'], { kind: 'killed', sandbox: 'S2', moment: 'as it began' });
  expect(marks.of(journal.entries).map(({ id, intents }) => [id, ...intents])).toEqual([
    [0, 'a'],
    [1, 'b'],
  ]);
});
