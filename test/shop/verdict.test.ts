import { describe, expect, test } from 'vitest';
import { exitCodeOf } from '../../lib/rehearsal/file/result.ts';
import { createLedger } from '../../shop/providers/ledger.ts';
import { orderOf } from '../../shop/traffic/dead-letters.ts';
import { createPawlEvents } from '../../shop/traffic/pawl-events.ts';
import { report } from '../../shop/traffic/report.ts';
import { isGood, jsonLine, noVerdictOf, type TrafficResult } from '../../shop/traffic/traffic-result.ts';
import { judge } from '../../shop/traffic/verdict.ts';

const orders = ['done', 'doubled', 'parked', 'parked-and-done', 'set-aside', 'never-run', 'lost'];

function verdicts() {
  const ledger = createLedger(() => 1_770_000_000_000);
  for (const orderId of ['done', 'doubled', 'doubled', 'parked-and-done']) {
    ledger.append({ effect: 'email', orderId, key: 'mail', sandbox: 'SANDBOX0001' });
  }
  for (const orderId of orders) ledger.append({ effect: 'gift-card', orderId, key: 'card', sandbox: undefined });
  for (const orderId of orders.filter((order) => order !== 'never-run')) ledger.ask('email', orderId);
  const waiting = {
    parkedClaims: new Set(['send-email#parked', 'send-email#parked-and-done']),
    // A copy of what was done, or is parked, may be there as well.
    deadLettered: new Set(['done', 'parked', 'set-aside', 'never-run']),
    left: 0,
  };
  return { emails: judge('email', orders, ledger, waiting), giftCards: judge('gift-card', orders, ledger, waiting) };
}

/** What became of one effect behind the three payments. */
const behind = (effect: string, done: number, doubled: readonly string[] = []) => ({
  ...{ effect, intents: 3, done, doubled, absent: 0, lost: [], uncounted: [], unfinished: [], parked: [] },
  ...{ setAside: [], notOwed: [], unjudged: [] },
});

const result: TrafficResult = {
  isCutOff: false,
  orders: 7,
  messages: 12,
  producerDuplicates: 2,
  sqsRedeliveries: 1,
  providerFaults: 3,
  storeFaults: { throttled: 3, unread: 2, answersLost: 1 },
  deliveries: 15,
  batches: 4,
  suppressed: 2,
  deferred: 1,
  takeovers: 1,
  verdicts: { applied: 3, notApplied: 2, tooEarly: 1, inconclusive: 0 },
  decided: [
    { effect: 'email', orderId: 'done', verdict: 'applied' },
    { effect: 'email', orderId: 'later', verdict: 'not-applied' },
  ],
  deadLettered: 2,
  sandboxes: { started: 4, killed: 2, timedOut: 0 },
  ...verdicts(),
  payments: {
    payments: 3,
    callbacks: 7,
    corrected: 1,
    outages: 1,
    refused: [],
    ledgerEntries: 6,
    drift: [],
    statement: undefined,
  },
  relaysKilled: 2,
  spared: [],
  outboxLeft: 0,
  repayments: { requests: 2, wanted: 50, repaid: 50, repaidTwice: [], locksLeft: 0 },
  rehearsed: {
    good: true,
    noVerdict: undefined,
    effects: [behind('receipt', 3), behind('points', 3)],
    empty: [],
    untested: [],
    harmed: [],
    findings: [],
    hints: [],
    story: undefined,
  },
  left: 0,
  protection: 'as-written',
  store: 'dynamodb',
  killShare: 0.08,
  seed: 1,
  seconds: 12.3,
};
const good: TrafficResult = { ...result, emails: result.giftCards };

