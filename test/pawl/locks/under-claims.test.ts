import { describe, expect, it } from 'vitest';
import type { Claim, Verdict } from '../../../lib/pawl/index.ts';
import { reconcile } from '../../../lib/pawl/index.ts';
import { type LockStore, type Locks, memoryLockStore, resourceLocks } from '../../../lib/pawl/locks/index.ts';
import { bodyField, deadLetterQueue, eachMessage, type SqsOptions } from '../../../lib/pawl/sqs/index.ts';
import { crashSweep, type World } from '../../../lib/testing/index.ts';

type Order = { orderId: string };
type Policy = Pick<SqsOptions<Order>, 'onAbandoned'>;

/** What outlives every worker: the locks, and what the work under them has done. */
const createBank = () => ({ lockStore: memoryLockStore(), repaid: 0, attempts: 0, asked: 0 });
type Bank = ReturnType<typeof createBank>;

const unlock = { onSuccess: 'unlock', onFailure: 'keep' } as const;

interface Scene {
  /** The lock that another request has before the message comes. */
  readonly other: (locks: Locks) => Promise<unknown>;
  readonly work: (claim: Claim, locks: Locks, repay: () => Promise<void>) => Promise<unknown>;
  readonly policy?: Policy;
  readonly maxReceiveCount?: number;
  /** What stands between the workers and their locks. */
  readonly through?: (inner: LockStore) => LockStore;
}

/** One message, whose resource is locked by another request, and no fault. */
async function deliver({
  other,
  work,
  policy = { onAbandoned: 'retry' },
  maxReceiveCount = 5,
  through = (inner) => inner,
}: Scene) {
  const bank = createBank();
  let locked: Promise<unknown> | undefined;
  const handler = (world: World, { lockStore }: Bank) => {
    const { host } = world.options;
    const locks = resourceLocks({ store: through(lockStore), host });
    const deadLetters = deadLetterQueue(world.deadLetterQueueUrl);
    return eachMessage<Order>(
      { ...world.options, operation: 'repay', key: bodyField('orderId'), deadLetters, ...policy },
      async (_, claim) => {
        bank.attempts++;
        locked ??= other(resourceLocks({ store: lockStore, host }));
        await locked;
        await work(claim, locks, () =>
          world.io('bank.repay', () => {
            bank.repaid++;
          }),
        );
      },
    );
  };
  const report = await crashSweep<Bank>({
    messages: [{ body: { orderId: 'o-1' } }],
    provider: () => bank,
    handler,
    effects: ({ repaid }) => repaid,
    maxReceiveCount,
    replay: [],
  });
  return { report, bank };
}

const asks = (bank: { asked: number }): Policy => ({
  onAbandoned: reconcile({
    settleMs: 1000,
    async ask(): Promise<Verdict> {
      bank.asked++;
      return { verdict: 'not-applied' };
    },
  }),
});
const asked = { asked: 0 };

describe.each<[string, Policy & { readonly marksEffect?: boolean }]>([
  ['retry', { onAbandoned: 'retry' }],
  ['park', { onAbandoned: 'park' }],
  ['reconcile', asks(asked)],
  ['park, with a marked effect', { onAbandoned: 'park', marksEffect: true }],
])('under %s', (_, policy) => {
  const works: readonly [string, Scene['work']][] = [
    ['withLock', (claim, locks, repay) => locks.withLock(['a'], { holder: claim.effectKey, unlock }, repay)],
    [
      'withLock inside of claim.effect',
      (claim, locks, repay) => claim.effect(() => locks.withLock(['a'], { holder: claim.effectKey, unlock }, repay)),
    ],
    [
      'claim.effect inside of withLock',
      (claim, locks, repay) => locks.withLock(['a'], { holder: claim.effectKey, unlock }, () => claim.effect(repay)),
    ],
    [
      'lockAll',
      async (claim, locks, repay) => {
        const lock = await locks.lockAll(['a'], { holder: claim.effectKey });
        await repay();
        await lock.unlock();
      },
    ],
  ];

  it.each(works)(
    '%s, of which the lock is another’s, leaves nothing in doubt: the work runs once, after it',
    async (_, work) => {
      const other = (locks: Locks) => locks.lockAll(['a'], { holder: 'another' });
      const { report, bank } = await deliver({ other, work, policy });
      expect(report.fates).toMatchObject({ acknowledged: 1, parked: 0, deadLettered: 0 });
      expect(bank).toMatchObject({ repaid: 1, attempts: 2 });
      expect(asked.asked).toBe(0);
    },
  );
});

it.each([5, 2])(
  'a request that meets a kept lock waits for its end, and not for its %d receives',
  async (maxReceiveCount) => {
    const { report, bank } = await deliver({
      maxReceiveCount,
      other: async (locks) => (await locks.lockAll(['a'], { holder: 'another' })).keep(),
      work: (claim, locks, repay) => locks.withLock(['a'], { holder: claim.effectKey, unlock }, repay),
    });
    expect(report.fates).toMatchObject({ acknowledged: 1, deadLettered: 0 });
    expect(bank).toMatchObject({ repaid: 1, attempts: 2 });
  },
);

it('a lock store that is down before the work has begun leaves nothing in doubt', async () => {
  let failures = 4;
  const { report, bank } = await deliver({
    policy: { onAbandoned: 'park' },
    through: (inner) => ({
      ...inner,
      read: (ids) => (failures-- > 0 ? Promise.reject(new Error('socket hang up')) : inner.read(ids)),
    }),
    other: async () => undefined,
    work: (claim, locks, repay) =>
      claim.effect(() => locks.withLock(['a'], { holder: claim.effectKey, unlock }, repay)),
  });
  expect(report.fates).toMatchObject({ acknowledged: 1, parked: 0 });
  expect(bank).toMatchObject({ repaid: 1, attempts: 2 });
});

it.each([
  ['park', { acknowledged: 0, parked: 1 }, 1],
  ['retry', { acknowledged: 1, parked: 0 }, 2],
] as const)('a work after which not all targets are done goes the way of %s', async (onAbandoned, fates, repaid) => {
  let looks = 0;
  const allRepaid = () => ++looks > 1;
  const { report, bank } = await deliver({
    policy: { onAbandoned },
    other: async () => undefined,
    work: (claim, locks, repay) =>
      locks.withLock(['a'], { holder: claim.effectKey, unlock: { ...unlock, onSuccess: allRepaid } }, repay),
  });
  expect(report.fates).toMatchObject(fates);
  expect(bank.repaid).toBe(repaid);
});
