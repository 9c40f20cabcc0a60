import type { Decision, decide } from '../../lib/pawl/rules/decide.ts';
import type { ClaimRecord } from '../../lib/pawl/rules/record.ts';
import { breaks, type Mutant } from './mutant.ts';

/** Breakages of what decides: pure functions over a record. */

type Decide = typeof import('../../lib/pawl/rules/decide.ts');
type Settle = typeof import('../../lib/pawl/rules/settle.ts');
type Open = typeof import('../../lib/pawl/rules/open.ts');
type Store = typeof import('../../lib/pawl/rules/store.ts');
type Repair = typeof import('../../lib/pawl/rules/repair.ts');
type Restored = typeof import('../../lib/pawl/rules/restored.ts');

const ofDecide = (what: string, broken: (original: typeof decide) => typeof decide): Mutant =>
  breaks<Decide>(what, 'lib/pawl/rules/decide.ts', (original) => ({ decide: broken(original.decide) }));
const ofSettle = (what: string, breakage: (original: Settle) => Partial<Settle>): Mutant =>
  breaks<Settle>(what, 'lib/pawl/rules/settle.ts', breakage);

/** Decides upon another record than the one that is there. */
function seeing(change: (found: ClaimRecord, now: number) => ClaimRecord): (original: typeof decide) => typeof decide {
  return (original) => (found, request, rules, now) => {
    const seen = found && change(found, now);
    const decided = original(seen, request, rules, now);
    if (found !== undefined && decided.record === seen) return { ...decided, record: found };
    return decided.write ? { ...decided, write: { ...decided.write, seen: found } } : decided;
  };
}

/** A decision whose record is another one, also in the write that makes it true. */
function withRecord(decided: Decision, change: (record: ClaimRecord) => ClaimRecord): Decision {
  const record = change(decided.record);
  return decided.write ? { ...decided, record, write: { ...decided.write, next: record } } : decided;
}

const isInFlight = (found: ClaimRecord | undefined) => found?.status === 'in-flight';

