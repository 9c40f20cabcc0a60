import type { AcquisitionState, Wish } from '../../lib/pawl/locks/acquisition-state.ts';
import { changed, newLock, takeResource } from '../../lib/pawl/locks/decide.ts';
import type { LockWrite } from '../../lib/pawl/locks/store.ts';

/** Pieces of the protocol that can be left out, and what the search is to find without them. */
export const breakages = {
  unguarded: 'the application commits without a look at its lock',
  'no-hand-over': 'resources are moved, and the earlier attempt of the same holder is not fenced off',
  'no-take-over': 'resources are moved, and the lock of another holder, whose lease is over, is not ended',
  'no-let-go': 'an attempt that does not get all leaves its lock behind',
  'frees-all': 'an attempt that does not get all ends its lock, although its holder had some of the resources before',
  'no-own-lock': 'a later piece is written without the own lock, whoever has it by then',
  'no-last-look': 'a lock is granted whatever is left of its lease',
} as const;

export type Breakage = keyof typeof breakages;

/** The state that follows, if this piece is left out. */
export function broken(
  breakage: Breakage | undefined,
  wish: Wish,
  state: AcquisitionState,
  now: number,
): AcquisitionState {
  const { attempt } = state;
  switch (breakage) {
    case 'no-hand-over':
    case 'no-take-over': {
      if (state.kind !== 'clearing') return state;
      const isHandOver = state.writes.some(({ next }) => next.kind === 'lock' && next.status === 'kept');
      if (isHandOver !== (breakage === 'no-hand-over')) return state;
      const { lockId, own } = attempt;
      const { holder, reason, ids, leaseMs } = wish;
      const request = { lockId, holder, reason, leaseUntil: now + leaseMs, resources: ids.length };
      const lock: LockWrite = own
        ? { next: changed(own, lockId, request.leaseUntil), seen: own }
        : { next: newLock(request, now), seen: undefined };
      return { kind: 'taking', attempt, writes: [lock, ...state.found.map((one) => takeResource(one, request))] };
    }
    case 'no-let-go':
      return state.kind === 'letting-go' ? { kind: 'waiting', attempt, busy: state.busy } : state;
    case 'frees-all': {
      if (state.kind !== 'letting-go') return state;
      const { seen, next } = state.write;
      return { ...state, write: { seen, next: { ...next, status: 'ended', leaseUntil: seen.leaseUntil } } };
    }
    case 'no-last-look': {
      const own = attempt.own;
      return state.kind === 'renewing' && own ? { kind: 'granted', attempt, own } : state;
    }
    default:
      return state;
  }
}
