import { describe, expect, test } from 'vitest';
import type { Facts } from '../../../lib/rehearsal/file/hint-rule.ts';
import { hintsFor } from '../../../lib/rehearsal/file/hints.ts';
import { createJournal, type Happening } from '../../../lib/rehearsal/file/journal.ts';
import type { Harmed } from '../../../lib/rehearsal/file/result.ts';

const consumer = 'Mails/Send';

const innocentFacts: Facts = {
  ...{ harmed: [], verdicts: [], journal: createJournal(), consumers: [], hasClaims: false, shortened: [] },
  // Every function looks at what it writes, but in the log.
  hasRead: (_, table) => table !== 'Log',
  mayRemember: () => false,
  tableOf: () => undefined,
  uncalledOf: () => undefined,
};

/** What happened to `order-1`, which came to harm. */
function hintsOn(problem: Harmed['problem'], happenings: readonly Happening[], facts: Partial<Facts> = {}) {
  const journal = createJournal(() => Date.UTC(2026, 10, 22));
  for (const happening of happenings) journal.add(['order-1'], happening);
  const harmed: readonly Harmed[] = [
    { effect: 'email', intent: 'order-1', problem, times: problem === 'lost' ? 0 : 2, story: [] },
  ];
  return hintsFor({ ...innocentFacts, harmed, journal, ...facts }).map(({ name }) => name);
}

const began = (sandbox: string, construct = consumer): Extract<Happening, { readonly kind: 'began' }> => ({
  kind: 'began',
  sandbox,
  construct,
  batch: 1,
  receives: new Map([['order-1', 1]]),
  messages: new Map(),
});
const called = (sandbox: string, result: 'applied' | 'not-applied') =>
  ({ kind: 'called', sandbox, provider: 'MAILER_URL', call: 'POST /', result, fault: undefined }) as const;
const applied = (sandbox: string): Happening => called(sandbox, 'applied');
const sent: Happening = { kind: 'asked', how: 'sent to Orders' };
const stored = (result: string, sandbox = 'S1', isNamed = true): Extract<Happening, { kind: 'stored' }> => ({
  kind: 'stored',
  sandbox,
  operation: 'PutItem',
  isNamed,
  write: { table: 'T', key: 'order-1', result },
});
const ended = (kind: 'error' | 'timed-out' | 'response', batch = 1, failed: readonly string[] = []): Happening => ({
  kind: 'ended',
  sandbox: 'S1',
  construct: consumer,
  batch,
  failed: new Set(failed),
  outcome:
    kind === 'error'
      ? { kind, error: { name: 'Error', message: 'no' } }
      : kind === 'response'
        ? { kind, value: {} }
        : { kind },
});

const responded = (sandbox: string) => ({ ...ended('response'), sandbox }) as const;

const twice = [began('S1'), applied('S1'), began('S2'), applied('S2')];

test('what another function writes for the same intent remembers nothing of the effect', () => {
  const archived = [began('S9', 'Mails/Archive'), stored('written', 'S9')];
  expect(hintsOn('doubled', [...twice, ...archived])).toEqual(['no-idempotency']);
  expect(hintsOn('doubled', [...twice, stored('written')])).toEqual(['idempotency-incomplete']);
});

test('nothing remembers: the effect happened at two deliveries, and the function wrote nothing', () => {
  expect(hintsOn('doubled', twice)).toEqual(['no-idempotency']);
  expect(hintsOn('doubled', [...twice, stored('ConditionalCheckFailed')])).toEqual(['no-idempotency']);
});

test('no cause is named if the function may remember where no record is, such as in S3 or at the provider', () => {
  expect(hintsOn('doubled', twice, { mayRemember: (construct) => construct === consumer })).toEqual([]);
  expect(hintsOn('doubled', twice, { mayRemember: (construct) => construct !== consumer })).toEqual(['no-idempotency']);
});

test('the memory is incomplete: the function wrote a record, and the effect happened twice all the same', () => {
  expect(hintsOn('doubled', [...twice, stored('written')])).toEqual(['idempotency-incomplete']);
});

test('neither is said of an app with a claims table', () => {
  expect(hintsOn('doubled', twice, { hasClaims: true })).toEqual([]);
});

