import { LeaseError } from '../kernel/errors.ts';
import { whenLeaseEnds } from '../kernel/heartbeat.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import { checkpointsOf } from '../rules/checkpoints.ts';
import { type Grant, startsUntil } from '../rules/grant.ts';
import type { ClaimRecord } from '../rules/record.ts';
import { renew } from '../rules/settle.ts';
import type { Claim } from './claim.ts';
import { attachInternals, internalsOf } from './claim-internals.ts';
import { changeClaim, type Engine, emit, leaseEnd, leaseOf } from './engine.ts';
import { factsOf } from './events.ts';
import { Work } from './work.ts';

/** The claim as its handler sees it, but for its effect, and how to end it. */
export interface OpenClaim {
  readonly claim: Omit<Claim, 'effect'>;
  /**
   * Ends the heartbeat and the watch over the lease.
   *
   * @param isLeftInFlight the handler may still be at work, and nothing of it is recorded: where it outlives its invocation, the lease is kept for it
   */
  readonly stop: (isLeftInFlight?: boolean) => void;
}

/**
 * Opens a claim for its handler. Its lease is kept, and its signal aborted in time, until `stop`.
 *
 * @param latest when the handler has to end, whatever its lease, in epoch milliseconds
 */
export function openClaim(engine: Engine, grant: Grant, latest: number, work: Work = new Work()): OpenClaim {
  const { operation } = engine.settings;
  const { key, effectKey } = grant.identity;
  const { attempts: attempt, fence } = grant.record;
  const time = new ClaimTime(engine, grant, latest);
  const claim = { operation, key, effectKey, attempt, fence, remainingMs: () => time.remainingMs() };
  const steps = { found: checkpointsOf(grant.record), names: [], last: noStepYet };
  attachInternals(claim, { engine, grant, work, steps, signal: () => time.signal() });
  Object.defineProperty(claim, 'signal', signalOfClaim);
  const stopBeating = keepLease(engine, grant, () => time.end('another worker has taken the claim over'));

  function stop(isLeftInFlight = false): void {
    time.stop();
    // A sandbox that is frozen renews nothing, and must not begin to when it thaws.
    if (!isLeftInFlight || grant.keptUntil === undefined) stopBeating?.();
  }

  return { claim: claim as Omit<Claim, 'effect'>, stop };
}

/** What the first step of a handler waits for: the same for all claims, most of which have no steps. */
const noStepYet: Promise<unknown> = Promise.resolve();

/** One function for all claims: to an object with a getter of its own, V8 gives a hidden class of its own, and each of them lives long. */
const signalOfClaim: PropertyDescriptor = {
  enumerable: true,
  get(this: object) {
    return internalsOf(this, 'signal').signal();
  },
};

/** How long a claim may still be used: until its lease, its invocation or its handler's time ends, or another worker has it. */
class ClaimTime {
  readonly #engine: Engine;
  readonly #grant: Grant;
  readonly #latest: number;
  #ended: LeaseError | undefined;
  #controller: AbortController | undefined;
  #stopWatching: (() => void) | undefined;

  constructor(engine: Engine, grant: Grant, latest: number) {
    this.#engine = engine;
    this.#grant = grant;
    this.#latest = latest;
  }

  remainingMs(): number {
    if (this.#ended !== undefined) return 0;
    const { host, marginMs } = this.#engine.settings;
    return Math.max(0, Math.min(this.#latest, startsUntil(this.#grant) - marginMs) - host.now());
  }

  end(why: string): void {
    this.#ended ??= new LeaseError(why);
    this.#controller?.abort(this.#ended);
  }

  signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#ended !== undefined) this.#controller.abort(this.#ended);
      else this.#watch();
    }
    return this.#controller.signal;
  }

  stop(): void {
    this.#stopWatching?.();
  }

  #watch(): void {
    const over = () => this.end('the time is over; the effect may have been applied');
    this.#stopWatching = whenLeaseEnds(this.#engine.settings.host, () => this.remainingMs(), over);
  }
}

/**
 * Renews the lease of a claim at every third of it, where it has one: shorter than the invocation, or beyond its end.
 *
 * @returns what ends that, if anything is to be renewed
 */
export function keepLease(engine: Engine, grant: Grant, onLost = () => {}): (() => void) | undefined {
  const { settings } = engine;
  const { identity, keptUntil = Infinity } = grant;
  const { claimId } = grant.record;
  const extended = (found: ClaimRecord | undefined, now: number) =>
    renew(claimId, found, leaseEnd(engine, grant, now), settings);
  const stop = leaseOf(engine, grant)?.keep(settings.host, {
    async beat(until) {
      const changed = await changeClaim(engine, grant, extended, { until, tries: 1 });
      // Kept no longer: from its end on, the claim of a handler that still runs is in doubt.
      if (grant.record.leaseUntil >= keptUntil) stop?.();
      return changed;
    },
    onMissed: (error) => emit(engine, identity, { type: 'store-unavailable', error: recordedError(error) }),
    onLost() {
      emit(engine, identity, { type: 'stale-claim', ...factsOf(grant.record) });
      onLost();
    },
  });
  return stop;
}
