import { expect, test } from 'vitest';
import { type Evidence, emptiness, isClean, judge } from '../../../lib/rehearsal/file/judge.ts';
import type { Sent } from '../../../lib/rehearsal/file/sending.ts';

const sent = (intent: string, more: Partial<Sent> = {}): Sent => ({
  intent,
  effects: undefined,
  ended: 'sent',
  ...more,
});

function verdictOn(intents: readonly Sent[], evidence: Partial<Evidence> = {}) {
  return judge('email', {
    sent: intents,
    counts: new Map(),
    expected: undefined,
    parked: new Set(),
    deadLettered: new Set(),
    waiting: new Set(),
    starved: new Set(),
    slowed: new Set(),
    cutShort: new Set(),
    hasRunOut: false,
    isCutOff: false,
    ...evidence,
  });
}

test('an effect that happened twice is doubled, also if its claim is parked', () => {
  const verdict = verdictOn([sent('a'), sent('b')], {
    counts: new Map([
      ['a', 2],
      ['b', 1],
    ]),
    parked: new Set(['a']),
  });
  expect(verdict).toMatchObject({ intents: 2, done: 1, doubled: ['a'], parked: [] });
  expect(isClean(verdict)).toBe(false);
});

test('an effect that has not happened is parked, set aside, unfinished or lost, by where it waits', () => {
  const verdict = verdictOn([sent('a'), sent('b'), sent('c'), sent('d')], {
    parked: new Set(['a']),
    deadLettered: new Set(['b']),
    waiting: new Set(['c']),
  });
  expect(verdict).toMatchObject({ parked: ['a'], setAside: ['b'], unfinished: ['c'], lost: ['d'], done: 0 });
});

test('a request that was refused, or whose client gave up, is not owed its effect', () => {
  const verdict = verdictOn([sent('a', { ended: 'refused' }), sent('b', { ended: 'no-response' })]);
  expect(verdict).toMatchObject({ notOwed: ['a', 'b'], lost: [] });
  expect(isClean(verdict)).toBe(true);
});

test('an effect is owed if one of the sends for it was accepted, whatever became of the others', () => {
  const [refused, accepted] = [{ ended: 'refused' }, { ended: 'sent' }] as const;
  const of = (effect: string) => ({ effects: [effect] });
  expect(verdictOn([sent('a', refused), sent('a', accepted)])).toMatchObject({ intents: 1, lost: ['a'], notOwed: [] });
  expect(verdictOn([sent('a', accepted), sent('a', refused)])).toMatchObject({ intents: 1, lost: ['a'], notOwed: [] });
  const other = { ...accepted, ...of('invoice') };
  expect(verdictOn([sent('a', { ...refused, ...of('email') }), sent('a', other)])).toMatchObject({
    intents: 1,
    lost: [],
    notOwed: ['a'],
  });
});

test('an intent without this effect is not counted, and an effect that it has all the same is doubled', () => {
  const intents = [sent('a', { effects: ['invoice'] }), sent('b', { effects: ['invoice'] })];
  expect(verdictOn(intents, { counts: new Map([['b', 1]]) })).toMatchObject({ intents: 1, doubled: ['b'] });
});

test('what was never sent has happened: it is doubled', () => {
  expect(
    verdictOn([sent('a')], {
      counts: new Map([
        ['a', 1],
        ['stranger', 1],
      ]),
    }).doubled,
  ).toEqual(['stranger']);
});

test('the author says how often an effect is to happen', () => {
  const counts = new Map([
    ['twice', 2],
    ['maybe', 0],
    ['some', 1],
  ]);
  const expected = (intent: string) =>
    (({ twice: 2, maybe: 'at-most-once', some: 'at-most-once' }) as const)[intent] ?? 1;
  const verdict = verdictOn([sent('twice'), sent('maybe'), sent('some')], { counts, expected });
  expect(verdict).toMatchObject({ doubled: [], lost: [], done: 3 });
});

test('an effect that is expected at least once is done however often it happened, and lost if it did not', () => {
  const verdict = verdictOn([sent('a'), sent('b'), sent('c')], {
    expected: () => 'at-least-once',
    counts: new Map([
      ['a', 1],
      ['b', 3],
    ]),
  });
  expect(verdict).toMatchObject({ done: 2, doubled: [], lost: ['c'] });
});

const reasons = (intents: readonly Sent[], evidence: Partial<Evidence> = {}, expectsSome = true) =>
  emptiness([verdictOn(intents, evidence)], { sent: intents.length, expectsSome });