test('a log remembers nothing: nothing looks at what the function writes', () => {
  const log = (sandbox: string, key: string, looks?: boolean) => {
    const { write, ...rest } = stored('written', sandbox);
    return { ...rest, write: { ...write, table: 'Log', key, ...(looks === undefined ? {} : { looks }) } };
  };
  const saved = (first: string, second: string, looks?: boolean) => [
    ...[began('S1'), applied('S1'), log('S1', first, looks)],
    ...[began('S2'), applied('S2'), log('S2', second, looks)],
  ];
  expect(hintsOn('doubled', saved('order-1', 'order-1'))).toEqual(['no-idempotency']);
  expect(hintsOn('doubled', saved('8e1f', '77b0'))).toEqual(['no-idempotency']);
  // A write that has a condition looks by itself.
  expect(hintsOn('doubled', saved('order-1', 'order-1', true))).toEqual(['idempotency-incomplete']);
  expect(hintsOn('doubled', saved('8e1f', '77b0', true))).toEqual(['key-made-anew']);
});

describe('the record came too early', () => {
  const believes = [began('S2'), responded('S2')];

  test('it was written, and the next delivery called nothing and said that all was done', () => {
    expect(hintsOn('lost', [began('S1'), stored('written'), ...believes])).toEqual(['recorded-too-early']);
    // The response to its own write was lost, and it takes the record for that of another.
    expect(hintsOn('lost', [began('S1'), stored('written'), responded('S1')])).toEqual(['recorded-too-early']);
  });

  test('and not if no record was written, no delivery believed it, or the function had called the provider', () => {
    expect(hintsOn('lost', [began('S1'), stored('ConditionalCheckFailed'), ...believes])).toEqual([]);
    expect(hintsOn('lost', [began('S1'), stored('written')])).toEqual([]);
    const called1 = [began('S1'), called('S1', 'not-applied'), stored('written'), responded('S1')];
    expect(hintsOn('lost', called1)).toEqual(['failure-swallowed']);
  });

  test('and not if another function wrote it', () => {
    expect(hintsOn('lost', [began('S9', 'Mails/Accept'), stored('written', 'S9'), ...believes])).toEqual([]);
  });
});

test('the client tries again: one invocation applied the effect twice, and a call had looked as if it had failed', () => {
  const failed: Happening = { ...called('S1', 'applied'), fault: { kind: 'drop-applied' } };
  expect(hintsOn('doubled', [began('S1'), failed, applied('S1')])).toEqual(['client-retries']);
});

test('a function that calls twice by itself has no client that tries again', () => {
  expect(hintsOn('doubled', [began('S1'), applied('S1'), applied('S1')])).toEqual(['called-twice']);
});

test('two copies in one batch are no client that tries again, unless a call had failed', () => {
  const copies = [sent, sent, began('S1'), applied('S1'), applied('S1')];
  expect(hintsOn('doubled', copies)).toEqual(['no-idempotency']);
  const failed: Happening = { ...called('S1', 'applied'), fault: { kind: 'drop-applied' } };
  expect(hintsOn('doubled', [sent, sent, began('S1'), failed, applied('S1')])).toEqual(['client-retries']);
});

test('each copy has a claim of its own: no claim names the intent', () => {
  const unnamed = stored('written', 'S1', false);
  const copies = [sent, began('S1'), unnamed, applied('S1'), sent, began('S1'), unnamed, applied('S1')];
  expect(hintsOn('doubled', copies, { hasClaims: true })).toEqual(['claim-of-the-copy']);
  expect(
    hintsOn(
      'doubled',
      copies.filter((one) => one !== sent),
      { hasClaims: true },
    ),
  ).toEqual([]);
});

test('copies whose key is hidden have no claims of their own: they meet at one, or their batch does not show it', () => {
  const copies = (keyOf: (copy: string) => string, messages = ['m1', 'm2']) =>
    messages.flatMap((message): readonly Happening[] => {
      const { write, ...rest } = stored('written', 'S1', false);
      const begun = { ...began('S1'), messages: new Map([['order-1', message]]) };
      return [sent, begun, { ...rest, write: { ...write, key: keyOf(message) } }, applied('S1')];
    });
  const ofMessages = copies((message) => `mail#${message}`);
  expect(hintsOn('doubled', ofMessages, { hasClaims: true })).toEqual(['claim-of-the-copy']);
  const hidden = copies(() => 'mail#hmac:8e1f');
  expect(hintsOn('doubled', hidden, { hasClaims: true })).toEqual([]);

  const inBatch = (happenings: readonly Happening[]) => {
    const journal = createJournal(() => Date.UTC(2026, 10, 22));
    for (const one of happenings) journal.add(one.kind === 'stored' ? ['order-1', 'order-2'] : ['order-1'], one);
    return hintsOn('doubled', [], { hasClaims: true, journal });
  };
  expect(inBatch(ofMessages)).toEqual(['claim-of-the-copy']);
  // Both copies are in both batches: of each, one is seen.
  expect(inBatch(copies(() => 'mail#hmac:8e1f', ['m1', 'm1']))).toEqual([]);
});

