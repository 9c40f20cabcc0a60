import { describe, expect, test } from 'vitest';
import { type ChangesSeen, isInOrder, judgeChanges } from '../../shop/fifo/change-verdict.ts';
import { fifoJsonLine, fifoReport, isGoodFifo, noVerdictOfFifo } from '../../shop/fifo/fifo-report.ts';
import { type PlannedChange, planChanges } from '../../shop/plan/change-plan.ts';
import type { AccountsEntry } from '../../shop/providers/accounts.ts';

/** `a2` is the second change of account `a`. */
const planned = (changeId: string, facts: Partial<PlannedChange> = {}): PlannedChange => ({
  change: { changeId, accountId: changeId.slice(0, 1), points: 10 },
  refused: false,
  stuck: false,
  slow: false,
  sentAgain: false,
  trouble: undefined,
  ...facts,
});
const entry = (kind: AccountsEntry['kind'], changeId: string): AccountsEntry => ({
  kind,
  changeId,
  accountId: changeId.slice(0, 1),
});
const booked = (...changes: readonly string[]) =>
  changes.flatMap((changeId) => [entry('asked', changeId), entry('booked', changeId)]);
const dead = (changeId: string, reason?: string) => ({
  body: JSON.stringify({ changeId }),
  messageAttributes: reason === undefined ? {} : { 'pawl-reason': { StringValue: reason } },
});

function judged(plan: readonly PlannedChange[], seen: Partial<ChangesSeen>) {
  return judgeChanges(plan, { log: [], deadLetters: [], left: 0, ...seen });
}

const plan = [planned('a1'), planned('a2'), planned('b1')];

