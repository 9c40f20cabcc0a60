import { type ClaimRequest, decide } from './decide.ts';
import { errorKind, StoreUnavailableError } from './errors.ts';
import type { ClaimFact } from './events.ts';
import { sleep } from './host.ts';
import type { Identity } from './identity.ts';
import type { Settings } from './options.ts';
import { type ClaimRecord, type RecordedError, recordedError } from './record.ts';
import { encodeResult } from './result.ts';
import { type Outcome, renew, settle } from './settle.ts';

/** A claim that this worker holds. */
export interface Held {
  readonly identity: Identity;
  /** As it was granted; `leaseUntil` moves on with every renewal. */
  record: ClaimRecord;
  /** When the invocation ends, in epoch milliseconds; `undefined` where nothing ends it. */
  readonly deadline: number | undefined;
}

/** What came of asking for a claim. Only `granted` may run. */
export type Acquired =
  | { readonly outcome: 'granted'; readonly held: Held }
  | { readonly outcome: 'replayed'; readonly record: ClaimRecord }
  | { readonly outcome: 'in-flight'; readonly retryAfterMs: number }
  | { readonly outcome: 'parked'; readonly error: RecordedError | undefined }
  | { readonly outcome: 'key-reused' };

/** How a run was recorded. `stale` and `lost` are outcomes that are known here and could not be written there. */
export type Recorded = 'completed' | 'released' | 'rejected' | 'parked' | 'stale' | 'lost';

/** How far a handler had come with its effect. `unmarked`: it does not say. */
export type Phase = 'unmarked' | 'before' | 'during' | 'after';

export interface AcquireRequest {
  readonly identity: Identity;
  readonly fingerprint?: string;
  /** The message was delivered before: a record is probably there, and a read is cheaper than a write that fails. */
  readonly redelivered?: boolean;
  /** When the invocation ends, in epoch milliseconds. */
  readonly deadline?: number | undefined;
}

export type Claims = ReturnType<typeof createClaims>;

const leaseWithoutInvocationMs = 60_000;
/** Each round means that another worker changed the record between our look and our write. */
const mostRounds = 16;

