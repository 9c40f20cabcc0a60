import { errorKind, LeaseError, letFail } from '../kernel/errors.ts';
import { answeredBy, NoAnswerError, sleep } from '../kernel/host.ts';
import type { Identity } from '../kernel/identity.ts';
import { type RecordedError, recordedError } from '../kernel/recorded-error.ts';
import { type Decision, decide } from './decide.ts';
import { type ClaimEvent, type FactsOf, factsOf } from './events.ts';
import type { ChangeOptions, Held, Lease } from './held.ts';
import type { Settings } from './options.ts';
import type { Outcome } from './outcome.ts';
import type { Recorded } from './ran.ts';
import { type Attributes, type ClaimRecord, understood } from './record.ts';
import { completion } from './result.ts';
import { setAside, settle, type Transition } from './settle.ts';
import type { ClaimWrite, WriteResult } from './store.ts';

/** What came of asking for a claim: the decision, in force. Only with `held` may anything run. */
export type Acquired =
  | (Decision & { readonly held?: Held })
  /** The store failed: nothing was granted as far as anybody may act upon. */
  | {
      readonly decision: 'unavailable';
      readonly cause: unknown;
      readonly record?: undefined;
      readonly held?: undefined;
    };

/** How far a handler had come with its effect. `unmarked`: it does not say. */
export type Phase = 'unmarked' | 'before' | 'during' | 'after';

export interface AcquireRequest {
  readonly identity: Identity;
  readonly fingerprint?: string | undefined;
  readonly previousFingerprint?: string | undefined;
  readonly attributes?: Attributes | undefined;
  readonly source?: string | undefined;
  /** The message was delivered before: a record is probably there, and a read is cheaper than a write that fails. */
  readonly redelivered?: boolean | undefined;
  /** When the invocation ends, in epoch milliseconds. */
  readonly deadline?: number | undefined;
  /**
   * If not, what killed a worker is answered with the decision to take it over, and the claim is left as it is.
   * @default true
   */
  readonly mayTakeOver?: boolean | undefined;
}

/** How long one request of a change is waited for before it is sent again; longer than a client with time-outs takes to give up a try. */
export const mostPatienceMs = 5000;

/** Takes over what a record has become. An answer that comes late, of a heartbeat say, must not set it back. */
function moveOn(held: Held, record: ClaimRecord | undefined): void {
  if (record !== undefined && (record.rev ?? 0) >= (held.record.rev ?? 0)) held.record = record;
}

export type Claims<Input> = ReturnType<typeof createClaims<Input>>;

/**
 * The engine that every way into pawl drives: asks for claims and records how they ended.
 * @param fallback the lease of a claim that neither the author nor an invocation gives one
 */
