import { expect, test } from 'vitest';
import { createJournal } from '../../../lib/rehearsal/file/journal.ts';
import { createPlan, type Faults } from '../../../lib/rehearsal/file/plan.ts';
import { httpProvider } from '../../../lib/rehearsal/file/providers.ts';
import { unknownCallers } from '../../../lib/rehearsal/file/untested.ts';

/** Why no kill could strike at the calls of a provider, which came from these sandboxes. */
function reasons(sandboxes: readonly (string | undefined)[], faults: Faults = { kill: 0.1 }, isCounted = true) {
  const journal = createJournal();
  const provider = httpProvider();
  for (const sandbox of sandboxes) {
    journal.add(['a'], {
      kind: 'called',
      sandbox,
      provider: 'URL',
      call: 'POST /',
      result: 'applied',
      fault: undefined,
    });
  }
  const stats = { repeated: 0, unattributed: 0, calls: sandboxes.length };
  const served = { name: 'URL', provider, counts: new Map(), stats, endpoint: '', stop: async () => undefined };
  const plan = createPlan(1, faults, { hasStore: true, hasProvider: true });
  return unknownCallers({ plan, journal, providers: [served] }, isCounted ? { charge: provider } : {});
}

test('calls that came to an address which no sandbox has are said, since no kill could strike at them', () => {
  expect(reasons([undefined, undefined])).toEqual([
    expect.stringMatching(
      /^No kill could strike at the calls of URL: .* Let the functions read the address from URL\.$/,
    ),
  ]);
});

test('nothing is said if a sandbox is known, nothing was called, nothing is counted there, or nothing was to be killed', () => {
  expect(reasons([undefined, 'S1'])).toEqual([]);
  expect(reasons([])).toEqual([]);
  expect(reasons([undefined], { kill: 0.1 }, false)).toEqual([]);
  expect(reasons([undefined], { provider: 1 })).toEqual([]);
});