describe('the verdict', () => {
  test('is not good when a payment has not its two entries, or a debt was not repaid once', () => {
    expect(isGood(good)).toBe(true);
    expect(isGood({ ...good, payments: { ...good.payments, drift: ['payment-1: it has no entry'] } })).toBe(false);
    expect(isGood({ ...good, payments: { ...good.payments, ledgerEntries: 8 } })).toBe(false);
    expect(isGood({ ...good, payments: { ...good.payments, refused: ['payment-1'] } })).toBe(false);
    expect(isGood({ ...good, repayments: { ...good.repayments, repaid: 49 } })).toBe(false);
    expect(isGood({ ...good, repayments: { ...good.repayments, repaidTwice: ['debt-1'] } })).toBe(false);
    expect(isGood({ ...good, repayments: { ...good.repayments, locksLeft: 1 } })).toBe(false);
    expect(JSON.parse(jsonLine(good))).toMatchObject({ payments: 3, ledgerEntries: 6, drift: 0 });
  });

  test('is not good when a payment has not its one receipt and its one booking of points, or a message lies in the outbox', () => {
    const followed = (...effects: TrafficResult['rehearsed']['effects']) => ({
      ...good,
      rehearsed: { ...good.rehearsed, effects },
    });
    const lost = followed(behind('receipt', 2), behind('points', 3));
    expect(isGood(lost)).toBe(false);
    expect(report(lost, false)).toContain('Behind 3 payments, receipts: 1 missing, 0 doubled.');
    const doubled = followed(behind('receipt', 3), behind('points', 2, ['payment-1']));
    expect(isGood(doubled)).toBe(false);
    expect(report(doubled, false)).toContain('Behind 3 payments, points: 0 missing, 1 doubled.');
    expect(JSON.parse(jsonLine(doubled))).toMatchObject({ receipts: 3, points: 2, pointsDoubled: 1 });
    expect(isGood({ ...good, outboxLeft: 1 })).toBe(false);
    expect(report({ ...good, outboxLeft: 1 }, false)).toContain('Left in the outbox: 1 message.');
  });

  test('comes from what the providers did, and an effect that nobody knows of is lost unless it is parked, or its message in the dead-letter queue', () => {
    expect(result.emails).toEqual({
      effect: 'email',
      orders: 7,
      done: 3,
      doubled: ['doubled'],
      repeated: [],
      // As the judge of the rehearsal has it, so that a page and a terminal show one number.
      parked: ['parked'],
      parkedAndDone: 1,
      setAside: ['set-aside', 'never-run'],
      neverRun: ['never-run'],
      unjudged: [],
      unfinished: [],
      lost: ['lost'],
    });
    expect(result.giftCards).toMatchObject({ done: 7, doubled: [], parked: [], setAside: [], lost: [] });
  });

  test('does not say whether the app, or the machine, has used up the receives of what was never run while its functions had no time', () => {
    const waits = {
      parkedClaims: new Set<string>(),
      deadLettered: new Set(['a', 'b']),
      left: 0,
      starved: new Set(['a']),
    };
    const emails = judge('email', ['a', 'b'], createLedger(), waits);
    expect(emails).toMatchObject({ setAside: ['a', 'b'], neverRun: ['b'], unjudged: ['a'] });
    expect(noVerdictOf({ ...good, emails })).toBeUndefined();
    const late = { ...good, emails: judge('email', ['a'], createLedger(), waits) };
    expect(exitCodeOf({ good: isGood(late), noVerdict: noVerdictOf(late) })).toBe(2);
    expect(report(late, false)).toContain('This machine was too slow to judge 1 effect');
    expect(noVerdictOf(good)).toBeUndefined();
  });

  test('of a run that the machine was too slow for says what doubled, and of nothing that it is missing', () => {
    const rehearsed = { ...good.rehearsed, good: false, untested: ['What had not happened by then.'] };
    const repayments = { ...good.repayments, repaid: 49 };
    const emails = { ...good.emails, effect: 'email', doubled: ['a'] } as const;
    const text = report({ ...good, rehearsed, repayments, emails, isCutOff: true }, false);
    expect(text).toContain('Doubled emails: a.');
    expect(text).toContain('Not judged: What had not happened by then.');
    expect(text).not.toContain('Not repaid');
  });

  test('cannot tell what is lost while messages are on their queues', () => {
    const nobodyWaits = { parkedClaims: new Set<string>(), deadLettered: new Set<string>(), left: 3 };
    const emails = judge('email', ['a'], createLedger(), nobodyWaits);
    expect(emails).toMatchObject({ lost: [], unfinished: ['a'] });
    expect(isGood({ ...good, emails, left: 3 })).toBe(false);
    expect(report({ ...good, emails, left: 3 }, false)).toContain('3 messages. Unfinished: 1 effect.');
  });

  test('does not blame the library for what a provider without effect keys repeats under `retry`', () => {
    const ledger = createLedger();
    for (const orderId of ['a', 'a', 'b']) {
      ledger.append({ effect: 'email', orderId, key: 'mail', sandbox: undefined });
    }
    const nobodyWaits = { parkedClaims: new Set<string>(), deadLettered: new Set<string>(), left: 0 };
    const emails = judge('email', ['a', 'b'], ledger, nobodyWaits, true);
    expect(emails).toMatchObject({ done: 2, doubled: [], repeated: ['a'], lost: [] });
    expect(isGood({ ...good, emails })).toBe(true);
    expect(report({ ...good, emails, protection: 'retry' }, false)).toContain('Repeated emails: 1');
    expect(report({ ...good, protection: 'retry' }, false)).toContain('--seed 1 --retry');
  });

  test('is good only when nothing is lost, nothing doubled and nothing left', () => {
    expect(isGood(good)).toBe(true);
    expect(isGood(result)).toBe(false);
    expect(isGood({ ...good, left: 1 })).toBe(false);
    expect(isGood({ ...good, emails: { ...good.emails, doubled: ['done'] } })).toBe(false);
    expect(isGood({ ...good, emails: { ...good.emails, parked: ['done'], setAside: ['later'] } })).toBe(true);
    expect(isGood({ ...good, emails: { ...good.emails, setAside: ['later'], neverRun: ['later'] } })).toBe(false);
  });

  test('is one line of JSON for a program', () => {
    expect(JSON.parse(jsonLine(result))).toEqual({
      orders: 7,
      messages: 12,
      deliveries: 15,
      emails: 3,
      giftCards: 7,
      suppressed: 2,
      deferred: 1,
      takeovers: 1,
      reconciled: 5,
      resolved: 2,
      parked: 1,
      setAside: 2,
      neverRun: 1,
      unfinished: 0,
      lost: 1,
      doubled: 1,
      repeated: 0,
      payments: 3,
      ledgerEntries: 6,
      drift: 0,
      refused: 0,
      receipts: 3,
      receiptsDoubled: 0,
      points: 3,
      pointsDoubled: 0,
      outboxLeft: 0,
      relaysKilled: 2,
      repayments: 50,
      repaidTwice: 0,
      locksLeft: 0,
      left: 0,
      killed: 2,
      seconds: 12.3,
    });
  });

  test('names what went wrong to a person, and how to see it again', () => {
    const text = report(result, false);
    expect(text).toContain('Doubled emails: doubled.');
    expect(text).toContain('Lost emails: lost.');
    expect(text).toContain('Set aside emails: set-aside, never-run.');
    expect(text).toContain('Set aside emails that were never tried: never-run.');
    expect(text).toContain('5   times the provider was asked: 3 applied, 2 not applied (1 too early to be believed)');
    expect(text).toContain('Parked emails: 4.');
    expect(text).toContain('done: looked up by the operator, resolved as applied');
    expect(text).toContain('later: looked up by the operator, resolved as not-applied');
    expect(text).toContain('2 still wait. (The provider did 1 of them.)');
    expect(text).toContain('npm start -- --orders 7 --payments 3 --repayments 2 --kill 0.08 --seed 1');
    expect(report(good, false)).toContain('Nothing lost, nothing doubled');
    expect(text).not.toContain('\u001b');
    expect(report(result, true)).toContain('\u001b[');
  });
});