/** The engine that every way into pawl drives: asks for claims and records how they ended. */
export function createClaims(settings: Settings) {
  const { store, rules, host, operation } = settings;

  function emit(identity: Pick<Identity, 'id'>, fact: ClaimFact): void {
    try {
      settings.onEvent({ ...fact, operation, id: identity.id, at: host.now() });
    } catch {
      // A listener's failure must not look like the store's or the handler's: the effect may have happened already.
    }
  }

  function leaseEnd(now: number, deadline: number | undefined): number {
    if (deadline === undefined) return now + (settings.leaseMs ?? leaseWithoutInvocationMs);
    return settings.leaseMs === undefined ? deadline : Math.min(now + settings.leaseMs, deadline);
  }

  /**
   * Asks for a claim. Nothing may run before this has answered `granted`.
   * @throws StoreUnavailableError when the store failed: nothing was granted as far as anybody may act upon
   */
  async function acquire({ identity, fingerprint, redelivered, deadline }: AcquireRequest): Promise<Acquired> {
    const claimId = host.randomId();
    try {
      let found = redelivered ? await store.read(identity.id) : undefined;
      for (let round = 0; round < mostRounds; round++) {
        const now = host.now();
        const request: ClaimRequest = {
          id: identity.id,
          claimId,
          leaseUntil: leaseEnd(now, deadline),
          ...(fingerprint !== undefined && { fingerprint }),
        };
        const decision = decide(found, request, rules, now);
        if ('write' in decision) {
          const written = await store.write(decision.write);
          if (!written.applied) {
            found = written.found;
            continue;
          }
        }
        switch (decision.decision) {
          case 'grant':
          case 'own':
          case 'take-over': {
            const record = 'write' in decision ? decision.write.next : decision.record;
            const { attempts: attempt, fence, abandoned } = record;
            if (decision.decision === 'take-over') emit(identity, { type: 'taken-over', attempt, fence, abandoned });
            else emit(identity, { type: 'granted', attempt, fence });
            return { outcome: 'granted', held: { identity, record, deadline } };
          }
          case 'park': {
            const error = decision.write.next.error ?? { name: decision.reason, message: '' };
            emit(identity, { type: 'parked', error });
            return { outcome: 'parked', error };
          }
          case 'parked':
            emit(identity, { type: 'still-parked', error: decision.record.error });
            return { outcome: 'parked', error: decision.record.error };
          case 'replay':
            emit(identity, { type: 'replayed', status: decision.record.status === 'rejected' ? 'rejected' : 'completed' });
            return { outcome: 'replayed', record: decision.record };
          case 'in-flight':
            emit(identity, { type: 'in-flight', retryAfterMs: decision.retryAfterMs });
            return { outcome: 'in-flight', retryAfterMs: decision.retryAfterMs };
          case 'key-reused':
            emit(identity, { type: 'key-reused' });
            return { outcome: 'key-reused' };
        }
      }
      throw new Error(`the record changed ${mostRounds} times while it was being claimed`);
    } catch (cause) {
      emit(identity, { type: 'store-unavailable', error: recordedError(cause) });
      throw new StoreUnavailableError(
        `no claim on ${identity.id}: the claims store failed (${recordedError(cause).message}). Nothing was run`,
        { cause },
      );
    }
  }

  /** Writes an outcome, again and again until the time is up. Never throws. */
  async function record(held: Held, outcome: Outcome): Promise<Recorded> {
    let found: ClaimRecord | undefined = held.record;
    let failure: unknown = new Error(`the record changed ${mostRounds} times while its outcome was being recorded`);
    const until = held.deadline ?? Math.max(held.record.leaseUntil, host.now() + settings.marginMs);
    for (let round = 0; round < mostRounds; round++) {
      const now = host.now();
      const settlement = settle(held.record, found, outcome, rules, now);
      if (settlement.settlement === 'applied') return outcome.outcome;
      if (settlement.settlement === 'stale') {
        emit(held.identity, { type: 'stale-claim', outcome: outcome.outcome, fence: held.record.fence });
        return 'stale';
      }
      try {
        const written = await store.write(settlement.write);
        if (written.applied) return outcome.outcome;
        found = written.found;
      } catch (error) {
        failure = error;
        const wait = Math.min(2000, 50 * 2 ** round) * (0.5 + host.random());
        if (host.now() + wait >= until) break;
        await sleep(host, wait);
      }
    }
    const error = recordedError(failure);
    if (outcome.outcome === 'completed') emit(held.identity, { type: 'completion-lost', error });
    else emit(held.identity, { type: 'outcome-lost', outcome: outcome.outcome, error });
    return 'lost';
  }

  /** Records that the effect happened. Whatever comes of the writing, it did. */
  async function succeed(held: Held, value: unknown): Promise<Recorded> {
    const encoded = encodeResult(value, { record: settings.recordResult, maxBytes: settings.maxResultBytes });
    const recorded = await record(held, { outcome: 'completed', ...encoded });
    if (recorded !== 'completed') return recorded;
    const { attempts: attempt, fence } = held.record;
    emit(held.identity, { type: 'completed', attempt, fence });
    if ('resultOmitted' in encoded && encoded.resultOmitted !== 'by-choice') {
      emit(held.identity, { type: 'result-not-recorded', reason: encoded.resultOmitted });
    }
    return recorded;
  }

  /** Records that a handler threw, by what its error and its phase say about the effect. */
  async function fail(held: Held, thrown: unknown, phase: Phase): Promise<Recorded> {
    const error = recordedError(thrown);
    if (phase === 'after') {
      emit(held.identity, { type: 'failed-after-effect', error });
      return succeed(held, undefined);
    }
    const outcome = outcomeOf(thrown, error, phase);
    const recorded = await record(held, outcome);
    if (recorded !== outcome.outcome) return recorded;
    if (outcome.outcome === 'released') emit(held.identity, { type: 'released', error, unknown: outcome.unknown });
    if (outcome.outcome === 'rejected') emit(held.identity, { type: 'rejected', error });
    if (outcome.outcome === 'parked') {
      emit(held.identity, { type: 'parked', error: { name: outcome.reason, message: outcome.message } });
    }
    return recorded;
  }

  function outcomeOf(thrown: unknown, error: RecordedError, phase: Phase): Outcome {
    const known = errorKind(thrown) ?? classified(thrown);
    if (known === 'rejected') return { outcome: 'rejected', error };
    if (known === 'retryable' || phase === 'before') return { outcome: 'released', error, unknown: false };
    if (rules.onAbandoned === 'park') {
      return { outcome: 'parked', reason: 'outcome-unknown', message: `${error.name}: ${error.message}` };
    }
    return { outcome: 'released', error, unknown: true };
  }

  function classified(thrown: unknown) {
    try {
      const kind = settings.classify(thrown);
      return kind === 'unknown' ? undefined : kind;
    } catch {
      // A classifier that fails has not said anything about the effect.
      return undefined;
    }
  }

  /** Extends the lease. Answers whether the claim is still ours. @throws the store's error */
  async function extend(held: Held): Promise<boolean> {
    let found: ClaimRecord | undefined = held.record;
    for (let round = 0; round < mostRounds; round++) {
      const leaseUntil = leaseEnd(host.now(), held.deadline);
      const settlement = renew(held.record, found, leaseUntil);
      if (settlement.settlement === 'stale') {
        emit(held.identity, { type: 'stale-claim', outcome: 'renew', fence: held.record.fence });
        return false;
      }
      if (settlement.settlement === 'write') {
        const written = await store.write(settlement.write);
        if (!written.applied) {
          found = written.found;
          continue;
        }
        held.record = { ...held.record, leaseUntil };
      }
      return true;
    }
    return false;
  }

  return { settings, acquire, succeed, fail, extend, emit };
}
