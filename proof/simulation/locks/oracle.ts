import type { LockedResource } from '../../../lib/pawl/locks/locked-resource.ts';
import type { Lock } from '../../../lib/pawl/locks/owned-lock.ts';
import type { LockRecord, ResourceRecord } from '../../../lib/pawl/locks/record.ts';
import { resourceId } from '../../../lib/pawl/locks/resource.ts';
import type { Item } from '../../../lib/pawl/stores/dynamodb/item.ts';
import { fieldsOf } from '../../../lib/pawl/stores/dynamodb/item.ts';
import type { Sandbox } from '../lambda/sandbox.ts';
import type { Violation } from '../parts.ts';
import { type World, worldBegins } from '../world/world.ts';
import type { LockScenario, Wish } from './scenario.ts';

/** A debt, as the application keeps it. */
export interface Debt {
  readonly id: string;
  readonly repaid?: number;
  /** The lock under which it was repaid. */
  readonly by?: string;
}

export const debtItem = (debt: string) => `#debt#${debt}`;

/** What the application said becomes of a lock. */
type UnlockedBy = 'unlock' | 'keep' | 'if-repaid';

interface Inside {
  readonly sandbox: Sandbox;
  readonly holder: string;
  readonly lock: Pick<Lock, 'id' | 'remainingMs'>;
}

/**
 * What must never happen.
 *
 *  0. DynamoDB is asked for something invalid, or a rejection is handled by nobody.
 *  1. A debt is repaid twice.
 *  2. A debt is repaid under a lock that it is not under.
 *  3. A lock that has ended changes, or a resource moves that is under another holder's lock.
 *  4. The fence of a resource does anything but grow by one, or a worker is told another one.
 *  5. A lock is ended by another holder before its lease and the allowance are over.
 *  6. Two holders are at one resource at once, with leases that run.
 *  7. A wish is done, and one of its debts is not repaid.
 *  8. A lock is ended or kept against the rule for it; what an earlier attempt of a holder had is freed by one that did not get
 *     everything; a lock is kept for another time than was asked for. Or a lock has not ended, although whoever had it was told that it was unlocked.
 *  9. A worker is not told whose lock it has taken over.
 * 13. A worker begins or goes on under a lock of which it could know that its lease is over, or loses one for nothing.
 * 14. After the faults stop, a wish is not done in bounded time.
 */
export interface LockOracle {
  readonly violations: readonly Violation[];
  problem(invariant: number, text: string): void;
  wrote(writer: Sandbox, before: Item | undefined, after: Item): void;
  heard(error: unknown): void;
  /** A sandbox begins to work for a wish. */
  began(sandbox: Sandbox, wish: Wish): void;
  entered(sandbox: Sandbox, wish: Wish, lock: Lock): void;
  /** It has worked for a while, and looks at its signal. */
  working(sandbox: Sandbox, lock: Lock, signal: AbortSignal): void;
  /** It stands still, has a clock that is set, or does not reach the table. */
  troubled(sandbox: Sandbox): void;
  /** Its work has ended, and this is the rule for the lock. */
  ends(lockId: string, wish: Wish, rule: UnlockedBy): void;
  left(sandbox: Sandbox, wish: Wish): void;
  done(wish: Wish): void;
  clockWentWrong(): void;
  /** Its worker was told that it is. */
  unlocked(lockId: string): void;
  atTheEnd(): void;
}

