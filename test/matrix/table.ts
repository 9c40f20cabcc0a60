/*
 * Every feature at every door. The sweeps and the refusals are made from this table, and `docs/evidence/matrix.md` shows it.
 */

export const doors = ['eachMessage', 'sqsOnce', 'once', 'onceOverHttp', 'httpOnce', 'eachTransaction'] as const;
export type Door = (typeof doors)[number];

export const policies = ['retry', 'park', 'reconcile'] as const;
export type Policy = (typeof policies)[number];

export const features = [
  'retry',
  'park',
  'reconcile',
  'effect',
  'step',
  'stepUnderPark',
  'commit',
  'commitStep',
  'inPhases',
  'withLock',
  'forEachItem',
  'attributes',
  'renewedLease',
  'rememberCompleted',
  'failOpen',
  'transactionalStore',
  'resolve',
  'reject',
] as const;
export type Feature = (typeof features)[number];

/**
 * What is expected of a feature at a door.
 *
 * `swept`: under each of these policies, and killed at every await, its effects happen once and its record ends as it should. `refused`: it cannot
 * be written with types, and without them this sentence says so before anything runs. `no-claim`: the author's function is given no claim, so that
 * with types there is nothing to call it with; a claim that is made up is refused with this sentence, and without one there is nothing to call.
 */
export type Cell =
  | { readonly kind: 'swept'; readonly policies: readonly Policy[]; readonly note?: string }
  | { readonly kind: 'refused'; readonly sentence: string }
  | { readonly kind: 'no-claim'; readonly sentence?: string; readonly why: string };

export interface Row {
  /** As the page has it. */
  readonly label: string;
  /** What is done, and what the store has to say of it in the end. */
  readonly asserts: string;
  /** Whose policies are swept. */
  readonly whose: 'the consumer’s' | 'the step’s';
  readonly policies: readonly Policy[];
  /** Where it is not simply swept under all of these. */
  readonly cells?: Partial<Readonly<Record<Door, Cell>>>;
}

const swept = (only: readonly Policy[], note?: string): Cell => ({
  kind: 'swept',
  policies: only,
  ...(note !== undefined && { note }),
});
const refused = (sentence: string): Cell => ({ kind: 'refused', sentence });

const handedNoClaim = 'a batch handler is handed messages, and no claims';
const onlyWrites = 'its function is given a message and no claim, and returns writes';
const copied = 'expected the claim that the handler was given, and no copy of it';
const withoutClaim = (sentence?: string) =>
  ({
    sqsOnce: { kind: 'no-claim', why: handedNoClaim, ...(sentence !== undefined && { sentence }) },
    eachTransaction: { kind: 'no-claim', why: onlyWrites, ...(sentence !== undefined && { sentence }) },
  }) satisfies Row['cells'];

const nothingInDoubt = 'claim, effect and completion are one transaction, and nothing can be in doubt';
const noPolicy = refused(`onAbandoned: eachTransaction does not take it: ${nothingInDoubt}`);
/** What has no policy is run again. */
const itsOnly = swept(['retry']);

const one = 'one call to a provider';