test('the effect is outside of the claim: an invocation had it before it wrote one', () => {
  const outside = [began('S1'), applied('S1'), stored('written'), began('S1'), applied('S1')];
  expect(hintsOn('doubled', outside, { hasClaims: true })).toEqual(['outside-of-the-claim']);
  const inside = [began('S1'), stored('written'), applied('S1'), began('S1'), stored('written'), applied('S1')];
  expect(hintsOn('doubled', inside, { hasClaims: true })).toEqual([]);
});

test('pawl only observes: what it writes comes beside the effect, and is no claim that came too late', () => {
  const observed = (sandbox: string, isNamed = true): Happening => {
    const { write, ...rest } = stored('written', sandbox, isNamed);
    return { ...rest, write: { ...write, isObserved: true } };
  };
  const seen = [sent, began('S1'), applied('S1'), observed('S1'), sent, began('S2'), applied('S2'), observed('S2')];
  expect(hintsOn('doubled', seen, { hasClaims: true })).toEqual(['only-observed']);
  const hidden = [sent, began('S1'), applied('S1'), observed('S1', false), sent, began('S2'), applied('S2')];
  expect(hintsOn('doubled', hidden, { hasClaims: true })).toEqual(['only-observed']);
  expect(hintsOn('lost', [began('S1'), observed('S1')], { hasClaims: true })).toEqual([]);
});

test('no function has called the provider: of what a function took and let pass, and of nothing else', () => {
  const uncalled: Partial<Facts> = { uncalledOf: (effect) => (effect === 'email' ? 'MAILER_URL' : undefined) };
  expect(hintsOn('lost', [began('S1'), ended('response')], uncalled)).toEqual(['provider-never-called']);
  expect(hintsOn('lost', [began('S1'), ended('response')])).toEqual([]);
  // That it failed is why.
  expect(hintsOn('lost', [began('S1'), ended('error')], uncalled)).toEqual([]);
  expect(hintsOn('lost', [began('S1'), ended('response', 1, ['order-1'])], uncalled)).toEqual([]);
  // No function ever had it.
  expect(hintsOn('lost', [sent], uncalled)).toEqual([]);
  expect(hintsOn('unfinished', [began('S1'), ended('response')], uncalled)).toEqual([]);
});

test('a failure is swallowed: the provider had failed, and the function said that all was done', () => {
  const failed = [began('S1'), called('S1', 'not-applied')];
  expect(hintsOn('lost', [...failed, ended('response')])).toEqual(['failure-swallowed']);
  expect(hintsOn('lost', [...failed, ended('response', 1, ['order-1'])])).toEqual([]);
  expect(hintsOn('lost', [...failed, ended('error')])).toEqual([]);
});

test('a whole batch came back, because one of it failed', () => {
  expect(hintsOn('doubled', [...twice, ended('error', 5)])).toContain('whole-batch');
  expect(hintsOn('doubled', [...twice, ended('error', 1)])).not.toContain('whole-batch');
  // A batch that failed before the effect had happened doubles nothing.
  expect(hintsOn('doubled', [began('S1'), ended('error', 5), ...twice])).not.toContain('whole-batch');
});

test('the deduplication window has passed', () => {
  const late: Happening = { kind: 'asked', how: 'sent to Orders AGAIN, as after the deduplication window' };
  expect(hintsOn('doubled', [late, ...twice])).toContain('deduplication-window');
});

test('a function that times out in half of its invocations is named, without harm', () => {
  expect(hintsOn('doubled', [ended('timed-out'), ended('response')], { harmed: [] })).toEqual(['timeouts']);
  const seldom = [ended('timed-out'), ended('response'), ended('response')];
  expect(hintsOn('doubled', seldom, { harmed: [] })).toEqual([]);
});