export function createLockOracle(
  world: World,
  { skewMs, keepMs, wishes }: LockScenario,
  items: () => ReadonlyMap<string, Item>,
): LockOracle {
  const violations: Violation[] = [];
  const holders = new Map<string, string>();
  const inside = new Map<string, Inside>();
  const unlocked = new Set<string>();
  const rules = new Map<string, { readonly rule: UnlockedBy; readonly wish: Wish }>();
  /** Locks of attempts whose holder had some of the resources before. */
  const heirs = new Set<string>();
  /** By which locks those of other holders were ended, and whose they were. */
  const ended = new Map<string, string[]>();
  /** When it was last. */
  const troubled = new Map<Sandbox, number>();
  let clocksWrong = false;

  function problem(invariant: number, text: string): void {
    world.note('ORACLE', `invariant ${invariant} is broken:`, text);
    violations.push({ invariant, text, at: world.time });
  }

  function read<T>(id: string): T | undefined {
    const item = items().get(id);
    return item && (fieldsOf(item) as unknown as T);
  }

  const resourceOf = (debt: string, { host }: Sandbox) => read<ResourceRecord>(resourceId(debt, host));

  function debtWritten(writer: Sandbox, { id, repaid = 0, by = '' }: Debt): void {
    world.note('table', `${id} is repaid`, `by ${writer.name} under ${by}`);
    if (repaid > 1) problem(1, `${id} is repaid ${repaid} times, by ${writer.name}`);
    const lockId = resourceOf(id.slice(debtItem('').length), writer)?.lockId;
    if (lockId !== by) problem(2, `${id} is repaid under ${by}, and is under ${lockId}`);
  }

  function resourceMoved(writer: Sandbox, before: ResourceRecord | undefined, after: ResourceRecord): void {
    const { id, fence, lockId } = after;
    world.note('table', `${id} is under ${lockId},`, `fence ${fence}, by ${writer.name}`);
    if (fence !== (before?.fence ?? 0) + 1) problem(4, `the fence of ${id} goes from ${before?.fence} to ${fence}`);
    const { status } = read<LockRecord>(lockId) ?? {};
    if (status !== 'held') problem(3, `${id} goes under ${lockId}, which is ${status}`);
    const old = before && read<LockRecord>(before.lockId);
    const isOthers = old !== undefined && old.holder !== holders.get(writer.name);
    if (old && old.status !== 'ended' && isOthers) problem(3, `${id} is taken from ${old.id}, which is ${old.status}`);
    if (old?.status === 'held') problem(3, `${id} is taken from ${old.id}, whose worker may go on`);
  }

  function lockWritten(writer: Sandbox, before: LockRecord | undefined, after: LockRecord): void {
    const { id, status, rev, leaseUntil } = after;
    world.note('table', `${id} is ${status}`, `until ${Math.round(leaseUntil - writer.clock())} ms, by ${writer.name}`);
    if (before === undefined) return;
    if (before.status === 'ended') problem(3, `${id} had ended, and becomes ${status} by ${writer.name}`);
    if (rev !== before.rev + 1) problem(3, `${id} goes from revision ${before.rev} to ${rev}`);
    if (after.by === id) settled(writer, after);
    else if (status === 'kept') heirs.add(after.by);
    if (holders.get(writer.name) === before.holder || clocksWrong) return;
    if (status !== 'ended') problem(3, `${writer.name} makes ${id} of another holder ${status}`);
    // By our own time, from which no clock is further off than half of the allowance: a worker's may be set while its write is on its way.
    const leftMs = before.leaseUntil + skewMs / 2 - worldBegins - world.time;
    if (leftMs > 0) problem(5, `${writer.name} ends ${id} of another holder, ${leftMs} ms too early`);
    ended.set(after.by, [...(ended.get(after.by) ?? []), before.holder]);
  }

  /** Its own worker has ended a lock, or keeps it. */
  function settled(writer: Sandbox, { id, status, leaseUntil }: LockRecord): void {
    const { rule, wish } = rules.get(id) ?? {};
    if (status === 'ended') {
      if (rule === undefined && heirs.has(id)) problem(8, `${id} frees what an earlier attempt of its holder had`);
      const isDone = rule === 'unlock' || (rule === 'if-repaid' && wish && openOf(wish).length === 0);
      if (rule !== undefined && !isDone) problem(8, `${id} ends, and was to be kept`);
    }
    if (status === 'kept') {
      if (rule === 'unlock') problem(8, `${id} is kept, and was to end`);
      const forMs = leaseUntil - writer.clock();
      // It may have been on its way for a while.
      if (!clocksWrong && !troubled.has(writer) && Math.abs(keepMs - forMs) > 1000)
        problem(8, `${id} is kept for ${forMs} ms`);
    }
  }

  const openOf = ({ debts }: Wish) => debts.filter((debt) => read<Debt>(debtItem(debt))?.repaid !== 1);

  return {
    violations,
    problem,
    wrote(writer, before, after) {
      const [from, to] = [before && fieldsOf(before), fieldsOf(after)] as [never, { kind?: string; id: string }];
      if (to.kind === 'resource') resourceMoved(writer, from, to as ResourceRecord);
      else if (to.kind === 'lock') lockWritten(writer, from, to as LockRecord);
      else if (to.id.startsWith(debtItem(''))) debtWritten(writer, to);
    },
    heard(error) {
      const { name, message } = error as Error;
      if (name === 'ValidationException') problem(0, `DynamoDB was asked for something invalid: ${message}`);
    },
    began: (sandbox, { holder }) => void holders.set(sandbox.name, holder),
    working(sandbox, lock, signal) {
      if (clocksWrong || troubled.has(sandbox)) {
        // What was due while it stood still comes in its order.
        if (world.time - (troubled.get(sandbox) ?? 0) < 5) return;
        // The clock may have been set since the timer was.
        if (!clocksWrong && !signal.aborted && lock.remainingMs() < -skewMs - 5)
          problem(13, `${lock.holder} goes on, ${-lock.remainingMs()} ms after its lease, and was not told`);
        return;
      }
      const isIts = read<LockRecord>(lock.id)?.status === 'held';
      if (signal.aborted && isIts) problem(13, `${lock.holder} has lost its lease for nothing`);
    },
    troubled: (sandbox) => void troubled.set(sandbox, world.time),
    ends: (lockId, wish, rule) => void rules.set(lockId, { wish, rule }),
    entered(sandbox, { holder, debts }, lock) {
      const told = new Set(lock.takenOver.map((one) => one.holder));
      for (const earlier of ended.get(lock.id) ?? []) {
        if (!told.has(earlier)) problem(9, `${holder} is not told that it has taken over from ${earlier}`);
      }
      for (const debt of debts) {
        const resource = resourceOf(debt, sandbox);
        if (resource?.lockId === lock.id && resource.fence !== lock.fence(debt))
          problem(4, `${holder} is told the fence ${lock.fence(debt)} of ${debt}, and it is ${resource.fence}`);
      }
      if (lock.remainingMs() <= 0) problem(13, `${holder} begins with ${lock.remainingMs()} ms left`);
      // Its answer was long on its way, and another attempt of its holder has come, and perhaps gone: it cannot know, and can write nothing.
      if (read<LockRecord>(lock.id)?.status !== 'held') return;
      for (const debt of debts) {
        const other = inside.get(debt);
        inside.set(debt, { sandbox, holder, lock });
        if (other === undefined || other.holder === holder || !other.sandbox.alive || clocksWrong) continue;
        // A later attempt of its holder may have come and gone, without its knowing.
        if (read<LockRecord>(other.lock.id)?.status !== 'held') continue;
        const leftMs = other.lock.remainingMs();
        if (leftMs > 0) problem(6, `${holder} is at ${debt}, and so is ${other.holder}, for ${leftMs} ms more`);
      }
    },
    left(sandbox, { debts }) {
      for (const debt of debts) if (inside.get(debt)?.sandbox === sandbox) inside.delete(debt);
    },
    done(wish) {
      const { holder } = wish;
      const open = openOf(wish);
      if (open.length > 0) problem(7, `${holder} is done, and has not repaid ${open.join(', ')}`);
    },
    clockWentWrong() {
      clocksWrong = true;
    },
    unlocked: (lockId) => void unlocked.add(lockId),
    atTheEnd() {
      for (const id of unlocked) {
        const status = read<LockRecord>(id)?.status;
        if (status !== 'ended') problem(8, `${id} was unlocked, and is ${status}`);
      }
      for (const wish of wishes) this.done(wish);
    },
  };
}

/** For the story. */
export const whoHas = (by: readonly LockedResource[]) =>
  [...new Set(by.map(({ holder }) => holder))].join(', ') || 'nobody';
