import type { LockStore } from 'pawl/internal';
import { expectSame, expectThat } from './expect.ts';
import type { Law } from './law.ts';
import type { LockStage } from './lock-stage.ts';
import { createWorkers, excluded, expectFree, granted, leaseMs } from './lock-worker.ts';
import { freshKey } from './records.ts';

/** @param sender who sends again: see `ownWriteLaws` */
export function lockOwnWriteLaws(sender: keyof LockStage['lossy'], skipped?: string): readonly Law<LockStage>[] {
  return [
    {
      name: `responses lost, sent again by ${sender}: workers recognise their own writes`,
      skipped,
      async run({ lossy }) {
        const losing = lossy[sender];
        if (losing === undefined) throw new Error(`there is no store whose writes are sent again by ${sender}`);
        await lockOver(losing.store);
        expectThat(
          losing.lost() >= 8,
          `Only ${losing.lost()} responses were lost`,
          'The law has not tried what it says.',
        );
      },
    },
  ];
}

const own =
  'A worker must recognise its own write in the records that a refusal shows. Clients send again by themselves.';

async function lockOver(store: LockStore): Promise<void> {
  const { worker, later } = createWorkers();
  const ids = Array.from({ length: 5 }, () => freshKey());
  const locks = worker(store);
  const first = granted(await locks.tryLockAll(ids, { holder: 'one' }));
  expectSame('The fences of the first lock', ids.map(first.fence), [1, 1, 1, 1, 1], own);
  later(1000);
  expectSame('A renewal', await first.renew(), 'renewed', own);
  expectSame('A keep', await first.keep(), 'kept', own);
  const second = granted(await locks.tryLockAll(ids, { holder: 'one' }));
  expectSame('The fences of the next attempt', ids.map(second.fence), [2, 2, 2, 2, 2], own);
  expectSame('The unlock of the first attempt', await first.unlock(), 'stale', excluded);
  expectSame('The unlock of the second attempt', await second.unlock(), 'unlocked', own);
  later(2 * leaseMs);
  const third = granted(await locks.tryLockAll(ids, { holder: 'two' }));
  later(2 * leaseMs);
  const fourth = granted(await locks.tryLockAll(ids, { holder: 'three' }));
  expectSame('A late unlock', await third.unlock(), 'stale', excluded);
  expectSame('How many were taken over', fourth.takenOver.length, 5, own);
  expectSame('The unlock', await fourth.unlock(), 'unlocked', own);
  await expectFree(locks, ids);
}
