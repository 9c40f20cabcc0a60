import { expect, test } from 'vitest';
import { functionsAtWork, type Waiting } from '../../../lib/rehearsal/file/functions-at-work.ts';
import { createJournal, type Journal } from '../../../lib/rehearsal/file/journal.ts';

const [MAIL, INVOICE] = ['Shop/Mail', 'Shop/Invoice'];

/** Both functions got `order-1`, and each wrote a claim of its own. */
function bothAtWork(): Journal {
  const journal = createJournal();
  for (const [construct, sandbox, operation, provider] of [
    [MAIL, 'S1', 'mail', 'MAILER_URL'],
    [INVOICE, 'S2', 'invoice', 'INVOICES_URL'],
  ] as const) {
    const key = `${operation}#order-1`;
    began(journal, construct, sandbox);
    wrote(journal, sandbox, key, 'written');
    journal.add(['order-1'], {
      kind: 'called',
      sandbox,
      provider,
      call: 'POST /',
      result: 'not-applied',
      fault: undefined,
    });
  }
  return journal;
}

function began(journal: Journal, construct: string, sandbox: string): void {
  const [receives, messages] = [new Map([['order-1', 1]]), new Map()];
  journal.add(['order-1'], { kind: 'began', sandbox, construct, batch: 1, receives, messages });
}

function wrote(journal: Journal, sandbox: string, key: string, result: string): void {
  const write = { table: 'Claims', key, result };
  journal.add(['order-1'], { kind: 'stored', sandbox, operation: 'PutItem', isNamed: true, write });
}

const waitingFor = (...functions: readonly string[]): readonly Waiting[] => [
  { intent: 'order-1', functions: new Set(functions) },
];

test('a claim that is parked is that of the function which wrote it, and so is an effect that of its callers', () => {
  const atWork = functionsAtWork(bothAtWork());
  expect([...atWork.writing('mail#order-1')]).toEqual([MAIL]);
  expect([...atWork.writing('mail#order')]).toEqual([]);
  expect([...atWork.calling('INVOICES_URL')]).toEqual([INVOICE]);
});

test('a record that is put whole is found by its id, and a write that was refused is of no function', () => {
  const journal = bothAtWork();
  wrote(journal, 'S1', 'invoice#order-1', 'ConditionalCheckFailed');
  wrote(journal, 'S1', 'mail#order-2 3c5e', 'written');
  const { writing } = functionsAtWork(journal);
  expect([...writing('invoice#order-1')]).toEqual([INVOICE]);
  expect([...writing('mail#order-2')]).toEqual([MAIL]);
});

test('what waits for one function does not wait for another one that has had the intent', () => {
  const { waiting } = functionsAtWork(bothAtWork());
  expect([...waiting(new Set([MAIL]), waitingFor(MAIL))]).toEqual(['order-1']);
  expect([...waiting(new Set([INVOICE]), waitingFor(MAIL))]).toEqual([]);
});

test('what waits for a function at the front also waits for those behind it, which have not had the intent', () => {
  const journal = createJournal();
  began(journal, MAIL, 'S1');
  expect([...functionsAtWork(journal).waiting(new Set([INVOICE]), waitingFor(MAIL))]).toEqual(['order-1']);
});

test('if it is not known which function has the effect, or which one it waits for, it waits', () => {
  const { waiting } = functionsAtWork(bothAtWork());
  expect([...waiting(new Set(), waitingFor(MAIL))]).toEqual(['order-1']);
  expect([...waiting(new Set([INVOICE]), waitingFor())]).toEqual(['order-1']);
});