export function createClaims<Input>(settings: Settings<Input>, fallback?: Lease) {
  const { store, host, operation } = settings;

  function emit<T extends ClaimEvent['type']>(identity: Identity | undefined, type: T, facts: FactsOf<T>): void {
    const event = { type, operation, id: identity?.id ?? '', at: host.now(), ...facts } as unknown as ClaimEvent;
    // A listener's failure, sooner or later, must not look like the store's or the handler's: the effect may have happened.
    try {
      letFail(settings.onEvent(event));
    } catch {
      // It has nobody to tell.
    }
  }

  /** The lease that has to be kept while a handler runs; none where the claim lasts as long as the invocation. */
  const leaseOf = (deadline: number | undefined) => settings.lease ?? (deadline === undefined ? fallback : undefined);

  function leaseEnd(deadline?: number): number {
    return Math.min(host.now() + (leaseOf(deadline)?.leaseMs ?? Infinity), deadline ?? Infinity);
  }

  /** Asks for a claim. Nothing may run before this has answered with `held`. Never throws. */
  async function acquire(asked: AcquireRequest): Promise<Acquired> {
    const { identity, fingerprint, previousFingerprint, attributes, source, redelivered, deadline } = asked;
    const { mayTakeOver = true } = asked;
    const { id } = identity;
    const claimId = host.randomId();
    // Not beyond the time in which a handler could still start: a store that hangs must not hang the batch.
    const until = leaseEnd(deadline) - settings.marginMs;
    try {
      let found = redelivered ? understood(await answeredBy(host, until, store.read(id))) : undefined;
      // Each further round means that another worker changed the record between our look and our write.
      for (;;) {
        const leaseUntil = leaseEnd(deadline);
        const request = { id, claimId, fingerprint, previousFingerprint, attributes, source, leaseUntil };
        const decided = decide(found, request, settings, host.now());
        const { decision, record, write } = decided;
        if (!mayTakeOver && decision === 'taken-over') return decided;
        const written = write && (await grantedBy(until, identity, write));
        if (written?.applied !== false) {
          if (decision === 'key-reused')
            emit(identity, decision, { ...factsOf(record), ruleChanged: decided.ruleChanged });
          else emit(identity, decision === 'parked' && !write ? 'still-parked' : decision, factsOf(record));
          if (!('reconcile' in decided)) return decided;
          return { ...decided, held: { identity, record, deadline } };
        }
        found = understood(written.found);
      }
    } catch (cause) {
      emit(identity, 'store-unavailable', { error: recordedError(cause) });
      return { decision: 'unavailable', cause };
    }
  }

  /** Writes a grant. One whose answer comes too late for its handler to start is given back: nothing runs under it, and nothing is in doubt. */
  async function grantedBy(until: number, identity: Identity, write: ClaimWrite): Promise<WriteResult> {
    const written = store.write(write);
    try {
      return await answeredBy(host, until, written);
    } catch (error) {
      // A client that sent it twice, because the first answer was lost, is refused by its own first write.
      const isOurs = (result: WriteResult) => result.applied || result.found?.claimId === write.next.claimId;
      letFail(written.then((result) => (isOurs(result) ? giveBack(identity, write.next) : undefined)));
      throw error;
    }
  }

  async function giveBack(identity: Identity, record: ClaimRecord): Promise<void> {
    if (record.status !== 'in-flight') return;
    const error = { name: 'LeaseError', message: 'the claim was granted too late for anything to start' };
    const released = (found: ClaimRecord | undefined) =>
      settle(record.claimId, found, { status: 'released', error }, settings, host.now());
    const held = { identity, record, deadline: undefined };
    await change(held, released, { until: host.now() + settings.marginMs, retries: false });
  }

  /**
   * Makes one transition of a claim true, whatever happens on the way.
   *
   * @throws the store's error, or that it did not answer, once `until` has come
   */
  async function change(
    held: Held,
    transition: (found: ClaimRecord | undefined) => Transition,
    { until, retries = true, write = (one) => store.write(one) }: ChangeOptions,
  ): Promise<'applied' | 'stale'> {
    let seen: ClaimRecord | undefined = held.record;
    /** What the store said last: worth more to a reader than that it said nothing at the end. */
    let said: unknown;
    for (let round = 0; ; ) {
      const next = transition(seen);
      if (next === 'stale') return next;
      if (next === 'applied') {
        moveOn(held, seen);
        return next;
      }
      try {
        // A request that hangs is given up and sent again. Should both arrive, the revision lets one of them through.
        const patience = Math.min(until, host.now() + mostPatienceMs);
        const written: WriteResult = await answeredBy(host, patience, write({ next, seen }));
        if (written.applied) {
          moveOn(held, next);
          return 'applied';
        }
        seen = understood(written.found);
      } catch (error) {
        const waitMs = Math.min(2000, 50 * 2 ** round++) * (0.5 + host.random());
        if (!(error instanceof NoAnswerError)) said = error;
        if (!retries || host.now() + waitMs >= until) throw said ?? error;
        await sleep(host, waitMs);
      }
    }
  }

  /** Records an outcome, as long as there is time. Never throws. */
  async function record(held: Held, outcome: Outcome): Promise<Recorded> {
    const { identity, deadline } = held;
    const { claimId, leaseUntil } = held.record;
    // Something is left for the answer to Lambda: an invocation that ends without one brings back the whole batch.
    const until = deadline === undefined ? leaseUntil : deadline - settings.marginMs / 4;
    const { status } = outcome;
    const settled = (found: ClaimRecord | undefined) => settle(claimId, found, outcome, settings, host.now());
    try {
      const stale = (await change(held, settled, { until })) === 'stale';
      emit(identity, stale ? 'stale-claim' : status, factsOf(held.record, outcome));
      return stale ? 'stale' : status;
    } catch (failure) {
      const storeError = recordedError(failure);
      const type = status === 'completed' ? 'completion-lost' : 'outcome-lost';
      emit(identity, type, { ...factsOf(held.record, outcome), storeError });
      return 'lost';
    }
  }

  /** Parks a claim that this worker has released, because its message is set aside. @returns whether it is parked */
  async function park(held: Held, error: RecordedError, until: number): Promise<boolean> {
    const { claimId } = held.record;
    try {
      if ((await change(held, (found) => setAside(claimId, found, error), { until })) === 'stale') return false;
    } catch (failure) {
      emit(held.identity, 'store-unavailable', { error: recordedError(failure) });
      return false;
    }
    emit(held.identity, 'parked', factsOf(held.record));
    return true;
  }

  /** Records that the effect happened. Whatever comes of the writing, it did. */
  function succeed(held: Held, value: unknown): Promise<Recorded> {
    const outcome = completion(value, settings.maxResultBytes, settings.recordResult);
    const reason = outcome.resultOmitted;
    if (reason && reason !== 'by-choice') emit(held.identity, 'result-not-recorded', { reason });
    return record(held, outcome);
  }

  /** Records that a handler threw, by what its error and its phase say about the effect. */
  function fail(held: Held, thrown: unknown, phase: Phase): Promise<Recorded> {
    const error = recordedError(thrown);
    if (phase === 'after') {
      emit(held.identity, 'failed-after-effect', { error });
      return succeed(held, undefined);
    }
    const known = kindOf(thrown);
    if (known === 'rejected') return record(held, { status: known, error });
    const unknown = known !== 'retryable' && phase !== 'before';
    const parks = known === 'in-doubt' || (unknown && settings.onAbandoned === 'park');
    return record(held, parks ? { status: 'parked', error } : { status: 'released', error, unknown });
  }

  /** What an error says about the effect, by its own account or by the author's. */
  function kindOf(thrown: unknown) {
    try {
      const said = errorKind(thrown) ?? settings.classify?.(thrown);
      // An async classifier answers a promise, which says nothing in time, and which may fail later: that would end the process.
      letFail(said);
      if (typeof said !== 'string') return undefined;
      // A classifier that rejects what it does not know knows ours as little. Too little time is final for no message: rejected, one
      // that was never started would never run.
      return said === 'rejected' && thrown instanceof LeaseError ? undefined : said;
    } catch {
      // A classifier that fails has not said anything.
      return undefined;
    }
  }

  return { settings, leaseOf, leaseEnd, acquire, change, record, park, succeed, fail, kindOf, emit };
}
