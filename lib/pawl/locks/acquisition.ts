import type { AcquisitionState, Event, Memory, Request, Wish } from './acquisition-state.ts';
import {
  byNone,
  cleared,
  decideAcquisition,
  endEarlier,
  endOwn,
  givesWay,
  grant,
  isHeld,
  lastLook,
  letGoAfter,
  look,
  over,
  pieceOf,
  pieceWritten,
  renew,
  standing,
} from './acquisition-steps.ts';
import { foundResources, namedLocks } from './found-resource.ts';
import type { StoredRecord } from './record.ts';
import type { LockWriteResult } from './store.ts';

/**
 * The acquisition of resources, all of them or none: a pure state machine. `acquire.ts` carries its requests out, and the exhaustive search of
 * `proof/model-locks` drives the same functions.
 *
 * The resources are taken piece by piece, in the order of their ids, which is the same for every worker. Each piece is one write.
 *
 * Owns: which request follows which response, what is remembered between them, and when to give up.
 * Does not own: who may have a resource (`decide.ts`), what the owner of a lock may make of it (`settle.ts`), time, waiting and the
 * retries of a request (`acquire.ts`).
 *
 * | state | request under way | what follows |
 * | --- | --- | --- |
 * | reading-resources | reads the resources of a piece | reading-locks, or a decision |
 * | reading-locks | reads the locks that these name | a decision: clearing, taking, letting go; or checking-own, reading-own |
 * | checking-own | reads the own lock: a later attempt of the holder was met | a decision, or reading-own |
 * | clearing | puts one earlier lock out of the way | the next one, or reading-resources |
 * | taking | writes the piece and the own lock | the next piece, reading-resources again, or the last look |
 * | reading-earlier | reads the own lock and those of the holder's earlier attempts | ending-earlier, reading-own, or the last look |
 * | ending-earlier | ends one of these | the next one, or the last look |
 * | renewing | extends the own lease: too little of it is left | granted, letting-go, or reading-own |
 * | checking-earlier | reads the locks of the holder's earlier attempts, before the own one is let go | letting-go |
 * | letting-go | ends or keeps the own lock | waiting, or refused |
 * | reading-own | reads the own lock, which is another attempt's or another holder's by now | reading-successor, or waiting |
 * | reading-successor | reads the lock whose attempt has moved it on | refused, or waiting |
 * | waiting | none: the driver waits, or gives up | a new attempt, with a new token |
 * | granted, refused | none: it is over | |
 *
 * Invariants, which tests name:
 *
 * 1. All or none. An attempt that is refused or waits has let go of its lock: it is ended, or kept if the holder had some of the
 *    resources before, and is not done with them.
 * 2. An attempt waits for other holders only while it has locked nothing. So there is no deadlock, and the attempt that is furthest in the order
 *    of ids gets through.
 * 3. A resource is put under a new lock only after the lock that it names has ended, or is kept for the same holder.
 * 4. The own lock is in the write of every piece: renewed, and refused if it is another worker's by then.
 * 5. An attempt gives way to a later one of its holder, for good: otherwise two deliveries of one message fence each other off in turns.
 * 6. A lock is granted only while its lease runs, by the clock after the last response.
 * 7. A write whose response is lost is recognised: by the token of the attempt, which no other attempt has.
 */

/** The first state of a call. @param lockId the token of its first attempt */
export function begin(lockId: string, now: number): AcquisitionState {
  return firstRead(lockId, now, { known: [], looked: 0, ended: new Map(), takenOver: new Map() });
}