test('much that is parked without a call to its provider is named in an app with claims', () => {
  const verdict = {
    effect: 'email',
    intents: 10,
    done: 7,
    absent: 0,
    doubled: [],
    lost: [],
    unfinished: [],
    uncounted: [],
    setAside: [],
    notOwed: [],
    unjudged: [],
  };
  const hints = (parked: readonly string[], hasClaims = true, journal = createJournal()) =>
    hintsOn('doubled', [], { harmed: [], hasClaims, journal, verdicts: [{ ...verdict, parked }] });
  expect(hints(['a', 'b', 'c'])).toEqual(['much-parked']);
  expect(hints(['a', 'b'])).toEqual([]);
  expect(hints(['a', 'b', 'c'], false)).toEqual([]);
  // Who marks the effect and dies in it has done what the advice says.
  const journal = createJournal();
  journal.add(['a'], called('S1', 'applied'));
  expect(hints(['a', 'b', 'c'], true, journal)).toEqual([]);
  expect(hints(['a', 'b', 'c', 'd'], true, journal)).toEqual(['much-parked']);
});

test('a harmless run of a sound app has no hints', () => {
  expect(hintsOn('doubled', [began('S1'), applied('S1')], { harmed: [] })).toEqual([]);
});

/** The n-th invocation for `order-1`, with the id of its message. */
const begun = (sandbox: string, message: string, construct = consumer): Happening => ({
  kind: 'began',
  sandbox,
  construct,
  batch: 1,
  receives: new Map([['order-1', 1]]),
  messages: new Map([['order-1', message]]),
});
const wrote = (key: string, sandbox: string, table = 'T'): Happening => ({
  kind: 'stored',
  sandbox,
  operation: 'PutItem',
  isNamed: key.includes('order-1'),
  write: { table, key, result: 'written' },
});

describe('the key of a record', () => {
  const twiceUnder = (first: string, second: string, messages = ['m-1', 'm-1']) => [
    ...[begun('S1', messages[0] ?? ''), wrote(first, 'S1'), applied('S1')],
    ...[begun('S2', messages[1] ?? ''), wrote(second, 'S2'), applied('S2')],
  ];

  test('is made anew: each delivery writes under another', () => {
    expect(hintsOn('doubled', twiceUnder('8e1f', '77b0'))).toEqual(['key-made-anew']);
    expect(hintsOn('doubled', twiceUnder('order-1-17001', 'order-1-17002'))).toEqual(['key-made-anew']);
  });

  test('is that of the message: each copy writes under its own', () => {
    expect(hintsOn('doubled', twiceUnder('m-1', 'm-2', ['m-1', 'm-2']))).toEqual(['key-of-the-copy']);
  });

  test('is not to blame where two deliveries share one, also beside a log whose keys are made anew', () => {
    expect(hintsOn('doubled', twiceUnder('order-1', 'order-1'))).toEqual(['idempotency-incomplete']);
    const log = [
      ...[begun('S1', 'm-1'), wrote('8e1f', 'S1', 'Log'), wrote('order-1', 'S1'), applied('S1')],
      ...[begun('S2', 'm-1'), wrote('77b0', 'S2', 'Log'), wrote('order-1', 'S2'), applied('S2')],
    ];
    expect(hintsOn('doubled', log)).toEqual(['idempotency-incomplete']);
  });

  test('is that of a row that is counted: a row for each delivery, and none of another table is blamed', () => {
    const rows = [begun('S1', 'm-1'), wrote('8e1f', 'S1'), begun('S2', 'm-1'), wrote('77b0', 'S2')];
    expect(hintsOn('doubled', rows, { tableOf: () => 'T' })).toEqual(['key-made-anew']);
    expect(hintsOn('doubled', rows, { tableOf: () => 'Another' })).toEqual([]);
  });
});

test('an effect that is not awaited is lost: a call of its function came after the response', () => {
  const responded = [begun('S1', 'm-1'), ended('response')];
  const lateCall = (intent: string, journalOf: (happening: Happening, intents: readonly string[]) => void) => {
    journalOf(begun('S1', 'm-2'), ['order-2']);
    journalOf(applied('S1'), [intent]);
  };
  const hintsWith = (calledFor: string, happenings = responded) => {
    const journal = createJournal(() => Date.UTC(2026, 10, 22));
    journal.add(['order-0'], begun('S1', 'm-0'));
    journal.add(['order-0'], ended('response'));
    for (const happening of happenings) journal.add(['order-1'], happening);
    lateCall(calledFor, (happening, intents) => journal.add(intents, happening));
    const harmed: Harmed[] = [{ effect: 'email', intent: 'order-1', problem: 'lost', times: 0, story: [] }];
    return hintsFor({ ...innocentFacts, harmed, journal }).map(({ name }) => name);
  };
  expect(hintsWith('order-0')).toEqual(['missing-await']);
  // What is called for in its own invocation is awaited, and a failure that is swallowed is another mistake.
  expect(hintsWith('order-2')).toEqual([]);
  // What it has never responded for is not late: it may well be about another thing that its message names.
  expect(hintsWith('order-9')).toEqual([]);
  expect(hintsWith('order-0', [begun('S1', 'm-1'), called('S1', 'not-applied'), ended('response')])).toEqual([
    'failure-swallowed',
  ]);
});

