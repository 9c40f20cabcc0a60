import { type Decision, decide } from './decide.ts';
import { errorKind, StoreUnavailableError } from './errors.ts';
import type { ClaimFact } from './events.ts';
import { sleep } from './host.ts';
import type { Identity } from './identity.ts';
import type { Settings } from './options.ts';
import { type ClaimRecord, recordedError } from './record.ts';
import { completion } from './result.ts';
import { type Outcome, renew, settle, type Transition } from './settle.ts';

/** A claim that this worker holds. */
export interface Held {
  readonly identity: Identity;
  /** As it was last written by us; `leaseUntil` moves on with every renewal. */
  record: ClaimRecord;
  /** When the invocation ends, in epoch milliseconds; `undefined` where nothing ends it. */
  readonly deadline: number | undefined;
}

/** What came of asking for a claim: the decision, in force. Only with `held` may anything run. */
export type Acquired = Decision & { readonly held?: Held };

/** How a run was recorded. `stale` and `lost` are outcomes that are known here and could not be written there. */
export type Recorded = Outcome['status'] | 'stale' | 'lost';

/** How far a handler had come with its effect. `unmarked`: it does not say. */
export type Phase = 'unmarked' | 'before' | 'during' | 'after';

export interface AcquireRequest {
  readonly identity: Identity;
  readonly fingerprint?: string | undefined;
  /** The message was delivered before: a record is probably there, and a read is cheaper than a write that fails. */
  readonly redelivered?: boolean | undefined;
  /** When the invocation ends, in epoch milliseconds. */
  readonly deadline?: number | undefined;
}

export type Claims = ReturnType<typeof createClaims>;

const leaseWithoutInvocationMs = 60_000;
/** Each round means that another worker changed the record between our look and our write, or that the store failed. */
const mostRounds = 16;

/** The engine that every way into pawl drives: asks for claims and records how they ended. */
export function createClaims(settings: Settings) {
  const { store, rules, host, operation, leaseMs } = settings;

  function emit({ id }: Pick<Identity, 'id'>, fact: ClaimFact): void {
    try {
      settings.onEvent({ ...fact, operation, id, at: host.now() });
    } catch {
      // A listener's failure must not look like the store's or the handler's: the effect may have happened already.
    }
  }

  function leaseEnd(deadline = Infinity): number {
    const wanted = leaseMs ?? (deadline === Infinity ? leaseWithoutInvocationMs : Infinity);
    return Math.min(host.now() + wanted, deadline);
  }

  /**
   * Asks for a claim. Nothing may run before this has answered with `held`.
   * @throws StoreUnavailableError when the store failed: nothing was granted as far as anybody may act upon
   */
  async function acquire({ identity, fingerprint, redelivered, deadline }: AcquireRequest): Promise<Acquired> {
    const { id } = identity;
    const claimId = host.randomId();
    try {
      let found = redelivered ? await store.read(id) : undefined;
      for (let round = 0; round < mostRounds; round++) {
        const request = { id, claimId, fingerprint, leaseUntil: leaseEnd(deadline) };
        const decided = decide(found, request, rules, host.now());
        const { decision, record, write } = decided;
        const written = write === undefined ? undefined : await store.write(write);
        if (written?.applied === false) {
          found = written.found;
          continue;
        }
        const { attempts, fence, status, error } = record;
        const type = decision === 'parked' && write === undefined ? 'still-parked' : decision;
        emit(identity, { type, attempts, fence, status, error });
        const held = decision === 'granted' || decision === 'taken-over';
        return held ? { ...decided, held: { identity, record, deadline } } : decided;
      }
      throw new Error('the record kept changing');
    } catch (cause) {
      const error = recordedError(cause);
      emit(identity, { type: 'store-unavailable', error });
      throw new StoreUnavailableError(`the claims store failed, and nothing was run for ${id}: ${error.message}`, {
        cause,
      });
    }
  }

  /** Makes one transition of a claim true, whatever happens on the way. @throws the store's error once `until` has come */
  async function change(
    held: Held,
    transition: (found: ClaimRecord | undefined) => Transition,
    until: number,
  ): Promise<'applied' | 'stale'> {
    let seen: ClaimRecord | undefined = held.record;
    for (let round = 0; ; round++) {
      const next = transition(seen);
      if (next === 'applied' && seen !== undefined) held.record = seen;
      if (typeof next === 'string') return next;
      try {
        const written = await store.write({ next, seen });
        if (written.applied) {
          held.record = next;
          return 'applied';
        }
        seen = written.found;
      } catch (error) {
        const waitMs = Math.min(2000, 50 * 2 ** round) * (0.5 + host.random());
        if (host.now() + waitMs >= until) throw error;
        await sleep(host, waitMs);
      }
    }
  }

  /** Records an outcome, as long as there is time. Never throws. */
  async function record(held: Held, outcome: Outcome): Promise<Recorded> {
    const { claimId, attempts, fence, leaseUntil } = held.record;
    const { status } = outcome;
    const error = 'error' in outcome ? outcome.error : undefined;
    const facts = { attempts, fence, status, error };
    try {
      const until = held.deadline ?? Math.max(leaseUntil, host.now() + settings.marginMs);
      const changed = await change(held, (found) => settle(claimId, found, outcome, rules, host.now()), until);
      if (changed === 'stale') emit(held.identity, { ...facts, type: 'stale-claim' });
      else emit(held.identity, { ...facts, type: status });
      return changed === 'stale' ? changed : status;
    } catch (failure) {
      const type = status === 'completed' ? 'completion-lost' : 'outcome-lost';
      emit(held.identity, { ...facts, type, error: recordedError(failure) });
      return 'lost';
    }
  }

  /** Records that the effect happened. Whatever comes of the writing, it did. */
  async function succeed(held: Held, value: unknown): Promise<Recorded> {
    const outcome = completion(value, settings.maxResultBytes, settings.recordResult);
    const { resultOmitted } = outcome;
    if (resultOmitted !== undefined && resultOmitted !== 'by-choice') {
      emit(held.identity, { type: 'result-not-recorded', reason: resultOmitted });
    }
    return record(held, outcome);
  }

  /** Records that a handler threw, by what its error and its phase say about the effect. */
  async function fail(held: Held, thrown: unknown, phase: Phase): Promise<Recorded> {
    const error = recordedError(thrown);
    if (phase === 'after') {
      emit(held.identity, { type: 'failed-after-effect', error });
      return succeed(held, undefined);
    }
    const known = errorKind(thrown) ?? classified(thrown);
    if (known === 'rejected') return record(held, { status: 'rejected', error });
    const unknown = known !== 'retryable' && phase !== 'before';
    if (unknown && rules.onAbandoned === 'park') return record(held, { status: 'parked', error });
    return record(held, { status: 'released', error, unknown });
  }

  function classified(thrown: unknown) {
    try {
      return settings.classify(thrown);
    } catch {
      // A classifier that fails has not said anything about the effect.
      return undefined;
    }
  }

  /** Extends the lease. Answers whether the claim is still ours. @throws the store's error */
  async function extend(held: Held): Promise<boolean> {
    const { claimId, attempts, fence, status } = held.record;
    const changed = await change(held, (found) => renew(claimId, found, leaseEnd(held.deadline)), 0);
    if (changed === 'stale') emit(held.identity, { type: 'stale-claim', attempts, fence, status });
    return changed === 'applied';
  }

  return { settings, acquire, succeed, fail, extend, emit };
}
