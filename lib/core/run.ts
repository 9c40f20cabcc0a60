import type { Claims, Held, Phase, Recorded } from './claims.ts';
import { LeaseError } from './errors.ts';
import { recordedError } from './record.ts';

/** What a handler knows about the claim it runs under. */
export interface Claim {
  readonly operation: string;
  readonly key: string;
  /** Hand this to the provider as ITS idempotency key: it is the same on every attempt. Header-safe, at most 255 characters. */
  readonly effectKey: string;
  /** 1 on the first attempt. */
  readonly attempt: number;
  /** Grows with every grant; for conditions of your own: "only if my fence is not older than the one that is there". */
  readonly fence: number;
  /** Aborted when the lease or the invocation is about to end, or when the claim turns out to be somebody else's. */
  readonly signal: AbortSignal;
  /** Milliseconds until `signal` is aborted. */
  remainingMs(): number;
  /**
   * Marks the one effect of the handler, so that an error before it is known to have applied nothing, and an error after
   * it cannot repeat it.
   *
   * @throws LeaseError when too little time is left to start it
   * @example
   * const order = await loadOrder(body.orderId);
   * await claim.effect(() => mailer.send(order));
   * await metrics.flush(); // may fail: the mail is not sent again
   */
  effect<T>(start: () => Promise<T> | T): Promise<T>;
}

export interface Ran<R> {
  /** `not-started`: too little time was left, and the claim was given back before anything began. */
  readonly ran: 'returned' | 'threw' | 'not-started';
  readonly value?: R;
  readonly error?: unknown;
  /** The effect is known to have happened, whether or not that could be recorded. */
  readonly applied: boolean;
  readonly recorded: Recorded;
}

/** Runs a handler under a claim and records how it ended. Never throws: what the handler threw is in the answer. */
export async function run<R>(claims: Claims, held: Held, handler: (claim: Claim) => Promise<R> | R): Promise<Ran<R>> {
  const { operation, host, timeoutMs, marksEffect } = claims.settings;
  const { key, effectKey } = held.identity;
  // A sandbox may have been frozen between the claim and this line: the lease is looked at once more before an effect.
  const remainingMs = usableMs(claims, held);
  if (remainingMs <= timeoutMs) {
    claims.emit(held.identity, { type: 'not-started', remainingMs });
    const error = tooLate(remainingMs);
    return { ran: 'not-started', error, applied: false, recorded: await claims.fail(held, error, 'before') };
  }

  const lease = watchLease(claims, held, timeoutMs > 0 ? host.now() + timeoutMs : Infinity);
  let phase = (marksEffect ? 'before' : 'unmarked') as Phase;
  let running: Promise<unknown> | undefined;
  let pending = false;

  const claim: Claim = {
    operation,
    key,
    effectKey,
    attempt: held.record.attempts,
    fence: held.record.fence,
    get signal() {
      return lease.signal();
    },
    remainingMs: lease.remainingMs,
    async effect(start) {
      if (running !== undefined)
        throw new Error('claim.effect was called twice; give each effect an operation of its own');
      const left = lease.remainingMs();
      if (left <= 0) throw tooLate(left);
      phase = 'during';
      pending = true;
      const effect = (async () => start())();
      running = effect;
      try {
        const value = await effect;
        phase = 'after';
        return value;
      } finally {
        pending = false;
      }
    },
  };

  try {
    const value = await handler(claim);
    // An effect that the handler started and did not wait for would go on in a frozen sandbox, after its lease.
    if (pending) await running;
    await lease.stop();
    return { ran: 'returned', value, applied: true, recorded: await claims.succeed(held, value) };
  } catch (error) {
    await Promise.allSettled([running]);
    await lease.stop();
    return { ran: 'threw', error, applied: phase === 'after', recorded: await claims.fail(held, error, phase) };
  }
}

/** Milliseconds in which an effect may still be started and its outcome recorded. */
export function usableMs({ settings }: Claims, held: Held): number {
  return held.record.leaseUntil - settings.marginMs - settings.host.now();
}

function tooLate(remainingMs: number): LeaseError {
  return new LeaseError(
    `nothing was started: of the lease, ${Math.max(0, remainingMs)} ms are left. Is the function's timeout long enough for its batches?`,
  );
}

/**
 * Watches over a lease while a handler runs: renews it where it is shorter than the invocation, and aborts the signal
 * before it ends. All of it ends with the handler; a heartbeat that outlived it would hold the claim of a dead run.
 */
function watchLease(claims: Claims, held: Held, latest: number) {
  const { host, leaseMs, marginMs } = claims.settings;
  const controller = new AbortController();
  let cancelAbort: (() => void) | undefined;
  let cancelBeat: (() => void) | undefined;
  let beating: Promise<void> | undefined;

  const end = () => Math.min(latest, held.record.leaseUntil - marginMs);
  const remainingMs = () => (controller.signal.aborted ? 0 : Math.max(0, end() - host.now()));
  const abort = (why: string) => controller.abort(new LeaseError(why));

  function armAbort(): void {
    cancelAbort = host.after(remainingMs(), () => {
      // A renewal may have moved the end meanwhile.
      if (remainingMs() > 0) armAbort();
      else abort('the time for this effect is over; it may have been applied');
    });
  }

  async function beat(): Promise<void> {
    try {
      if (!(await claims.extend(held))) return abort('another worker has taken the claim over');
    } catch (error) {
      // One missed beat is no loss: the lease still runs, and the next beat comes before its end.
      claims.emit(held.identity, { type: 'store-unavailable', error: recordedError(error) });
    }
    armBeat();
  }

  function armBeat(): void {
    const beatMs = (held.record.leaseUntil - host.now()) / 3;
    cancelBeat = host.after(beatMs, () => {
      beating = beat();
    });
  }
  // A lease that lasts as long as the invocation cannot be renewed, and need not be.
  if (leaseMs !== undefined || held.deadline === undefined) armBeat();

  return {
    remainingMs,
    signal(): AbortSignal {
      if (cancelAbort === undefined) armAbort();
      return controller.signal;
    },
    async stop(): Promise<void> {
      cancelAbort?.();
      cancelBeat?.();
      await beating;
      // A beat that was under way may have armed the next one.
      cancelBeat?.();
    },
  };
}
