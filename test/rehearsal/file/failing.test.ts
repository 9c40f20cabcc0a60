import { expect, test } from 'vitest';
import type { Outcome } from '../../../lib/rehearsal/engine/lambda/sandbox.ts';
import { failuresInARow, isHopeless, sayFailing, sayLeft } from '../../../lib/rehearsal/file/failing.ts';
import { createJournal, type Happening } from '../../../lib/rehearsal/file/journal.ts';

const error: Outcome = { kind: 'error', error: { name: 'Error', message: 'no' } };
const response: Outcome = { kind: 'response', value: {} };

const ended = (outcome: Outcome, failed: readonly string[] = [], sandbox = 'S1'): Happening => ({
  ...{ kind: 'ended', sandbox, construct: 'Mails/Send', batch: 1, outcome, failed: new Set(failed) },
});
const killed: Happening = { kind: 'killed', sandbox: 'S9', moment: 'as it began' };
const stalled: Happening = { kind: 'stalled', sandbox: 'S9', moment: 'as it began', forMs: 1 };

test.each<{ readonly name: string; readonly happened: readonly Happening[]; readonly times: number }>([
  { name: 'errors', happened: [ended(error), ended(error)], times: 2 },
  {
    name: 'timeouts, and ends of its own',
    happened: [ended({ kind: 'timed-out' }), ended({ kind: 'crashed' })],
    times: 2,
  },
  { name: 'a response that names each message as failed', happened: [ended(response, ['a', 'b'])], times: 1 },
  { name: 'a response that names some', happened: [ended(error), ended(response, ['a'])], times: 0 },
  { name: 'a response', happened: [ended(error), ended(response), ended(error)], times: 1 },
  {
    name: 'what the rehearsal killed or stalled, which neither counts nor ends the row',
    happened: [
      ...[ended(error), killed, ended({ kind: 'crashed' }, [], 'S9')],
      ...[stalled, ended({ kind: 'timed-out' }, [], 'S9'), ended(error)],
    ],
    times: 2,
  },
])('failures in a row: $name', ({ happened, times }) => {
  const journal = createJournal();
  for (const one of happened) journal.add(['a', 'b'], one);
  expect(failuresInARow(journal).get('Mails/Send')?.times ?? 0).toBe(times);
});

test('it names the function, how often it failed, and the queue whose messages wait for it', () => {
  const one = { function: 'Send', times: 4, queue: 'Orders', messages: 1, forMs: 0, visibilityTimeoutMs: 6_000 };
  expect(sayFailing([{ ...one, hasDeadLetters: true }])).toBe('Send failed 4 times in a row: 1 message of Orders left');
  expect(sayFailing([{ ...one, messages: 2, hasDeadLetters: false }])).toBe(
    'Send failed 4 times in a row: 2 messages of Orders left, which has no dead-letter queue',
  );
});

test.each([
  ['it fails again and again, without dead letters', {}, 2, true],
  ['it has dead letters, where its messages will end', { hasDeadLetters: true }, 2, false],
  ['it has failed for less than four visibility timeouts, and a lease may end', { forMs: 20_000 }, 2, false],
  ['it has failed a few times', { times: 4 }, 2, false],
  ['something else is left', {}, 3, false],
])('waiting on is hopeless if %s', (_, changed, left, expected) => {
  const one = { function: 'Send', times: 5, queue: 'Orders', messages: 2, hasDeadLetters: false };
  expect(isHopeless([{ ...one, forMs: 24_000, visibilityTimeoutMs: 6_000, ...changed }], left)).toBe(expected);
  expect(isHopeless([], 0)).toBe(false);
});

test.each([
  [{ left: 1, isWaiting: false }, '1 message to go'],
  [{ left: 2, isWaiting: true }, '2 messages waiting to become visible again'],
  [{ left: 0, isWaiting: true }, 'queues empty, not all has happened'],
])('of %j the line of progress says: %s', (look, says) => {
  expect(sayLeft(look)).toBe(says);
});