/** The request of a state. Carried out twice, it does no harm. */
export function requestOf(wish: Wish, state: AcquisitionState): Request {
  const { attempt } = state;
  switch (state.kind) {
    case 'reading-resources':
      return { kind: 'read', ids: pieceOf(wish, attempt) };
    case 'reading-locks':
      return { kind: 'read', ids: namedLocks(state.resources) };
    case 'checking-own':
    case 'reading-own':
      return { kind: 'read', ids: [attempt.lockId] };
    case 'reading-earlier':
      return { kind: 'read', ids: [attempt.lockId, ...attempt.earlier.keys()] };
    case 'checking-earlier':
      return { kind: 'read', ids: [...attempt.earlier.keys()] };
    case 'reading-successor':
      return { kind: 'read', ids: [state.lockId] };
    case 'taking':
      return { kind: 'write', writes: state.writes };
    case 'clearing':
    case 'ending-earlier':
      // Each alone: it is right even if the rest is refused, or this attempt ends.
      return { kind: 'write', writes: state.writes.slice(0, 1) };
    case 'renewing':
    case 'letting-go':
      return { kind: 'write', writes: [state.write] };
    case 'waiting':
      return { kind: 'wait', busy: state.busy };
    case 'granted':
      return { kind: 'granted', attempt, own: state.own };
    case 'refused':
      return { kind: 'refused', busy: state.busy };
  }
}

/**
 * The state that follows. Pure.
 *
 * @throws Error when the event is no response to the request of the state
 */
export function next(wish: Wish, state: AcquisitionState, event: Event): AcquisitionState {
  switch (event.kind) {
    case 'read':
      return afterRead(wish, state, event.records, event.now);
    case 'written':
      return afterWrite(wish, state, event.result, event.now);
    case 'waited':
      return firstRead(event.lockId, event.now, state.attempt.memory);
  }
}

function afterRead(
  wish: Wish,
  state: AcquisitionState,
  records: readonly (StoredRecord | undefined)[],
  now: number,
): AcquisitionState {
  const { attempt } = state;
  const [first] = records;
  switch (state.kind) {
    case 'reading-resources': {
      if (namedLocks(records).length > 0) return { kind: 'reading-locks', attempt, resources: records };
      return look(wish, attempt, foundResources(pieceOf(wish, attempt), records, []), now);
    }
    case 'reading-locks':
      return look(wish, attempt, foundResources(pieceOf(wish, attempt), state.resources, records), now);
    case 'checking-own':
      return isHeld(first) ? decideAcquisition(wish, attempt, state.found, now) : { kind: 'reading-own', attempt };
    case 'reading-earlier':
      return endEarlier(wish, attempt, records, now);
    case 'checking-earlier':
      return letGoAfter(wish, attempt, state.busy, records, now);
    case 'reading-own':
      return first?.kind === 'lock'
        ? { kind: 'reading-successor', attempt, lockId: first.by }
        : { kind: 'waiting', attempt, busy: byNone };
    case 'reading-successor': {
      // Another holder has taken over: that is no reason to give up.
      if (first?.kind !== 'lock' || first.holder !== wish.holder) return { kind: 'waiting', attempt, busy: byNone };
      const [id = ''] = wish.ids;
      return { kind: 'refused', attempt, busy: givesWay([{ id, resource: undefined, lock: first }]) };
    }
    default:
      throw new Error(`nothing is read in the state ${state.kind}`);
  }
}

function afterWrite(wish: Wish, state: AcquisitionState, result: LockWriteResult, now: number): AcquisitionState {
  switch (state.kind) {
    case 'clearing':
      return cleared(wish, state.attempt, state.found, state.writes, result);
    case 'taking':
      return pieceWritten(wish, state.attempt, state.writes, result, now);
    case 'ending-earlier': {
      // If it is refused, another attempt has moved that lock on: it is only being tidied up.
      const writes = state.writes.slice(1);
      return writes.length > 0 ? { ...state, writes } : lastLook(wish, state.attempt, now);
    }
    case 'renewing': {
      const attempt = { ...state.attempt, own: standing(state.write.next, result) };
      return result.applied ? grant(wish, attempt, now) : renew(wish, attempt, now);
    }
    case 'letting-go': {
      const attempt = { ...state.attempt, own: standing(state.write.next, result) };
      return result.applied ? over(attempt, state.busy) : endOwn(wish, attempt, state.busy, now);
    }
    default:
      throw new Error(`nothing is written in the state ${state.kind}`);
  }
}

function firstRead(lockId: string, now: number, before: Memory): AcquisitionState {
  const memory = { ...before, known: [...new Set([...before.known, lockId])] };
  const nothing = { from: 0, own: undefined, resources: [], earlier: new Map() };
  return { kind: 'reading-resources', attempt: { lockId, since: now, ...nothing, memory } };
}
