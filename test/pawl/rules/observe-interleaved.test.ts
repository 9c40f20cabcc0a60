import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../../../lib/pawl/rules/decide.ts';
import { begun, ended, type RunRequest } from '../../../lib/pawl/rules/observe.ts';
import { isAmbiguous, observedIn, observedToken, runsUnderWay } from '../../../lib/pawl/rules/observed.ts';
import type { Outcome } from '../../../lib/pawl/rules/outcome.ts';
import type { ClaimRecord } from '../../../lib/pawl/rules/record.ts';
import { settle } from '../../../lib/pawl/rules/settle.ts';
import { record, request, rules } from '../../support/records.ts';
import { someDay } from '../../support/virtual-host.ts';

/*
 * Observed and enforced workers on one key, interleaved: they are killed, their writes are not made, they fail with and without their effect. There is one record,
 * and each write sees the last one: a store that refuses a write makes its author look again.
 */

const leaseMs = 30_000;
const parks = { ...rules, onAbandoned: 'park' } as const;
const error = { name: 'Error', message: 'no' };

/** How a run goes. */
interface Script {
  readonly mode: 'observe' | 'enforce';
  /** Where it stops for good. */
  readonly killedAfter: 'begin' | 'effect' | 'never';
  readonly isBeginWritten: boolean;
  readonly isEndWritten: boolean;
  readonly end: 'done' | 'fails before' | 'fails after' | 'says nothing was applied';
  /** How many moves of others come before each of its own. */
  readonly pauses: readonly [number, number, number];
  readonly elapsedMs: number;
}

const mostly = fc.constantFrom(true, true, true, true, false);
const script: fc.Arbitrary<Script> = fc.record({
  mode: fc.constantFrom('observe', 'enforce'),
  killedAfter: fc.constantFrom('begin', 'effect', 'never', 'never', 'never'),
  isBeginWritten: mostly,
  isEndWritten: mostly,
  end: fc.constantFrom('done', 'done', 'fails before', 'fails after', 'says nothing was applied'),
  pauses: fc.tuple(fc.nat(4), fc.nat(4), fc.nat(4)),
  elapsedMs: fc.constantFrom(10, 10, 5000, leaseMs + rules.skewMs),
});

interface Ran {
  readonly script: Script;
  readonly name: string;
  /** The effect was applied. */
  isApplied: boolean;
  /** The table knows of it. */
  isSeen: boolean;
  /** A claim of enforcement was there when it began, or when it ended. */
  isBeside: boolean;
}

function play(scripts: readonly Script[]) {
  let now = someDay;
  let found: ClaimRecord | undefined;
  const states: ClaimRecord[] = [];
  const runs: Ran[] = [];
  /** Enforced effects that were let begin although a run that the table knew of had had it. */
  const doubled: string[] = [];

  function write(next: ClaimRecord | string): void {
    if (typeof next === 'string') return;
    found = next;
    states.push(next);
  }

  function* worker(one: Script, index: number): Generator<number, void> {
    const ran: Ran = { script: one, name: `run-${index}`, isApplied: false, isSeen: false, isBeside: false };
    yield one.pauses[0];
    runs.push(ran);
    if (one.mode === 'observe') yield* observe(ran);
    else yield* enforce(ran);
  }

  function* observe(ran: Ran): Generator<number, void> {
    const { script: one, name } = ran;
    const leaseUntil = now + leaseMs;
    const asked: RunRequest = {
      id: record().id,
      run: name,
      leaseUntil,
      fingerprint: '1:a',
      delivered: { message: name },
    };
    const isEnforced = () => found !== undefined && found.claimId !== observedToken;
    ran.isBeside = isEnforced();
    if (one.isBeginWritten) {
      const began = begun(found, asked, parks, now);
      if (began !== 'applied') write(began.next);
      ran.isSeen = true;
    }
    if (one.killedAfter === 'begin') return;
    yield one.pauses[1];
    // A worker ends with its invocation.
    if (now > leaseUntil) return;
    ran.isApplied = one.end === 'done' || one.end === 'fails after';
    if (one.killedAfter === 'effect') return;
    yield one.pauses[2];
    if (!one.isEndWritten) return;
    ran.isBeside ||= isEnforced();
    write(ended(found, asked, outcomeOf(one), parks, now));
    ran.isSeen = true;
  }

  function* enforce(ran: Ran): Generator<number, void> {
    const { script: one, name } = ran;
    const leaseUntil = now + leaseMs;
    const decided = decide(found, request(name, { fingerprint: '1:a', leaseUntil }), parks, now);
    if (decided.write !== undefined) write(decided.write.next);
    if (decided.kind !== 'granted' && decided.kind !== 'taken-over') return;
    const known = runs.filter((other) => other.script.mode === 'observe' && other.isApplied && other.isSeen);
    doubled.push(...known.map((other) => `${name} after ${other.name}`));
    if (one.killedAfter === 'begin') return;
    yield one.pauses[1];
    if (now > leaseUntil) return;
    ran.isApplied = one.end === 'done' || one.end === 'fails after';
    if (one.killedAfter === 'effect') return;
    yield one.pauses[2];
    if (one.isEndWritten) write(settle(name, found, outcomeOf(one), parks, now));
  }

  const workers = scripts.map((one, index) => ({ moves: worker(one, index), wait: 0, script: one }));
  while (workers.length > 0) {
    const next = workers.reduce((a, b) => (b.wait < a.wait ? b : a));
    const moved = next.moves.next();
    now += next.script.elapsedMs;
    if (moved.done === true) workers.splice(workers.indexOf(next), 1);
    else next.wait += 1 + moved.value;
  }
  return { found, states, runs, doubled };
}

