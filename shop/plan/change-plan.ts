import { createRandom, type Random } from '../../lib/rehearsal/engine/random.ts';
import { type KillPoint, killPoints, type Trouble } from './plan.ts';

/** A change of an account, and what becomes of it on its way. */
export interface PlannedChange {
  readonly change: { readonly changeId: string; readonly accountId: string; readonly points: number };
  /** The account has too few points for it, so that the service refuses it, at every attempt. */
  readonly refused: boolean;
  /** The service never takes it: it fails until it is set aside. */
  readonly stuck: boolean;
  /** The service takes long over each change of this account. */
  readonly slow: boolean;
  /** The producer sends it again, as another message, after everything else. */
  readonly sentAgain: boolean;
  readonly trouble: Trouble | undefined;
}

export interface ChangePlanOptions {
  readonly changes: number;
  /** Each is a message group. */
  readonly accounts: number;
  /** The share of changes that cost a sandbox its life, from 0 to 1. */
  readonly killShare: number;
  readonly seed: number;
}

const refusedShare = 0.06;
const stuckShare = 0.02;
const troubleShare = 0.1;
const sentAgainShare = 0.05;
/** Every so many-th account is slow. */
const slowAccounts = 8;
/** The account that has this many changes refused in a row, and gets another one every so often. */
const unlucky = { account: 1, refused: 5, every: 20 } as const;

/** Changes of accounts in the order in which they are sent, and everything that will go wrong with them, by the seed alone. */
export function planChanges({ changes, accounts, killShare, seed }: ChangePlanOptions): readonly PlannedChange[] {
  const random = createRandom(seed ^ 0x66_69_66);
  const sizes = new Map<number, number>();
  return Array.from({ length: changes }, (_, index) => {
    // Each account has one at least, and some have many.
    const drawn = random.below(accounts);
    const account = index < accounts ? index : index % unlucky.every === 0 ? unlucky.account : drawn;
    const before = sizes.get(account) ?? 0;
    sizes.set(account, before + 1);
    const luck = random.next();
    const isUnlucky = account === unlucky.account && before < unlucky.refused;
    const refused = isUnlucky || luck < refusedShare;
    const stuck = !refused && luck < refusedShare + stuckShare;
    const trouble = planTrouble(random, killShare);
    return {
      change: {
        changeId: `change-${String(index + 1).padStart(5, '0')}`,
        accountId: `account-${String(account + 1).padStart(3, '0')}`,
        points: refused ? -1_000_000 : 10 + random.below(90),
      },
      refused,
      stuck,
      slow: account % slowAccounts === 0,
      sentAgain: random.chance(sentAgainShare),
      trouble: stuck ? undefined : trouble,
    };
  });
}

function planTrouble(random: Random, killShare: number): Trouble | undefined {
  // Always drawn, used or not: what happens to one change must not depend on another one's trouble.
  const point: KillPoint = random.pick(killPoints);
  const status = random.pick([500, 502]);
  const luck = random.next();
  if (random.chance(killShare)) return { kind: 'kill', point };
  if (luck < troubleShare / 3) return { kind: 'provider', fault: { kind: 'error-before', status: 503 } };
  if (luck < (2 * troubleShare) / 3) return { kind: 'provider', fault: { kind: 'error-before', status } };
  if (luck < troubleShare) return { kind: 'provider', fault: { kind: 'error-applied', status } };
  return undefined;
}
