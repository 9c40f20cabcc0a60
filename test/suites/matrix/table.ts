/*
 * Every feature at every door. The sweeps, the refusals and the tables of `docs/evidence/matrix.md` are made from this table.
 */

export const doors = ['eachMessage', 'sqsOnce', 'once', 'onceOverHttp', 'httpOnce', 'eachTransaction'] as const;
export type Door = (typeof doors)[number];

const policies = ['retry', 'park', 'reconcile'] as const;
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
  'envelope',
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
 * - `swept`: under each of these policies, and with a worker killed at every await, the effects happen once and the record ends as it should.
 * - `refused`: the call does not compile. Without types, it throws this sentence before anything runs.
 * - `no-claim`: the author's function gets no claim, so the feature has nothing to work on. If the feature takes a claim, a made-up claim is refused
 *   with this sentence.
 */
export type Cell =
  | { readonly kind: 'swept'; readonly policies: readonly Policy[]; readonly note?: string }
  | { readonly kind: 'refused'; readonly sentence: string }
  | { readonly kind: 'no-claim'; readonly sentence?: string; readonly why: string };

export interface Row {
  /** The row's name on the page. */
  readonly label: string;
  /** What the handler does, and what must be true in the end. */
  readonly asserts: string;
  /** Whose policies are swept. */
  readonly whose: 'the consumer’s' | 'the step’s';
  readonly policies: readonly Policy[];
  /** The doors at which it is not simply swept under all of these policies. */
  readonly cells?: Partial<Readonly<Record<Door, Cell>>>;
}

const swept = (only: readonly Policy[], note?: string): Cell => ({
  kind: 'swept',
  policies: only,
  ...(note !== undefined && { note }),
});
const refused = (sentence: string): Cell => ({ kind: 'refused', sentence });

const handedNoClaim = 'a batch handler gets messages, not claims';
const onlyWrites = 'its function gets a message, not a claim, and returns writes';
const copied = 'expected the claim that the handler was given, and no copy of it';
const withoutClaim = (sentence?: string) =>
  ({
    sqsOnce: { kind: 'no-claim', why: handedNoClaim, ...(sentence !== undefined && { sentence }) },
    eachTransaction: { kind: 'no-claim', why: onlyWrites, ...(sentence !== undefined && { sentence }) },
  }) satisfies Row['cells'];

const nothingInDoubt = 'claim, effect and completion are one transaction, and nothing can be in doubt';
const noPolicy = refused(`onAbandoned: eachTransaction does not take it: ${nothingInDoubt}`);
/** A door without a policy runs the handler again. */
const itsOnly = swept(['retry']);

const ofQueues = (door: string) => refused(`envelope: ${door} does not take it: it is an option of consumers of SQS`);

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
    asserts: `${one} that has no key: at most once, and the claim is parked if it is in doubt`,
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
    asserts: 'two steps, each once; a completed claim has no checkpoint left',
    whose: 'the step’s',
    policies,
    cells: withoutClaim(copied),
  },
  stepUnderPark: {
    label: "`step`, consumer under `'park'`",
    asserts: 'two steps, each at most once; the claim is parked if an attempt is in doubt, and no step runs again',
    whose: 'the consumer’s',
    policies: ['park'],
    cells: withoutClaim(copied),
  },
  commit: {
    label: '`commit`',
    asserts: 'a write of the application, committed with the completion',
    whose: 'the consumer’s',
    policies,
    cells: withoutClaim(copied),
  },
  commitStep: {
    label: '`commitStep`',
    asserts: 'a write committed with its checkpoint, then a call; a completed claim has no checkpoint left',
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
    asserts: 'a call under a lock that all messages want; a completed claim leaves no resource locked',
    whose: 'the consumer’s',
    policies,
    cells: { eachTransaction: { kind: 'no-claim', why: `${onlyWrites}. A lock would end before they are committed` } },
  },
  forEachItem: {
    label: '`forEachItem`',
    asserts: 'three items in two chunks under a lock, each once; the progress record says the same',
    whose: 'the consumer’s',
    policies,
    cells: { eachTransaction: { kind: 'no-claim', why: `${onlyWrites} that fit into one transaction` } },
  },
  attributes: {
    label: '`attributes`',
    asserts: `${one}; the attributes are on the record`,
    whose: 'the consumer’s',
    policies,
    cells: { eachTransaction: itsOnly },
  },
  envelope: {
    label: '`envelope`',
    asserts: `${one}; each payment comes in a notification of SNS, and the repeated one in another notification`,
    whose: 'the consumer’s',
    policies,
    cells: {
      once: ofQueues('once'),
      onceOverHttp: ofQueues('onceOverHttp'),
      httpOnce: ofQueues('httpOnce'),
      eachTransaction: itsOnly,
    },
  },
  renewedLease: {
    label: '`lease: renewedLease(…)`',
    asserts: 'a call that takes longer than the lease; pawl renews the lease',
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
    asserts: `${one} that honours the effect key; the record is correct unless a request to the store failed`,
    whose: 'the consumer’s',
    policies: ['retry'],
    cells: {
      eachTransaction: refused(
        'store: expected transactionalStore(dynamoStore({ tableName })), which can commit; got "a store that cannot"',
      ),
    },
  },
  transactionalStore: {
    label: '`transactionalStore`',
    asserts:
      'the real store, on a simulated table: a write of the application if the door can commit one, otherwise a call',
    whose: 'the consumer’s',
    policies,
    cells: { eachTransaction: itsOnly },
  },
  resolve: {
    label: '`operator(…).resolve`',
    asserts:
      'an operator resolves the parked claims, and the messages return: the call happens once, and the resolution is on the record',
    whose: 'the consumer’s',
    policies: ['park'],
    cells: { eachTransaction: swept(['retry'], 'after it has failed `maxAttempts` times') },
  },
  reject: {
    label: '`RejectedError`',
    asserts:
      'two messages, of which the handler rejects one: it has no effect and its record is `rejected`; the other is completed',
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