/** What a worker says of how it ended. An error after the effect says as little as one before it. */
function outcomeOf({ end }: Script): Outcome {
  if (end === 'done') return { status: 'completed' };
  if (end === 'says nothing was applied') return { status: 'released', error };
  return { status: 'released', error, unknown: true };
}

const scripts = fc.array(script, { minLength: 1, maxLength: 5 });
const thorough = { numRuns: 5000, seed: 31 };

describe('observed and enforced workers on one key', () => {
  it('never have an effect under enforcement that the table knew of: it is completed, in flight, or in doubt', () => {
    fc.assert(
      fc.property(scripts, (all) => {
        expect(play(all).doubled).toEqual([]);
      }),
      thorough,
    );
  });

  it('have one effect at most where all are enforced', () => {
    fc.assert(
      fc.property(scripts, (all) => {
        const { runs } = play(all.map((one) => ({ ...one, mode: 'enforce' })));
        expect(runs.filter(({ isApplied }) => isApplied).length).toBeLessThanOrEqual(1);
      }),
      thorough,
    );
  });

  it('move the record on with each write, and never its fence back', () => {
    fc.assert(
      fc.property(scripts, (all) => {
        const { states } = play(all);
        for (const [index, one] of states.entries()) {
          expect(one.rev).toBe(index + 1);
          expect(one.fence).toBeGreaterThanOrEqual(states[index - 1]?.fence ?? 0);
        }
      }),
      thorough,
    );
  });

  it('are counted: what is certain has happened, and what has happened is certain, perhaps or unseen', () => {
    fc.assert(
      fc.property(scripts, (all) => {
        const { found, runs } = play(all.map((one) => ({ ...one, mode: 'observe' })));
        const observed = observedIn(found ?? {});
        const happened = runs.filter(({ isApplied }) => isApplied).length;
        const unseen = runs.filter(({ isSeen }) => !isSeen).length;
        const perhaps = observed.failed + runsUnderWay(observed).length;
        expect(observed.done).toBeLessThanOrEqual(happened);
        expect(happened).toBeLessThanOrEqual(observed.done + perhaps + unseen);
        expect(observed.deliveries).toBe(runs.length - unseen);
        expect(found !== undefined && isAmbiguous(found)).toBe(false);
      }),
      thorough,
    );
  });

  it('are reported where both had the effect: the observed one met the claim when it began or ended, if it was written to its end', () => {
    fc.assert(
      fc.property(scripts, (all) => {
        const applied = play(all).runs.filter(({ isApplied }) => isApplied);
        if (!applied.some(({ script: one }) => one.mode === 'enforce')) return;
        const toItsEnd = applied.filter(
          ({ script: one }) => one.mode === 'observe' && one.isEndWritten && one.killedAfter === 'never',
        );
        expect(toItsEnd.filter(({ isBeside }) => !isBeside)).toEqual([]);
      }),
      thorough,
    );
  });
});