test('events of pawl are counted in a log that holds other lines, and halves of lines', () => {
  const events = createPawlEvents();
  for (const line of [
    'a line of the handler',
    '{"pawl":"replayed","operation":"send-email","id":"send-email#1"}',
    '2026-01-01T00:00:00.000Z INFO {"pawl":"replayed"}',
    '{"pawl":"granted","operat',
    '{"pawl":"reconciled","verdict":"applied","settled":false}',
    '{"pawl":"reconciled","verdict":"not-applied","settled":false}',
    '{"pawl":"reconciled","verdict":"not-applied","settled":true}',
    '{"pawl":"reconciled","verdict":"inconclusive","settled":true}',
    '{"level":"info"}',
  ]) {
    events.read(line);
  }
  expect(events.count('replayed')).toBe(2);
  expect(events.count('granted')).toBe(0);
  expect(events.count('replayed', 'repeated')).toBe(2);
  expect(events.verdicts()).toEqual({ applied: 1, notApplied: 2, tooEarly: 1, inconclusive: 1 });
});

test('the order of a dead letter is read if it can be', () => {
  expect(orderOf({ Body: '{"orderId":"order-1"}' })).toBe('order-1');
  for (const Body of ['{"orderId":7}', '{}', 'null', '"order-1"', 'no json', undefined]) {
    expect(orderOf({ ...(Body === undefined ? {} : { Body }) })).toBeUndefined();
  }
});
