import { expect, test } from 'vitest';
import { createJournal, type Happening } from '../../../lib/rehearsal/file/journal.ts';
import type { EffectVerdict } from '../../../lib/rehearsal/file/judge.ts';
import { httpProvider } from '../../../lib/rehearsal/file/providers.ts';
import type { ServedProvider } from '../../../lib/rehearsal/file/serve-provider.ts';
import { withoutUncounted } from '../../../lib/rehearsal/file/uncounted.ts';

const nothing = { absent: 0, doubled: [], uncounted: [], unfinished: [], parked: [], setAside: [], notOwed: [] };
const verdict: EffectVerdict = { effect: 'charge', intents: 2, done: 1, lost: ['b'], unjudged: [], ...nothing };

const began = (sandbox: string): Happening => ({
  ...{ kind: 'began', sandbox, construct: 'App/Fn', batch: 1, receives: new Map(), messages: new Map() },
});
const unnamed = (sandbox: string, call: string): Happening => ({
  ...{ kind: 'unnamed', sandbox, provider: 'URL', call, fields: [] },
});
const called = (sandbox: string, call: string): Happening => ({
  ...{ kind: 'called', sandbox, provider: 'URL', call, result: 'applied', fault: undefined },
});

/** What becomes of `b`, which has been charged by no call that names it. */
function verdictAfter(happened: readonly (readonly [string, Happening])[]) {
  const journal = createJournal();
  for (const [intent, happening] of happened) journal.add([intent], happening);
  const provider = httpProvider();
  const stats = { repeated: 0, unattributed: 1, calls: 2 };
  const served: ServedProvider = {
    ...{ name: 'URL', provider, counts: new Map([['a', 1]]), stats, endpoint: '', stop: async () => undefined },
  };
  const { verdicts } = withoutUncounted([verdict], { effects: { charge: provider }, providers: [served], journal });
  const [{ lost, uncounted } = verdict] = verdicts;
  return { lost, uncounted };
}

const lost = { lost: ['b'], uncounted: [] };
const uncounted = { lost: [], uncounted: ['b'] };

test('an effect is uncounted if a call that may be for it names no intent', () => {
  expect(
    verdictAfter([
      ['b', began('S1')],
      ['b', unnamed('S1', 'POST /charges')],
    ]),
  ).toEqual(uncounted);
});

test('a call that goes with those that are counted, such as one for a token, is none for the effect', () => {
  const counted = [
    ['a', began('S1')],
    ['a', unnamed('S1', 'POST /token')],
    ['a', called('S1', 'POST /charges')],
  ] as const;
  const other = [
    ['b', began('S2')],
    ['b', unnamed('S2', 'POST /token')],
  ] as const;
  expect(verdictAfter([...counted, ...other])).toEqual(lost);
  // It does not go with one: it may be the way in which this effect is asked for.
  expect(verdictAfter([['a', began('S1')], ['a', called('S1', 'POST /charges')], ...other])).toEqual(uncounted);
});

test('a call of the same kind as those that are counted may be for the effect, also beside one of them', () => {
  expect(
    verdictAfter([
      ...([
        ['a', began('S1')],
        ['a', unnamed('S1', 'POST /charges')],
        ['a', called('S1', 'POST /charges')],
      ] as const),
      ...([
        ['b', began('S2')],
        ['b', unnamed('S2', 'POST /charges')],
      ] as const),
    ]),
  ).toEqual(uncounted);
});
