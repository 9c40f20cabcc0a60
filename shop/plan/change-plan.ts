import { createRandom, type Random } from '../../lib/rehearsal/engine/random.ts';
import { KILL_POINTS, type KillPoint, type Trouble } from './plan.ts';

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

const REFUSED_SHARE = 0.06;
const STUCK_SHARE = 0.02;
const TROUBLE_SHARE = 0.1;
const SENT_AGAIN_SHARE = 0.05;
/** Every so many-th account is slow. */
const SLOW_ACCOUNTS = 8;
/** The account that has this many changes refused in a row, and gets another one every so often. */
const UNLUCKY = { account: 1, refused: 5, every: 20 } as const;

/** Changes of accounts in the order in which they are sent, and everything that will go wrong with them, by the seed alone. */
export function planChanges({ changes, accounts, killShare, seed }: ChangePlanOptions): readonly PlannedChange[] {
  const random = createRandom(seed ^ 0x66_69_66);
  const sizes = new Map<number, number>();
  return Array.from({ length: changes }, (_, index) => {
    // Each account has one at least, and some have many.
    const drawn = random.below(accounts);
    const account = index < accounts ? index : index % UNLUCKY.every === 0 ? UNLUCKY.account : drawn;
    const before = sizes.get(account) ?? 0;
    sizes.set(account, before + 1);
    const luck = random.next();
    const isUnlucky = account === UNLUCKY.account && before < UNLUCKY.refused;
    const refused = isUnlucky || luck < REFUSED_SHARE;
    const stuck = !refused && luck < REFUSED_SHARE + STUCK_SHARE;
    const trouble = planTrouble(random, killShare);
    return {
      change: {
        changeId: `change-${String(index + 1).padStart(5, '0')}`,
        accountId: `account-${String(account + 1).padStart(3, '0')}`,
        points: refused ? -1_000_000 : 10 + random.below(90),
      },
      refused,
      stuck,
      slow: account % SLOW_ACCOUNTS === 0,
      sentAgain: random.chance(SENT_AGAIN_SHARE),
      trouble: stuck ? undefined : trouble,
    };
  });
}

function planTrouble(random: Random, killShare: number): Trouble | undefined {
  // Always drawn, used or not: what happens to one change must not depend on another one's trouble.
  const point: KillPoint = random.pick(KILL_POINTS);
  const status = random.pick([500, 502]);
  const luck = random.next();
  if (random.chance(killShare)) return { kind: 'kill', point };
  if (luck < TROUBLE_SHARE / 3) return { kind: 'provider', fault: { kind: 'error-before', status: 503 } };
  if (luck < (2 * TROUBLE_SHARE) / 3) return { kind: 'provider', fault: { kind: 'error-before', status } };
  if (luck < TROUBLE_SHARE) return { kind: 'provider', fault: { kind: 'error-applied', status } };
  return undefined;
}
