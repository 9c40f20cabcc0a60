import { expect, test } from 'vitest';
import { cutShort, sayShortened } from '../../../lib/rehearsal/file/cut-short.ts';
import { createJournal, type Happening } from '../../../lib/rehearsal/file/journal.ts';

const short = { logicalId: 'Fn', construct: 'App/Fn', from: 30, to: 6 };

const began = (construct = 'App/Fn'): Happening => ({
  ...{ kind: 'began', sandbox: 'S1', construct, batch: 1 },
  ...{ receives: new Map(), messages: new Map() },
});
const ended = (kind: 'timed-out' | 'crashed', construct = 'App/Fn'): Happening => ({
  ...{ kind: 'ended', sandbox: 'S1', construct, batch: 1, outcome: { kind }, failed: new Set<string>() },
});
const called: Happening = {
  ...{ kind: 'called', sandbox: 'S1', provider: 'URL', call: 'POST /', result: 'not-applied' },
  fault: { kind: 'hang-before' },
};
const throttled: Happening = { kind: 'struck', fault: 'throttle', sandbox: 'S1', text: 'refused' };
const stalled: Happening = { kind: 'stalled', sandbox: 'S1', moment: 'as it began', forMs: 8_000 };

function cut(...happenings: readonly Happening[]) {
  const journal = createJournal();
  for (const happening of happenings) journal.add(['a'], happening);
  const { intents, functions } = cutShort(journal, [short]);
  return { intents: [...intents], functions };
}

test('an invocation without a fault that a shortened timeout ended is not held against the app', () => {
  expect(cut(began(), ended('timed-out'))).toEqual({ intents: ['a'], functions: [short] });
  // What went wrong in an invocation before it is over.
  expect(cut(began(), called, ended('crashed'), began(), ended('timed-out')).intents).toEqual(['a']);
});

test.each<[string, readonly Happening[]]>([
  ['that a fault of a provider kept', [began(), called, ended('timed-out')]],
  ['whose requests to the store were refused', [began(), throttled, ended('timed-out')]],
  ['that was stopped', [began(), stalled, ended('timed-out')]],
  ['that ended before its timeout', [began(), ended('crashed')]],
  ['whose timeout is as it was written', [began('App/Other'), ended('timed-out', 'App/Other')]],
])('one %s is judged', (_, happenings) => {
  expect(cut(...happenings)).toEqual({ intents: [], functions: [] });
});

test('what to do is named with the timeout as it was written', () => {
  expect(sayShortened(short)).toMatch(/from 30 s to 6 s\. If it needs longer, set functionTimeoutSeconds to 30, or/);
});
