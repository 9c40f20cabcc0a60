import { describe, expect, it } from 'vitest';
import { claimView } from '../../../lib/pawl/operate/claim-view.ts';
import { decide } from '../../../lib/pawl/rules/decide.ts';
import { begun, ended, type RunRequest } from '../../../lib/pawl/rules/observe.ts';
import { isEnforcedToo, observedIn, observedToken } from '../../../lib/pawl/rules/observed.ts';
import { openShard } from '../../../lib/pawl/rules/open.ts';
import type { Outcome } from '../../../lib/pawl/rules/outcome.ts';
import type { ClaimRecord } from '../../../lib/pawl/rules/record.ts';
import { resolution } from '../../../lib/pawl/rules/resolve.ts';
import { settle } from '../../../lib/pawl/rules/settle.ts';
import { record, request, rules } from '../../support/records.ts';
import { someDay, virtualHost } from '../../support/virtual-host.ts';

const lease = someDay + 30_000;
const over = lease + rules.skewMs;
const error = { name: 'Error', message: 'no answer' };
const done: Outcome = { status: 'completed', result: '{"id":"m-1"}' };
const failed: Outcome = { status: 'released', error, unknown: true };
const nothing: Outcome = { status: 'released', error };
const parks = { ...rules, onAbandoned: 'park' } as const;

function run(name: string, overrides: Partial<RunRequest> = {}): RunRequest {
  return {
    id: record().id,
    run: name,
    leaseUntil: lease,
    fingerprint: '1:a',
    delivered: { message: 'm' },
    ...overrides,
  };
}

function begin(found: ClaimRecord | undefined, asked: RunRequest, now = someDay, by = rules) {
  const result = begun(found, asked, by, now);
  if (result === 'applied') throw new Error('expected a run that is new');
  return result;
}

function end(found: ClaimRecord | undefined, asked: RunRequest, outcome: Outcome, now = someDay + 10): ClaimRecord {
  const result = ended(found, asked, outcome, rules, now);
  if (result === 'applied') throw new Error('expected a run that has not ended');
  return result;
}

/** What enforcement makes of a request for the key. */
function enforced(found: ClaimRecord | undefined, now = someDay + 20, by = rules) {
  return decide(found, request('w', { fingerprint: '1:a' }), by, now);
}