export const decisions: readonly Mutant[] = [
  ofDecide('a grant keeps the old fence', (decide) => (...args) => {
    const decided = decide(...args);
    const isGrant = decided.kind === 'granted' || decided.kind === 'taken-over';
    return isGrant ? withRecord(decided, (record) => ({ ...record, fence: record.fence - 1 })) : decided;
  }),
  ofDecide('the fence restarts when the retention is over', (decide) => (found, request, rules, now) => {
    const decided = decide(found, request, rules, now);
    const { expiresAt = Number.POSITIVE_INFINITY } = found ?? {};
    const isForgotten = decided.kind === 'granted' && now >= expiresAt * 1000 && decided.record.attempts === 1;
    return isForgotten ? withRecord(decided, (record) => ({ ...record, fence: 1 })) : decided;
  }),
  ofDecide('a lease is taken over while it runs', (decide) => (found, request, rules, now) => {
    return decide(found, request, isInFlight(found) ? { ...rules, skewMs: -1e9 } : rules, now);
  }),
  ofDecide('a lease is not taken over at its very end', (decide) => (found, request, rules, now) => {
    const decided = decide(found, request, rules, now);
    if (found === undefined || !isInFlight(found) || found.leaseUntil + rules.skewMs !== now) return decided;
    return { kind: 'in-flight', retryAfterMs: 0, record: found };
  }),
  ofDecide('no allowance for clocks that differ', (decide) => (found, request, rules, now) => {
    return decide(found, request, isInFlight(found) ? { ...rules, skewMs: 0 } : rules, now);
  }),
  ofDecide('a worker does not recognise its own write', (decide) => (found, request, rules, now) => {
    return seeing((one) =>
      one.claimId === request.claimId && isInFlight(one) ? { ...one, claimId: 'of another worker' } : one,
    )(decide)(found, request, rules, now);
  }),
  ofDecide(
    'the fingerprint is not compared',
    seeing((found) => ({ ...found, fingerprint: undefined })),
  ),
  ofDecide(
    'a rejected key runs again',
    seeing((found) => (found.status === 'rejected' ? { ...found, status: 'released' } : found)),
  ),
  ofDecide(
    'a parked claim is granted',
    seeing((found) => (found.status === 'parked' ? { ...found, status: 'released', unknownAt: undefined } : found)),
  ),
  ofDecide("'park' takes over like 'retry'", (decide) => (found, request, rules, now) => {
    return decide(found, request, isInFlight(found) ? { ...rules, onAbandoned: 'retry' } : rules, now);
  }),
  ofDecide('a takeover does not note the doubt', (decide) => (found, ...rest) => {
    const decided = decide(found, ...rest);
    if (decided.kind !== 'taken-over') return decided;
    return withRecord(decided, (record) => ({ ...record, unknownAt: found?.unknownAt }));
  }),
  ofDecide(
    'a message may kill workers for ever',
    seeing((found) => (isInFlight(found) ? { ...found, abandoned: found.abandoned - 1 } : found)),
  ),
  ofDecide("'park' runs what an earlier policy released in doubt", (decide) => (found, request, rules, now) => {
    return decide(found, request, found?.status === 'released' ? { ...rules, onAbandoned: 'retry' } : rules, now);
  }),
  ofDecide('one attempt too many', (decide) => (found, request, rules, now) => {
    return decide(found, request, { ...rules, maxAttempts: rules.maxAttempts + 1 }, now);
  }),
  ofDecide(
    'seconds are compared with milliseconds',
    seeing((found) => ({ ...found, expiresAt: found.expiresAt && found.expiresAt / 1000 })),
  ),
  ofDecide(
    'what is in doubt is forgotten by the clock',
    seeing((found, now) => {
      const { expiresAt = Number.POSITIVE_INFINITY } = found;
      return !isInFlight(found) && now >= expiresAt * 1000 ? { ...found, unknownAt: undefined } : found;
    }),
  ),
  ofDecide('a claim id of its own for each try', (decide) => (found, request, ...rest) => {
    return decide(found, found ? { ...request, claimId: `${request.claimId}-again` } : request, ...rest);
  }),
  breaks<Decide>('a parked claim expires', 'lib/pawl/rules/decide.ts', ({ parked }) => ({
    parked: (from, ...rest) => ({ ...parked(from, ...rest), expiresAt: from.expiresAt }),
  })),

  ofSettle("an outcome without its owner's token", ({ settle }) => ({
    settle: (claimId, found, ...rest) => settle(found?.claimId ?? claimId, found, ...rest),
  })),
  ofSettle("a claim is set aside without its owner's token", ({ setAside }) => ({
    setAside: (claimId, found, error) => setAside(found?.claimId ?? claimId, found, error),
  })),
  ofSettle('a worker does not recognise its own outcome', ({ settle }) => ({
    settle(claimId, found, ...rest) {
      const next = settle(claimId, found, ...rest);
      if (next !== 'applied' || found === undefined) return next;
      return settle(claimId, { ...found, status: found.status === 'parked' ? 'released' : 'parked' }, ...rest);
    },
  })),
  ofSettle('a late worker undoes a decision', ({ settle }) => ({
    settle(claimId, found, outcome, ...rest) {
      const isDecided = found !== undefined && !isInFlight(found) && found.status !== outcome.status;
      return settle(claimId, isDecided ? { ...found, status: 'in-flight' } : found, outcome, ...rest);
    },
  })),
  ofSettle('the proof of a last owner is ignored', ({ settle }) => ({
    settle(claimId, found, ...rest) {
      const next = settle(claimId, found, ...rest);
      return typeof next === 'object' && !isInFlight(found) ? 'stale' : next;
    },
  })),
  ofSettle('a release restarts the fence, as a deleted record does', ({ settle }) => ({
    settle(...args) {
      const next = settle(...args);
      return typeof next === 'object' && next.status === 'released' ? { ...next, fence: 0 } : next;
    },
  })),
  ofSettle('a release forgets that the effect may have happened', ({ settle }) => ({
    settle: (claimId, found, outcome, ...rest) =>
      settle(claimId, found, outcome.status === 'released' ? { ...outcome, unknown: false } : outcome, ...rest),
  })),
  ofSettle('a failure that applied nothing ends an earlier doubt', ({ settle }) => ({
    settle(claimId, found, outcome, ...rest) {
      const next = settle(claimId, found, outcome, ...rest);
      if (typeof next !== 'object' || outcome.status !== 'released' || outcome.unknown) return next;
      return { ...next, unknownAt: undefined };
    },
  })),
  ofSettle('a provider may be inconclusive for ever', ({ settle }) => ({
    settle: (claimId, found, outcome, ...rest) =>
      settle(claimId, found, outcome.status === 'released' ? { ...outcome, inconclusive: false } : outcome, ...rest),
  })),
  ofSettle('a heartbeat extends the lease of another worker', ({ renew }) => ({
    renew(claimId, found, ...rest) {
      if (found === undefined) return renew(claimId, found, ...rest);
      const next = renew(found.claimId, { ...found, status: 'in-flight' }, ...rest);
      return typeof next === 'object' ? { ...next, status: found.status } : next;
    },
  })),
  ofSettle('an error that says nothing counts as "nothing was applied"', ({ outcomeOfError }) => ({
    outcomeOfError: (error, known, ...rest) =>
      outcomeOfError(error, known === 'unknown' ? 'retryable' : known, ...rest),
  })),
  ofSettle('an error after the effect lets it repeat', ({ outcomeOfError }) => ({
    outcomeOfError: (error, known, phase, rules) =>
      outcomeOfError(error, known, phase === 'after' ? 'during' : phase, rules),
  })),

  breaks<Store>('a compare-and-set that does not compare the owner', 'lib/pawl/rules/store.ts', ({ claimState }) => ({
    claimState: (record) => ({ ...claimState(record), claimId: 'of any worker' }),
  })),
  breaks<Store>(
    'a compare-and-set that does not compare the revision',
    'lib/pawl/rules/store.ts',
    ({ claimState }) => ({
      claimState: (record) => ({ ...claimState(record), rev: 1 }),
    }),
  ),
  breaks<Store>('a first claim overwrites what is there', 'lib/pawl/rules/store.ts', ({ unchanged }) => ({
    unchanged: (seen, found) => seen === undefined || unchanged(seen, found),
  })),
  breaks<typeof import('../../lib/pawl/rules/successor.ts')>(
    'a write leaves the revision as it was',
    'lib/pawl/rules/successor.ts',
    ({ successor }) => ({ successor: (found, draft) => ({ ...successor(found, draft), rev: found?.rev ?? 1 }) }),
  ),
  breaks<Open>('a parked claim is in no list', 'lib/pawl/rules/open.ts', ({ isOpen }) => ({
    isOpen: (record, watched) => record.status !== 'parked' && isOpen(record, watched),
  })),
  breaks<Open>('a claim in doubt is in no list', 'lib/pawl/rules/open.ts', ({ isOpen }) => ({
    isOpen: (record, watched) => isOpen({ ...record, unknownAt: undefined, checkpoints: undefined }, watched),
  })),
  breaks<Open>('a claim that has ended stays in the list', 'lib/pawl/rules/open.ts', () => ({ isOpen: () => true })),
  breaks<Open>('every claim in flight costs a write of the index', 'lib/pawl/rules/open.ts', ({ isOpen }) => ({
    isOpen: (record, watched) => record.status === 'in-flight' || isOpen(record, watched),
  })),
  breaks<Open>('a watched claim leaves the list when its lease is renewed', 'lib/pawl/rules/open.ts', () => ({
    isWatched: () => false,
  })),
  breaks<Open>('all open claims are in one shard', 'lib/pawl/rules/open.ts', () => ({ openShard: () => '00' })),
  breaks<typeof import('../../lib/pawl/rules/record.ts')>(
    'a message is discarded for a message that has taken over from it',
    'lib/pawl/rules/record.ts',
    () => ({ sourceOf: ({ source }) => source }),
  ),
  breaks<typeof import('../../lib/pawl/rules/checkpoints.ts')>(
    'a resolution leaves the doubt of a step as it was',
    'lib/pawl/rules/checkpoints.ts',
    ({ resolvedCheckpoints }) => ({
      resolvedCheckpoints(record, said, now) {
        const isApplied = (one: unknown) => one === 'applied' || typeof one === 'object';
        return resolvedCheckpoints(record, new Map([...said].filter(([, one]) => isApplied(one))), now);
      },
    }),
  ),
  breaks<typeof import('../../lib/pawl/rules/doubt.ts')>(
    '"not found" is believed at once',
    'lib/pawl/rules/doubt.ts',
    ({ afterVerdict }) => ({
      afterVerdict: (verdict, ...rest) =>
        verdict === 'not-applied' ? { kind: 'run' } : afterVerdict(verdict, ...rest),
    }),
  ),
  breaks<typeof import('../../lib/pawl/rules/doubt.ts')>(
    '"cannot say" is taken for "not applied"',
    'lib/pawl/rules/doubt.ts',
    ({ afterVerdict }) => ({
      afterVerdict: (verdict, ...rest) => afterVerdict(verdict === 'applied' ? verdict : 'not-applied', ...rest),
    }),
  ),
  breaks<typeof import('../../lib/pawl/rules/doubt.ts')>(
    "the provider's lag is counted from now on",
    'lib/pawl/rules/doubt.ts',
    ({ afterVerdict }) => ({
      afterVerdict: (verdict, record, rules, error, now) =>
        afterVerdict(verdict, { ...record, unknownAt: now }, rules, error, now),
    }),
  ),
  breaks<typeof import('../../lib/pawl/kernel/key.ts')>(
    'missing keys are all the same key',
    'lib/pawl/kernel/key.ts',
    ({ identifyingText }) => ({
      identifyingText: (value, what) => (value == null || value === '' ? 'nothing' : identifyingText(value, what)),
    }),
  ),
  breaks<Repair>('a sweep asks before "not applied" can be believed', 'lib/pawl/rules/repair.ts', ({ repair }) => ({
    repair: (found, request, rules, now) => repair(found, request, { ...rules, settleMs: 0 }, now),
  })),
  breaks<Repair>('a sweep takes a claim from a worker whose lease runs', 'lib/pawl/rules/repair.ts', ({ repair }) => ({
    repair: (found, request, rules, now) => repair(found && { ...found, leaseUntil: 0 }, request, rules, now),
  })),
  breaks<Repair>(
    'a sweep asks a provider that cannot say without a pause',
    'lib/pawl/rules/repair.ts',
    ({ repair }) => ({
      repair: (found, request, rules, now) => repair(found, request, { ...rules, askAgainMs: 0 }, now),
    }),
  ),
  breaks<Restored>(
    'a restored table takes a forgotten key for a new one',
    'lib/pawl/rules/restored.ts',
    ({ asRestored }) => ({
      asRestored: (id, found, restore, now) => ({
        ...asRestored(id, found, restore, now),
        ...(!found && { unknownAt: undefined }),
      }),
    }),
  ),
  breaks<Restored>(
    'a restored table believes a claim in flight whose lease ends after the mark',
    'lib/pawl/rules/restored.ts',
    ({ asRestored }) => ({
      asRestored: (id, found, restore, now) =>
        found?.status === 'in-flight' && found.leaseUntil >= restore.reopenedAt
          ? found
          : asRestored(id, found, restore, now),
    }),
  ),
  breaks<Restored>(
    'a restored table believes the parts of a parked claim',
    'lib/pawl/rules/restored.ts',
    ({ asRestored }) => ({
      asRestored: (id, found, restore, now) =>
        found?.status === 'parked' ? found : asRestored(id, found, restore, now),
    }),
  ),
  breaks<Restored>(
    'a restored table believes that a step was not applied because it was not at the cut-off',
    'lib/pawl/rules/restored.ts',
    ({ asRestored }) => ({
      asRestored: (id, found, restore, now) => ({
        ...asRestored(id, found, restore, now),
        ...(found?.checkpoints && { checkpoints: found.checkpoints }),
      }),
    }),
  ),
  breaks<Restored>(
    'a restored table believes a claim that was released before',
    'lib/pawl/rules/restored.ts',
    ({ asRestored }) => ({
      asRestored: (id, found, restore, now) =>
        found?.status === 'released' ? found : asRestored(id, found, restore, now),
    }),
  ),
];