export const table: Readonly<Record<Feature, Row>> = {
  retry: {
    label: "`onAbandoned: 'retry'`",
    asserts: `${one} that honours the effect key`,
    whose: 'the consumer’s',
    policies: ['retry'],
    cells: { eachTransaction: swept(['retry'], 'always, and without the option') },
  },
  park: {
    label: "`onAbandoned: 'park'`",
    asserts: `${one} that has no key: at most once, and parked where it is in doubt`,
    whose: 'the consumer’s',
    policies: ['park'],
    cells: { eachTransaction: noPolicy },
  },
  reconcile: {
    label: '`onAbandoned: reconcile(…)`',
    asserts: `${one} that has no key and can be asked`,
    whose: 'the consumer’s',
    policies: ['reconcile'],
    cells: { eachTransaction: noPolicy },
  },
  effect: {
    label: '`claim.effect`, `marksEffect`',
    asserts: 'a read, the marked call, and a call after it',
    whose: 'the consumer’s',
    policies,
    cells: withoutClaim(),
  },
  step: {
    label: '`step`',
    asserts: 'two steps, each once; no checkpoint is left of a claim that is done',
    whose: 'the step’s',
    policies,
    cells: withoutClaim(copied),
  },
  stepUnderPark: {
    label: "`step`, consumer under `'park'`",
    asserts: 'two steps, each at most once: the claim is parked where an attempt is in doubt, and no step runs again',
    whose: 'the consumer’s',
    policies: ['park'],
    cells: withoutClaim(copied),
  },
  commit: {
    label: '`commit`',
    asserts: 'a write of the application’s, committed with the completion',
    whose: 'the consumer’s',
    policies,
    cells: withoutClaim(copied),
  },
  commitStep: {
    label: '`commitStep`',
    asserts: 'a write committed with its checkpoint, then a call; no checkpoint is left of a claim that is done',
    whose: 'the consumer’s',
    policies,
    cells: withoutClaim(copied),
  },
  inPhases: {
    label: '`inPhases`',
    asserts: 'writes, a call, writes: each once',
    whose: 'the step’s',
    policies,
    cells: withoutClaim(copied),
  },
  withLock: {
    label: '`withLock`',
    asserts: 'a call under a lock that all messages want; no resource is left locked by a claim that is done',
    whose: 'the consumer’s',
    policies,
    cells: { eachTransaction: { kind: 'no-claim', why: `${onlyWrites}, after which a lock would have ended` } },
  },
  forEachItem: {
    label: '`forEachItem`',
    asserts: 'three items in two chunks under a lock, each once, and its progress says so',
    whose: 'the consumer’s',
    policies,
    cells: { eachTransaction: { kind: 'no-claim', why: `${onlyWrites} that fit into one transaction` } },
  },
  attributes: {
    label: '`attributes`',
    asserts: `${one}, and the attributes are on the record`,
    whose: 'the consumer’s',
    policies,
    cells: { eachTransaction: itsOnly },
  },
  renewedLease: {
    label: '`lease: renewedLease(…)`',
    asserts: 'a call that takes longer than the lease, which is renewed meanwhile',
    whose: 'the consumer’s',
    policies,
    cells: {
      sqsOnce: refused(
        'lease: sqsOnce does not take it: a batch handler holds all its claims for the rest of the invocation',
      ),
      eachTransaction: refused(`lease: eachTransaction does not take it: ${nothingInDoubt}`),
    },
  },
  rememberCompleted: {
    label: '`rememberCompleted`',
    asserts: one,
    whose: 'the consumer’s',
    policies,
    cells: { eachTransaction: itsOnly },
  },
  failOpen: {
    label: '`failOpen`',
    asserts: `${one} that honours the effect key; the record is as it should be unless a request to the store failed`,
    whose: 'the consumer’s',
    policies: ['retry'],
    cells: {
      eachTransaction: refused(
        'store: expected transactionalStore({ tableName }), which can commit; got "a store that cannot"',
      ),
    },
  },
  transactionalStore: {
    label: '`transactionalStore`',
    asserts:
      'the real store, on a simulated table: a write of the application’s where the door can commit one, or else a call',
    whose: 'the consumer’s',
    policies,
    cells: { eachTransaction: itsOnly },
  },
  resolve: {
    label: '`parkedClaims(…).resolve`',
    asserts:
      'what was parked is decided, and comes again: the call has happened once, and the decision is on the record',
    whose: 'the consumer’s',
    policies: ['park'],
    cells: { eachTransaction: swept(['retry'], 'after it has failed `maxAttempts` times') },
  },
  reject: {
    label: '`RejectedError`',
    asserts: 'of two messages one is rejected: it has no effect, its record is rejected, and the other is done',
    whose: 'the consumer’s',
    policies,
    cells: { eachTransaction: itsOnly },
  },
};

export function cellOf(feature: Feature, door: Door): Cell {
  const row = table[feature];
  return row.cells?.[door] ?? swept(row.policies);
}

/** Every cell, in the order of the page. */
export const cells = features.flatMap((feature) =>
  doors.map((door) => ({ feature, door, cell: cellOf(feature, door) })),
);

/** One sweep: a cell under one policy. */
export interface Swept {
  readonly feature: Feature;
  readonly door: Door;
  readonly policy: Policy;
}

export const allSwept: readonly Swept[] = cells.flatMap(({ feature, door, cell }) =>
  cell.kind === 'swept' ? cell.policies.map((policy) => ({ feature, door, policy })) : [],
);