describe('what was observed, as enforcement reads it', () => {
  it('begun is in flight until its lease ends, and then abandoned', () => {
    const { next } = begin(undefined, run('a'));
    expect(enforced(next)).toMatchObject({ kind: 'in-flight', retryAfterMs: 30_980 });
    expect(enforced(next, over)).toMatchObject({
      kind: 'taken-over',
      record: { unknownAt: lease, observed: undefined },
    });
    expect(enforced(next, over, parks)).toMatchObject({ kind: 'parked', record: { error: { name: 'abandoned' } } });
  });

  it('done is completed, with its result', () => {
    const next = end(begin(undefined, run('a')).next, run('a'), done);
    expect(enforced(next, over)).toMatchObject({
      kind: 'replayed',
      record: { status: 'completed', result: '{"id":"m-1"}' },
    });
  });

  it('done is completed also where its beginning was never written', () => {
    expect(enforced(end(undefined, run('a'), done))).toMatchObject({ kind: 'replayed' });
  });

  it('failed is in doubt: the policy decides', () => {
    const next = end(begin(undefined, run('a')).next, run('a'), failed);
    expect(enforced(next)).toMatchObject({ kind: 'granted', record: { unknownAt: someDay + 10, fence: 2 } });
    expect(enforced(next, someDay + 20, parks)).toMatchObject({ kind: 'parked' });
  });

  it('an error that says that nothing was applied leaves no doubt', () => {
    const next = end(begin(undefined, run('a')).next, run('a'), nothing);
    expect(enforced(next, someDay + 20, parks)).toMatchObject({ kind: 'granted', record: { unknownAt: undefined } });
  });

  it('one that is done counts, whatever others come to before and after it', () => {
    const two = begin(begin(undefined, run('a')).next, run('b', { leaseUntil: lease + 5 })).next;
    expect(two).toMatchObject({ status: 'in-flight', leaseUntil: lease + 5 });
    for (const first of ['a', 'b']) {
      const second = first === 'a' ? 'b' : 'a';
      expect(enforced(end(end(two, run(first), failed), run(second), done))).toMatchObject({ kind: 'replayed' });
      expect(enforced(end(end(two, run(first), done), run(second), failed))).toMatchObject({ kind: 'replayed' });
    }
    expect(end(end(two, run('a'), failed), run('b'), done).resolution).toBeUndefined();
  });

  it('one that failed while another runs leaves the key in flight, and a doubt behind it', () => {
    const two = begin(begin(undefined, run('a')).next, run('b')).next;
    const one = end(two, run('a'), failed);
    expect(enforced(one)).toMatchObject({ kind: 'in-flight' });
    expect(enforced(end(one, run('b'), nothing), someDay + 20, parks)).toMatchObject({ kind: 'parked' });
  });

  it('a key with two intents is honoured for neither, with the names of the fields that differ', () => {
    const first = run('a', { fields: { id: 'x', amount: '1', currency: 'e' } });
    const second = run('b', { fingerprint: '1:b', fields: { id: 'y', amount: '1', note: 'n' } });
    const both = begin(end(begin(undefined, first).next, first, done), second);
    expect(both.decided.kind).toBe('key-reused');
    const record = end(both.next, second, done);
    expect(observedIn(record)).toMatchObject({
      deliveries: 2,
      done: 1,
      other: 1,
      differing: ['id', 'currency', 'note'],
    });
    expect(enforced(record)).toMatchObject({ kind: 'key-reused' });
    expect(decide(record, request('w', { fingerprint: '1:b' }), rules, over)).toMatchObject({ kind: 'key-reused' });
    expect(decide(record, request('w'), rules, over)).toMatchObject({ kind: 'key-reused' });
    // The first one's payload again is none of another one.
    const third = begin(record, run('c'));
    expect(observedIn(end(third.next, run('c'), done))).toMatchObject({ deliveries: 3, done: 2, other: 1 });
  });

  it('is forgotten like every claim', () => {
    const next = end(begin(undefined, run('a')).next, run('a'), done);
    const later = (next.expiresAt ?? 0) * 1000 + rules.skewMs;
    expect(enforced(next, later)).toMatchObject({ kind: 'granted', record: { attempts: 1 } });
    const again = begin(next, run('b'), later);
    expect(again.decided.kind).toBe('granted');
    expect(observedIn(again.next).deliveries).toBe(1);
    expect(again.next.fence).toBe(next.fence + 1);
  });

  it('is kept for as long as it is in doubt', () => {
    const next = end(begin(undefined, run('a')).next, run('a'), failed);
    expect(next.expiresAt).toBeUndefined();
  });

  it('is taken over by a decision: no doubt of it is asked about again', () => {
    const doubt = end(begin(undefined, run('a')).next, run('a'), failed);
    const granted = enforced(doubt).record;
    const told = settle('w', granted, { status: 'released', error, doubtEnded: true }, rules, someDay + 30);
    expect(decide(told as ClaimRecord, request('v'), parks, someDay + 40)).toMatchObject({ kind: 'granted' });
  });

  it('done after its claim was parked is the proof of its last holder', () => {
    const parked = enforced(begin(undefined, run('a')).next, over, parks).record;
    const proven = end(parked, run('a'), done, over + 5);
    expect(proven).toMatchObject({ status: 'completed', resolution: { verdict: 'applied', by: 'last holder' } });
  });
});