describe('the verdict on ordered changes', () => {
  test('is good when each change was booked once, in the order of its account', () => {
    const verdict = judged(plan, { log: booked('b1', 'a1', 'a2') });
    expect(verdict).toMatchObject({ changes: 3, accounts: 2, done: 3, outOfOrder: [] });
    expect(isInOrder(verdict)).toBe(true);
  });

  test('names what was booked twice, and what was booked after a later one', () => {
    const verdict = judged(plan, { log: booked('a2', 'a1', 'b1', 'b1') });
    expect(verdict).toMatchObject({ doubled: ['b1'], outOfOrder: ['a1'] });
    expect(isInOrder(verdict)).toBe(false);
    expect(isInOrder({ ...verdict, doubled: [] })).toBe(false);
  });

  test('names what was tried after a later one was booked, but not what the producer sent again', () => {
    const log = [entry('asked', 'a1'), ...booked('a2', 'b1'), entry('asked', 'a1')];
    const deadLetters = [dead('a1')];
    expect(judged(plan, { log, deadLetters })).toMatchObject({ outOfOrder: ['a1'], setAside: ['a1'] });
    const sentAgain = [planned('a1', { sentAgain: true }), planned('a2'), planned('b1')];
    expect(judged(sentAgain, { log, deadLetters })).toMatchObject({ outOfOrder: [], setAside: ['a1'] });
  });

  test('tells what was set aside after it was tried from what was never tried, which is a failure', () => {
    const log = [entry('asked', 'a1'), ...booked('b1')];
    const verdict = judged(plan, { log, deadLetters: [dead('a1'), dead('a2')] });
    expect(verdict).toMatchObject({ setAside: ['a1'], neverRun: ['a2'], unjudged: [], lost: [] });
    expect(isInOrder(verdict)).toBe(false);
    expect(isInOrder({ ...verdict, neverRun: [] })).toBe(true);
  });

  test('expects what is refused in the dead-letter queue with that reason, and nothing else there with it', () => {
    const refused = [planned('a1', { refused: true }), planned('a2', { refused: true }), planned('b1')];
    const log = ['a1', 'a2', 'b1'].map((changeId) => entry('asked', changeId));
    const verdict = judged(refused, { log, deadLetters: [dead('a1', 'rejected'), dead('b1', 'rejected')] });
    expect(verdict).toMatchObject({ rejected: ['a1'], lost: ['a2', 'b1'] });
  });

  test('what is neither booked nor dead-lettered is lost, or unfinished while messages are on the queue', () => {
    expect(judged(plan, { log: booked('a1', 'b1') })).toMatchObject({ lost: ['a2'], unfinished: [] });
    expect(judged(plan, { log: booked('a1', 'b1'), left: 1 })).toMatchObject({ lost: [], unfinished: ['a2'] });
    expect(judged(plan, { log: booked('a1', 'a2'), deadLetters: [dead('b1', 'parked')] })).toMatchObject({
      parked: ['b1'],
      lost: [],
    });
  });

  test('is told to a person and to a program', () => {
    const verdict = judged(plan, { log: booked('a1', 'b1'), deadLetters: [dead('a2')] });
    const result = {
      verdict,
      messages: 3,
      deliveries: 7,
      batches: 3,
      sandboxes: { started: 2, killed: 1, timedOut: 0 },
      providerFaults: 0,
      left: 0,
      killShare: 0.08,
      seed: 7,
      protection: 'as-written',
      store: 'dynamodb',
      rehearsed: {
        good: true,
        noVerdict: undefined,
        effects: [],
        empty: [],
        untested: [],
        harmed: [],
        findings: [],
        hints: [],
        story: undefined,
      },
      seconds: 12.3,
    } as const;
    expect(isGoodFifo(result)).toBe(false);
    expect(fifoReport(result, false)).toContain('Set aside, never run: a2.');
    expect(fifoReport(result, false)).toContain('npm start -- --fifo --kill 0.08 --seed 7');
    expect(JSON.parse(fifoJsonLine(result))).toMatchObject({ changes: 3, done: 2, neverRun: 1, lost: 0, doubled: 0 });
    const good = { ...result, verdict: judged(plan, { log: booked('a1', 'a2', 'b1') }) };
    expect(isGoodFifo(good)).toBe(true);
    expect(isGoodFifo({ ...good, left: 1 })).toBe(false);
    expect(noVerdictOfFifo(result)).toBeUndefined();
    const late = judged(plan, { log: booked('a1', 'b1'), deadLetters: [dead('a2')], starved: new Set(['a2']) });
    expect(late).toMatchObject({ neverRun: [], unjudged: ['a2'] });
    expect(isGoodFifo({ ...good, verdict: late })).toBe(false);
    expect(noVerdictOfFifo({ ...good, verdict: late })).toMatch(/too slow to judge 1 effect/);
    expect(fifoReport({ ...good, verdict: late }, false)).toContain('This machine was too slow to judge 1 effect');
    expect(fifoReport(good, true)).toContain('\u001b[');
  });
});

describe('a plan of ordered changes', () => {
  const options = { changes: 300, accounts: 40, killShare: 0.08, seed: 1 };

  test('is the same for the same seed, uses every account, and holds every kind of trouble', () => {
    const changes = planChanges(options);
    expect(planChanges(options)).toEqual(changes);
    expect(planChanges({ ...options, seed: 2 })).not.toEqual(changes);
    expect(new Set(changes.map(({ change }) => change.accountId)).size).toBe(40);
    for (const kind of ['refused', 'stuck', 'slow', 'sentAgain'] as const) {
      expect(changes.filter((change) => change[kind]).length).toBeGreaterThan(0);
    }
    expect(changes.filter(({ trouble }) => trouble?.kind === 'kill').length).toBeGreaterThan(10);
  });

  test('refuses five changes of one account in a row, with others behind them', () => {
    const ofUnlucky = planChanges(options).filter(({ change }) => change.accountId === 'account-002');
    expect(ofUnlucky.slice(0, 5).every(({ refused }) => refused)).toBe(true);
    expect(ofUnlucky.length).toBeGreaterThan(5);
  });

  test('what happens to one change does not depend on how many are killed', () => {
    const calm = planChanges({ ...options, killShare: 0 });
    expect(calm.map(({ change }) => change)).toEqual(planChanges(options).map(({ change }) => change));
  });
});
