import {
  type Claim,
  type ClaimOptions,
  type ClaimStore,
  failOpen,
  RejectedError,
  reconcile,
  rememberCompleted,
  renewedLease,
  type StepOptions,
  step,
} from '../../../lib/pawl/index.ts';
import { dynamoLockStore, forEachItem, resourceLocks, type WorkingLock } from '../../../lib/pawl/locks/index.ts';
import { dynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import {
  type AppWrite,
  commit,
  commitStep,
  inPhases,
  type TransactionalStore,
  transactionalStore,
} from '../../../lib/pawl/transactions/index.ts';
import type { World } from '../../../lib/testing/index.ts';
import { add, claimsOf, clientOf, committingClaimsOf, idOf, type Outside, operation, tableName } from './outside.ts';
import type { Feature, Policy } from './table.ts';

/** Where a work is done, and under which policy. */
export interface Setting {
  readonly world: World;
  readonly outside: Outside;
  readonly policy: Policy;
}

/** What a handler does for one payment. A batch handler has no claim to hand over. */
export type Work = (payment: string, claim: Claim | undefined) => Promise<unknown>;

/** Options of a feature's, and what is taken in their place where a door has another input than a payment. */
export interface FeatureOptions extends Partial<Pick<ClaimOptions<unknown>, 'lease' | 'marksEffect' | 'maxAttempts'>> {
  readonly store?: ClaimStore;
  /** Under a policy of a step's own, its consumer's. */
  readonly onAbandoned?: 'retry';
  /** Messages come in an envelope of SNS. */
  readonly envelope?: true;
  /** The names of the attributes that each payment has. */
  readonly attributes?: true;
}

export interface Made {
  /** What is to have happened once, by its name. Asked when a run is over. */
  readonly effects: (outside: Outside, payment: string, hasClaim: boolean) => Readonly<Record<string, number>>;
  readonly work: (setting: Setting) => Work;
  readonly options?: (setting: Setting) => FeatureOptions;
  /** What `eachTransaction` commits. @default one write */
  readonly writes?: (payment: string, outside: Outside) => readonly AppWrite[];
  /** The store of `eachTransaction`. @default claims in memory */
  readonly committing?: (setting: Setting) => TransactionalStore;
  /** What is wrong in the end with what is kept beside the record, of a payment that is done. */
  readonly wrong?: (outside: Outside, payment: string, policy: Policy) => readonly string[];
  /** Payments that are rejected. */
  readonly rejects?: (payment: string) => boolean;
}

/** How long after an attempt the provider is believed, in milliseconds: longer than a late request takes. */
const settleMs = 5000;
const callMs = 40;

const paid = (outside: Outside, payment: string) => ({ payment: outside.times('payment', payment) });
const entered = (outside: Outside, payment: string) => ({ entry: outside.written(payment) });

/** Pays. Only under 'retry' does the provider get a key, and honours it. */
function pay({ world, outside, policy }: Setting, payment: string, claim: Claim | undefined, takesMs = callMs) {
  const key = policy === 'retry' ? (claim?.effectKey ?? payment) : undefined;
  return world.io('provider.pay', () => outside.act('payment', payment, key), { takesMs });
}

const paying =
  (setting: Setting): Work =>
  (payment, claim) =>
    pay(setting, payment, claim);

const plain: Pick<Made, 'effects' | 'work'> = { effects: paid, work: paying };

/** The claim of a work that is only done where there is one. */
function held(claim: Claim | undefined): Claim {
  if (claim === undefined) throw new Error('this door hands over no claim');
  return claim;
}

/** A step's policy, for an effect by its name. */
function stepPolicy({ world, outside, policy }: Setting, effect: string, payment: string): StepOptions['onAbandoned'] {
  if (policy !== 'reconcile') return policy;
  return reconcile({
    ask: () =>
      world.io('provider.find', () =>
        outside.times(effect, payment) > 0
          ? { verdict: 'applied', result: `${effect} of ${payment}` }
          : { verdict: 'not-applied' },
      ),
    settleMs,
  });
}

/** The policy of a consumer. @param applied whether a payment has had its whole effect */
export function policyOf({ world, policy }: Setting, applied: (payment: string) => boolean) {
  if (policy !== 'reconcile') return policy;
  return reconcile({
    ask: ({ key }) =>
      world.io('provider.find', () => (applied(key) ? { verdict: 'applied' } : { verdict: 'not-applied' })),
    settleMs,
  });
}

function locksOf({ world, outside }: Setting) {
  const { host } = world.options;
  const client = clientOf(world, outside);
  const store = dynamoLockStore(dynamoStore({ tableName, aws: sdk({ dynamodb: client }), host }));
  return { store, host, locks: resourceLocks({ store, host, leaseMs: 10_000 }) };
}

/** Works under a lock that all payments want. */
function locked(
  { locks }: ReturnType<typeof locksOf>,
  payment: string,
  claim: Claim | undefined,
  work: (lock: WorkingLock) => Promise<unknown>,
) {
  const options = {
    holder: claim?.effectKey ?? `${operation}/${payment}`,
    waitMs: 5000,
    unlock: { onSuccess: 'unlock', onFailure: 'unlock' },
  } as const;
  return locks.withLock(['account', ['payment', payment]], options, work);
}

const items = ['a', 'b', 'c'];

/** Which resources a payment has left locked. */
function stillLocked(outside: Outside, payment: string, policy: Policy): readonly string[] {
  // What the provider completed has not run again: the lock of the worker that died waits for its time to end.
  if (policy === 'reconcile') return [];
  const locks = new Map(outside.kept('#lock#').map((lock) => [lock['id'], lock]));
  // A resource is locked for as long as the lock that it names has not ended. Others may be left that no resource names any more.
  const named = outside.kept('#resource#').map(({ lockId }) => locks.get(lockId));
  const open = named.filter((lock) => lock && lock['status'] !== 'ended' && String(lock['holder']).endsWith(payment));
  return open.map((lock) => `a resource whose lock is left ${lock?.['status']}`);
}

/** Two effects, each a step of its own. */
const inSteps: Made = {
  effects: (outside, payment) => ({
    charge: outside.times('charge', payment),
    receipt: outside.times('receipt', payment),
  }),
  work: (setting) => async (payment, claim) => {
    const { world, outside, policy } = setting;
    const one = (effect: string) =>
      step(
        held(claim),
        effect,
        ({ effectKey }) =>
          world.io(`provider.${effect}`, () =>
            outside.act(effect, payment, policy === 'retry' ? effectKey : undefined),
          ),
        { onAbandoned: stepPolicy(setting, effect, payment) },
      );
    return [await one('charge'), await one('receipt')];
  },
};

export const works: Readonly<Record<Feature, Made>> = {
  retry: plain,
  park: plain,
  reconcile: plain,
  effect: {
    effects: paid,
    options: () => ({ marksEffect: true }),
    work: (setting) => async (payment, claim) => {
      await setting.world.io('orders.load', () => payment);
      const result = await held(claim).effect(() => pay(setting, payment, claim));
      await setting.world.io('metrics.flush', () => undefined);
      return result;
    },
  },
  step: inSteps,
  stepUnderPark: inSteps,
  commit: {
    effects: entered,
    options: ({ world, outside }) => ({ store: committingClaimsOf(world, outside) }),
    work: () => (payment, claim) => commit(held(claim), [add(payment)], { result: payment }),
  },
  commitStep: {
    effects: (outside, payment) => ({ ...paid(outside, payment), reserved: outside.written(`reserved ${payment}`) }),
    options: ({ world, outside }) => ({ store: committingClaimsOf(world, outside) }),
    work: (setting) => async (payment, claim) => {
      await commitStep(held(claim), 'reserve', () => [add(`reserved ${payment}`)]);
      return pay(setting, payment, claim);
    },
  },
  inPhases: {
    effects: (outside, payment) => ({
      reserved: outside.written(`reserved ${payment}`),
      transfer: outside.times('transfer', payment),
      ...entered(outside, payment),
    }),
    options: ({ world, outside }) => ({ store: committingClaimsOf(world, outside) }),
    work: (setting) => (payment, claim) => {
      const { world, outside, policy } = setting;
      const inThree = inPhases<string, string>({
        prepare: () => [add(`reserved ${payment}`)],
        execute: (_, { effectKey }) =>
          world.io('provider.transfer', () =>
            outside.act('transfer', payment, policy === 'retry' ? effectKey : undefined),
          ),
        record: () => [add(payment)],
        onAbandoned: stepPolicy(setting, 'transfer', payment),
      });
      return inThree(payment, held(claim));
    },
  },
  withLock: {
    effects: paid,
    work: (setting) => {
      const wired = locksOf(setting);
      return (payment, claim) => locked(wired, payment, claim, () => pay(setting, payment, claim));
    },
    wrong: stillLocked,
  },
  forEachItem: {
    effects: (outside, payment) =>
      Object.fromEntries(items.map((item) => [`item ${item}`, outside.written(`${payment} ${item}`)])),
    work: (setting) => {
      const wired = locksOf(setting);
      const { store, host } = wired;
      return (payment, claim) =>
        locked(wired, payment, claim, (lock) =>
          forEachItem(
            items,
            {
              id: payment,
              work: 'pay',
              fence: store.stillHeld(lock),
              check: () => [store.stillHeld(lock)],
              chunk: 2,
              signal: claim ? AbortSignal.any([lock.signal, claim.signal]) : lock.signal,
              store,
              host,
            },
            (chunk) => chunk.map((item) => add(`${payment} ${item}`)),
          ),
        );
    },
    wrong(outside, payment, policy) {
      const segments = outside.kept(`#work#${payment}#pay#`);
      const isDone = segments.length === 1 && segments.every(({ next, to }) => next === items.length && to === next);
      return [...stillLocked(outside, payment, policy), ...(isDone ? [] : ['progress that is not all done'])];
    },
  },
  attributes: {
    ...plain,
    options: () => ({ attributes: true }),
    wrong(outside, payment) {
      const { attributes } = outside.recordOf(payment) ?? {};
      return attributes?.['payment'] === payment ? [] : ['attributes that are not on the record'];
    },
  },
  envelope: { ...plain, options: () => ({ envelope: true }) },
  renewedLease: {
    effects: paid,
    options: () => ({ lease: renewedLease(6000) }),
    work: (setting) => (payment, claim) => pay(setting, payment, claim, 8000),
  },
  rememberCompleted: {
    ...plain,
    options: ({ world, outside }) => ({ store: rememberCompleted(claimsOf(world, outside)) }),
    committing: ({ world, outside }) => rememberCompleted(committingClaimsOf(world, outside)),
  },
  failOpen: {
    ...plain,
    options: ({ world, outside }) => ({
      store: failOpen(claimsOf(world, outside), (error) => outside.letThrough.push(error)),
    }),
  },
  transactionalStore: {
    effects: (outside, payment, hasClaim) => (hasClaim ? entered(outside, payment) : paid(outside, payment)),
    options: (setting) => ({ store: realStore(setting) }),
    committing: realStore,
    work: (setting) => (payment, claim) =>
      claim ? commit(claim, [add(payment)], { result: payment }) : pay(setting, payment, claim),
  },
  resolve: {
    ...plain,
    writes(payment, { decided }) {
      if (!decided.has(payment)) throw new Error('the account is closed');
      return [add(payment)];
    },
  },
  reject: {
    effects: paid,
    rejects: (payment) => payment === 'p-2',
    work: (setting) => async (payment, claim) => {
      if (payment === 'p-2') throw new RejectedError('this card is no longer accepted');
      return pay(setting, payment, claim);
    },
    writes: (payment) => {
      if (payment === 'p-2') throw new RejectedError('this card is no longer accepted');
      return [add(payment)];
    },
  },
};

function realStore({ world, outside }: Setting): TransactionalStore {
  return transactionalStore(dynamoStore({ tableName, aws: sdk({ dynamodb: clientOf(world, outside) }) }));
}

/** What is wrong with the record of a payment that has come to its end. */
export function wrongRecord(made: Made, outside: Outside, payment: string, policy: Policy): readonly string[] {
  const record = outside.recordOf(payment);
  // What was let through while the store was down is not in it.
  if (outside.letThrough.length > 0) return [];
  if (record === undefined) return [`no record of ${idOf(payment)}`];
  const rejects = made.rejects?.(payment) ?? false;
  const wrong: string[] = [...outside.broken];
  if (record.status === 'in-flight' || record.status === 'released')
    wrong.push(`a claim that is left ${record.status}`);
  if (rejects !== (record.status === 'rejected') && record.status !== 'parked') {
    wrong.push(`a claim that is ${record.status}`);
  }
  if (record.status === 'completed') {
    if (record.checkpoints !== undefined) wrong.push('checkpoints that are left');
    wrong.push(...(made.wrong?.(outside, payment, policy) ?? []));
  }
  if (outside.decided.has(payment) && record.resolution?.by !== 'maria') wrong.push('a decision that is not kept');
  return wrong;
}