describe('an event with several messages', () => {
  const batch = (called: readonly string[], failed: readonly string[] = []) => {
    const journal = createJournal(() => Date.UTC(2026, 10, 22));
    const all = ['order-1', 'order-2', 'order-3'];
    const receives = new Map(all.map((intent) => [intent, 1] as const));
    journal.add(all, { kind: 'began', sandbox: 'S1', construct: consumer, batch: 3, receives, messages: new Map() });
    for (const intent of called) journal.add([intent], applied('S1'));
    journal.add(all, ended('response', 3, failed));
    const lost = all.filter((intent) => !called.includes(intent));
    const harmed = lost.map((intent): Harmed => ({ effect: 'email', intent, problem: 'lost', times: 0, story: [] }));
    return hintsFor({ ...innocentFacts, harmed, journal });
  };

  test('of which only the first, or only the last, has the effect', () => {
    expect(batch(['order-1'])).toMatchObject([{ name: 'one-of-the-batch', intents: ['order-2', 'order-3'] }]);
    expect(batch(['order-3'])).toMatchObject([{ name: 'one-of-the-batch', intents: ['order-1', 'order-2'] }]);
  });

  test('of which some are lost for another cause is not one of which the others are left out', () => {
    expect(batch(['order-1', 'order-3'])).toEqual([]);
    expect(batch(['order-2'])).toEqual([]);
    expect(batch(['order-1'], ['order-2', 'order-3'])).toEqual([]);
    expect(batch([])).toEqual([]);
  });
});

test('two consumers have the effect, each once', () => {
  const both = [sent, begun('S1', 'm-1'), applied('S1'), begun('S2', 'm-2', 'Mails/Other'), applied('S2')];
  expect(hintsOn('doubled', both)).toEqual(['two-consumers']);
  // It was sent twice: a copy for each is no share of one.
  expect(hintsOn('doubled', [sent, ...both])).not.toContain('two-consumers');
  // One of them had it twice: that is what doubles, with or without the other.
  expect(hintsOn('doubled', [...both, begun('S3', 'm-1'), applied('S3')])).toEqual(['no-idempotency']);
});

test('time that passes is named as the cause only if something that the app relied on has ended with it', () => {
  const passes = (gone?: 'record' | 'deduplication-id'): Happening => ({
    ...{ kind: 'struck', fault: 'ttl', sandbox: undefined, text: '4 days PASS' },
    ...(gone === undefined ? {} : { gone }),
  });
  const again = (happening: Happening, message = 'm-1') => [
    ...[begun('S1', 'm-1'), applied('S1'), stored('written'), happening],
    ...[begun('S2', message), applied('S2'), stored('written', 'S2')],
  ];
  expect(hintsOn('doubled', again(passes('record')))).toEqual(['record-expired']);
  expect(hintsOn('doubled', again(passes('deduplication-id'), 'm-2'))).toEqual(['deduplication-window']);
  // The same message came back: a queue does that within its window, too.
  expect(hintsOn('doubled', again(passes('deduplication-id')))).toEqual(['idempotency-incomplete']);
  expect(hintsOn('doubled', again(passes()))).toEqual(['idempotency-incomplete']);
});

test('an index is named as the cause only if it hid the record before the effect happened again', () => {
  const hidden: Happening = { kind: 'struck', fault: 'indexLag', sandbox: 'S2', text: 'LAGS' };
  const again = [begun('S1', 'm-1'), applied('S1'), stored('written'), begun('S2', 'm-1')];
  expect(hintsOn('doubled', [...again, hidden, applied('S2')])).toEqual(['index-lags']);
  expect(hintsOn('doubled', [...again, applied('S2'), hidden])).toEqual(['idempotency-incomplete']);
  // It finds by the index what it has written, under whatever key.
  const anew = [begun('S1', 'm-1'), applied('S1'), wrote('8e1f', 'S1'), begun('S2', 'm-1')];
  expect(hintsOn('doubled', [...anew, hidden, applied('S2'), wrote('77b0', 'S2')])).toEqual(['index-lags']);
});
