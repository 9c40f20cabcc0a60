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

export type Ran<R> =
  | { readonly ran: 'returned'; readonly value: R; readonly recorded: Recorded }
  /** `applied`: the error came after the marked effect, which has happened. */
  | { readonly ran: 'threw'; readonly error: unknown; readonly applied: boolean; readonly recorded: Recorded }
  /** Too little time was left: the claim was given back before anything began. */
  | { readonly ran: 'not-started'; readonly error: LeaseError; readonly recorded: Recorded };

/** Runs a handler under a claim and records how it ended. Never throws: what the handler threw is in the answer. */
export async function run<R>(claims: Claims, held: Held, handler: (claim: Claim) => Promise<R> | R): Promise<Ran<R>> {
  const { settings } = claims;
  const { host } = settings;
  // A sandbox may have been frozen between the claim and this line: the lease is looked at once more before an effect.
  const remaining = usableMs(claims, held);
  if (remaining <= settings.timeoutMs) {
    claims.emit(held.identity, { type: 'not-started', remainingMs: remaining });
    const error = tooLate(remaining, settings.timeoutMs);
    return { ran: 'not-started', error, recorded: await claims.fail(held, error, 'before') };
  }

  const watch = watchLease(claims, held, host.now() + (settings.timeoutMs || Infinity));
  let phase: Phase = settings.marksEffect ? 'before' : 'unmarked';
  let running: Promise<unknown> | undefined;
  let pending = false;

  const claim: Claim = {
    operation: settings.operation,
    key: held.identity.key,
    effectKey: held.identity.effectKey,
    attempt: held.record.attempts,
    fence: held.record.fence,
    get signal() {
      return watch.signal();
    },
    remainingMs: () => watch.remainingMs(),
    async effect(start) {
      if (running !== undefined) {
        throw new Error('claim.effect was called twice: a claim has one effect. Give each effect an operation of its own');
      }
      const left = Math.min(usableMs(claims, held), watch.remainingMs());
      if (left <= 0 || watch.lost()) throw tooLate(left, 0);
      phase = 'during';
      const effect = (async () => start())();
      running = effect;
      pending = true;
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
    await watch.stop();
    return { ran: 'returned', value, recorded: await claims.succeed(held, value) };
  } catch (error) {
    await Promise.allSettled([running]);
    await watch.stop();
    const applied = (phase as Phase) === 'after';
    return { ran: 'threw', error, applied, recorded: await claims.fail(held, error, phase) };
  }
}

/** Milliseconds in which an effect may still be started and its outcome recorded. */
export function usableMs(claims: Claims, held: Held): number {
  return held.record.leaseUntil - claims.settings.marginMs - claims.settings.host.now();
}

function tooLate(remaining: number, needed: number): LeaseError {
  return new LeaseError(
    `${Math.max(0, remaining)} ms of the lease are left and more than ${needed} ms are needed; nothing was started. ` +
      'The message stays on its queue. Give the function a longer timeout or smaller batches if this happens often',
  );
}

/**
 * Watches over a lease while a handler runs: renews it where it is shorter than the invocation, and aborts the signal
 * before it ends. All of it ends with the handler; a heartbeat that outlived it would hold the claim of a dead run.
 */
function watchLease(claims: Claims, held: Held, latest: number) {
  const { host, leaseMs, marginMs } = claims.settings;
  let controller: AbortController | undefined;
  let reason: LeaseError | undefined;
  let cancelAbort: (() => void) | undefined;
  let cancelBeat: (() => void) | undefined;
  let beating: Promise<void> = Promise.resolve();

  const end = () => Math.min(latest, held.record.leaseUntil - marginMs);

  function abort(error: LeaseError): void {
    reason ??= error;
    controller?.abort(reason);
  }

  function armAbort(): void {
    cancelAbort?.();
    cancelAbort = host.after(Math.max(0, end() - host.now()), () => {
      if (host.now() < end()) armAbort();
      else abort(new LeaseError('the time for this effect is over; whether it was applied is not known yet'));
    });
  }

  const beatMs = held.deadline === undefined || leaseMs !== undefined ? (leaseMs ?? 60_000) / 3 : undefined;
  function armBeat(): void {
    if (beatMs === undefined) return;
    cancelBeat = host.after(beatMs, () => {
      beating = beat();
    });
  }
  async function beat(): Promise<void> {
    try {
      if (!(await claims.extend(held))) {
        abort(new LeaseError('the claim was taken over by another worker; its lease had ended'));
        return;
      }
    } catch (error) {
      // One missed beat is no loss: the lease still runs, and the next beat comes before its end.
      claims.emit(held.identity, { type: 'store-unavailable', error: recordedError(error) });
    }
    armBeat();
  }
  armBeat();

  return {
    lost: () => reason !== undefined,
    remainingMs: () => (reason === undefined ? Math.max(0, end() - host.now()) : 0),
    signal(): AbortSignal {
      if (controller === undefined) {
        controller = new AbortController();
        if (reason === undefined) armAbort();
        else controller.abort(reason);
      }
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