test('a run in which nothing was sent, or nothing owed, shows nothing', () => {
  expect(reasons([])).toEqual(['The traffic has sent nothing.']);
  expect(reasons([sent('a', { effects: [] })])).toEqual(['No intent of the traffic is to have an effect.']);
  // The author has said that there is to be none.
  expect(reasons([sent('a')], { expected: () => 0 }, false)).toEqual([]);
});

test.each<[string, Partial<Sent>, Partial<Evidence>]>([
  ['is set aside', {}, { deadLettered: new Set(['a', 'b']) }],
  ['is parked', {}, { parked: new Set(['a', 'b']) }],
  ['is refused', { ended: 'refused' }, {}],
  ['gets no response', { ended: 'no-response' }, {}],
  ['need not happen', {}, { expected: () => 'at-most-once' }],
])('a run shows nothing of an effect if everything %s, and something if one intent has it', (_, more, evidence) => {
  const both = [sent('a', more), sent('b', more)];
  const [said] = reasons(both, evidence);
  const story = evidence.expected === undefined ? ' What became of one: --story a' : '';
  expect(said).toBe(`Of 2 intents that are to have the effect email, none has had it.${story}`);
  expect(reasons(both, { ...evidence, counts: new Map([['a', 1]]) })).toEqual([]);
});

test('a run that has lost or doubled an effect says so, and not that it shows nothing', () => {
  expect(reasons([sent('a'), sent('b')])).toEqual([]);
  expect(reasons([sent('a')], { counts: new Map([['a', 2]]) })).toEqual([]);
});

test('an effect that is expected at most once, and has not happened, is done and absent', () => {
  const expected = () => 'at-most-once' as const;
  expect(verdictOn([sent('a'), sent('b')], { expected, counts: new Map([['a', 1]]) })).toMatchObject({
    done: 2,
    absent: 1,
  });
});

test('harm to an intent of which the machine starved a function is not judged, and other harm is', () => {
  const counts = new Map([
    ['a', 2],
    ['b', 2],
  ]);
  const [waiting, starved] = [new Set(['d']), new Set(['a', 'c', 'd'])];
  const intents = ['a', 'b', 'c', 'd', 'e'].map((intent) => sent(intent));
  const verdict = verdictOn(intents, { counts, waiting, starved });
  expect(verdict).toMatchObject({ doubled: ['b'], lost: ['e'], unfinished: [], unjudged: ['a', 'c', 'd'] });
  const late = verdictOn(intents, { counts, waiting: new Set(['c', 'd', 'e']), hasRunOut: true });
  expect(late).toMatchObject({ doubled: ['a', 'b'], unfinished: [], unjudged: ['c', 'd', 'e'] });
});

test('harm to an intent of which a shortened timeout ended an invocation is not judged; what waits for an operator waits', () => {
  const short = { cutShort: new Set(['a', 'b', 'c']), parked: new Set(['b']), counts: new Map([['a', 2]]) };
  const verdict = verdictOn(
    ['a', 'b', 'c', 'd'].map((intent) => sent(intent)),
    short,
  );
  expect(verdict).toMatchObject({ doubled: [], parked: ['b'], unjudged: ['a', 'c'], lost: ['d'] });
});

test('where the machine was too slow to go on, what is missing is not judged, and what doubled is', () => {
  const evidence = { counts: new Map([['a', 2]]), waiting: new Set(['b']), isCutOff: true };
  const verdict = verdictOn([sent('a'), sent('b'), sent('c')], evidence);
  expect(verdict).toMatchObject({ doubled: ['a'], unjudged: ['b', 'c'], lost: [], unfinished: [] });
});

test('an effect that was starved does not show nothing: it is not judged', () => {
  const verdict = verdictOn([sent('a')], { starved: new Set(['a']) });
  expect(emptiness([verdict], { sent: 1, expectsSome: true })).toEqual([]);
});

test('what a slowed function has not come to is not judged; what it doubled, or lost, is', () => {
  const [slowed, counts] = [new Set(['a', 'b', 'c']), new Map([['b', 2]])];
  const verdict = verdictOn([sent('a'), sent('b'), sent('c')], { slowed, counts, waiting: new Set(['a']) });
  expect(verdict).toMatchObject({ unjudged: ['a'], unfinished: [], doubled: ['b'], lost: ['c'] });
});