describe('a run beside a claim of enforcement', () => {
  const held = record({ fingerprint: '1:a' });

  it('changes nothing of it but what was observed', () => {
    const began = begin(held, run('a')).next;
    const { observed, rev, ...rest } = end(began, run('a'), done);
    const { observed: _, rev: before, ...same } = held;
    expect({ ...rest, open: undefined }).toEqual({ ...same, open: undefined });
    expect([observedIn({ observed }).done, rev]).toEqual([1, before + 2]);
    // Its worker's outcome is still recorded.
    expect(settle('first', began, { status: 'completed' }, rules, someDay)).toMatchObject({ status: 'completed' });
  });

  it('leaves it in the list of open claims, if it is watched: its caller may never come back', () => {
    const watched = enforced(undefined, someDay, { ...rules, watched: true }).record;
    const began = begin(watched, run('a')).next;
    expect(watched?.open).toBeDefined();
    expect([began.open, end(began, run('a'), failed).open]).toEqual([watched?.open, watched?.open]);
  });

  it('counts once that claim is free: done is completed, running is in flight, failed is in doubt', () => {
    const released = (one: ClaimRecord) => settle('first', one, nothing, rules, someDay + 15) as ClaimRecord;
    const began = begin(held, run('a')).next;
    expect(enforced(released(began))).toMatchObject({ kind: 'in-flight' });
    expect(enforced(released(end(began, run('a'), done)))).toMatchObject({ kind: 'replayed' });
    expect(enforced(released(end(began, run('a'), failed)), someDay + 20, parks)).toMatchObject({ kind: 'parked' });
    expect(enforced(released(end(began, run('a'), nothing)), someDay + 20, parks)).toMatchObject({ kind: 'granted' });
  });

  it('that failed after its lease is the doubt that counts, and not the end of that lease', () => {
    const failing = end(begin(held, run('a', { leaseUntil: over + 40_000 })).next, run('a'), failed, over + 30_000);
    const asking = { ...rules, onAbandoned: 'reconcile' } as const;
    expect(enforced(failing, over + 40_000, asking)).toMatchObject({
      kind: 'taken-over',
      record: { unknownAt: over + 30_000 },
    });
  });

  it('that failed puts it in doubt once it is free: listed as open, kept, and shown as in doubt', () => {
    const released = (one: ClaimRecord) => settle('first', one, nothing, rules, someDay + 15) as ClaimRecord;
    const began = begin(held, run('a')).next;
    const shard = openShard(held.id);
    for (const one of [released(end(began, run('a'), failed)), end(released(began), run('a'), failed, someDay + 20)]) {
      expect(one).toMatchObject({ status: 'released', unknownAt: undefined, expiresAt: undefined, open: shard });
      expect(claimView(one, virtualHost())).toMatchObject({ state: 'in-doubt', inDoubtSince: expect.any(Number) });
    }
    for (const outcome of [done, nothing]) {
      const one = released(end(began, run('a'), outcome));
      expect(one).toMatchObject({ open: undefined, expiresAt: expect.any(Number) });
      expect(claimView(one, virtualHost()).state).toBeUndefined();
    }
  });

  it('that has had its effect leaves nothing of a released claim in doubt, whatever its own attempts left', () => {
    const released = settle('first', held, failed, rules, someDay) as ClaimRecord;
    expect(released.open).toBe(openShard(held.id));
    const began = { ...released, observed: begin(held, run('a')).next.observed };
    const one = end(began, run('a'), done);
    expect(one).toMatchObject({ status: 'released', open: undefined });
    expect(claimView(one, virtualHost()).state).toBeUndefined();
  });

  it('puts nothing of it in doubt while its worker is at it', () => {
    const two = begin(begin(held, run('a')).next, run('b')).next;
    const { claimId, status, unknownAt } = end(two, run('a'), failed);
    expect([claimId, status, unknownAt]).toEqual(['first', 'in-flight', undefined]);
  });

  it('is asked about once: what was decided about a parked claim stands', () => {
    const failing = end(begin(held, run('a')).next, run('a'), failed);
    const parked = settle('first', failing, { status: 'parked', error }, parks, someDay + 15) as ClaimRecord;
    const told = { resolution: { verdict: 'not-applied', by: 'maria', note: '', at: '' }, steps: new Map() } as const;
    const resolved = resolution(parked, told, rules, someDay + 20);
    expect(enforced(resolved, someDay + 30, parks)).toMatchObject({ kind: 'granted' });
  });

  it('counts also if its worker dies', () => {
    const began = begin(held, run('a')).next;
    expect(enforced(end(began, run('a'), done), over)).toMatchObject({ kind: 'replayed' });
  });

  it('is remembered by the record, also when an observed run has taken the claim over: a worker that was killed has reported nothing', () => {
    const isKnown = (found: ClaimRecord, asked: RunRequest) => isEnforcedToo(begin(found, asked, over, parks).next);
    const takenOver = begin(held, run('a'), over, parks).next;
    expect([takenOver.claimId, isKnown(takenOver, run('b'))]).toEqual([observedToken, true]);
    expect(isKnown(end(takenOver, run('a'), done), run('b'))).toBe(true);
    const alone = begin(undefined, run('a')).next;
    expect(isKnown(alone, run('b'))).toBe(false);
    // A grant of enforcement begins anew.
    expect(enforced(end(takenOver, run('a'), failed)).record?.observed).toBeUndefined();
  });

  it('of another intent says nothing of the effect of that claim', () => {
    const other = run('a', { fingerprint: '1:b' });
    const beside = settle(
      'first',
      end(begin(held, other).next, other, done),
      nothing,
      rules,
      someDay + 15,
    ) as ClaimRecord;
    expect(enforced(beside)).toMatchObject({ kind: 'granted' });
  });

  it('leaves what is parked, completed or rejected as it is', () => {
    for (const status of ['parked', 'completed', 'rejected'] as const) {
      const found = record({ status, fingerprint: '1:a', error });
      expect(end(begin(found, run('a')).next, run('a'), done)).toMatchObject({ status, claimId: 'first', fence: 1 });
    }
  });
});

describe('a run that is observed', () => {
  it('is one run, however often its beginning and its end are written', () => {
    const began = begin(undefined, run('a')).next;
    expect(begun(began, run('a'), rules, someDay)).toBe('applied');
    expect(ended(end(began, run('a'), done), run('a'), done, rules, someDay)).toBe('applied');
  });

  it('says what pawl would have done, and begins all the same', () => {
    const running = begin(undefined, run('a'), someDay, parks).next;
    expect(begin(running, run('b'), someDay, parks).decided.kind).toBe('in-flight');
    const killed = begin(running, run('b'), over, parks);
    expect(killed.decided).toMatchObject({ kind: 'parked' });
    expect(killed.next).toMatchObject({ status: 'in-flight', claimId: observedToken, unknownAt: lease, fence: 2 });
    const complete = end(running, run('a'), done);
    expect(begin(complete, run('b'), someDay, parks)).toMatchObject({
      decided: { kind: 'replayed' },
      next: { status: 'completed' },
    });
  });

  it('says how it came again', () => {
    const again = (second: Partial<RunRequest>, now = someDay + 20) =>
      observedIn(begin(begin(undefined, run('a')).next, run('b', second), now).next).again;
    expect(again({ delivered: { message: 'n' } })).toEqual({ 'sent-twice': 1 });
    expect(again({ delivered: { message: 'm', receives: 2 } })).toEqual({ redelivered: 1 });
    expect(again({ delivered: { message: 'm', receives: 2 } }, over)).toEqual({ 'redelivered-after-crash': 1 });
    expect(again({ delivered: { message: 'm', isRedriven: true } })).toEqual({ redriven: 1 });
    expect(again({ delivered: {} })).toEqual({ 'called-again': 1 });
  });

  it('is in no list of open claims', () => {
    const began = begin(undefined, run('a')).next;
    const place = expect.stringMatching(/^#observed#issue-gift-card#\d\d$/);
    expect(began.open).toEqual(place);
    expect(end(began, run('a'), failed).open).toEqual(place);
    expect(end(began, run('a'), done).open).toEqual(place);
    expect(enforced(began, over, parks).record.open).toMatch(/^\d\d$/);
  });

  it('keeps its record small: the numbers are of all runs, the rows of a few', () => {
    let found: ClaimRecord | undefined;
    for (let index = 0; index < 40; index++) {
      const one = run(`run-${index}`);
      found = begin(found, one, someDay + index).next;
      if (index % 4 !== 3) found = end(found, one, index % 4 === 0 ? failed : done, someDay + index);
    }
    const observed = observedIn(found as ClaimRecord);
    expect(observed).toMatchObject({ deliveries: 40, done: 20 });
    expect(observed.runs.length).toBe(5);
    expect(found?.observed?.length).toBeLessThan(700);
  });
});
