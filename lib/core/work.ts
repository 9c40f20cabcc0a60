import type { Claim } from './claim.ts';
import { LeaseError } from './errors.ts';

/** An error in a box: what was thrown may be `undefined`, `null` or `''`, and is an error all the same. */
export interface Thrown {
  readonly error: unknown;
}

/** What a handler has under way besides itself: its effect and its steps, also those that it does not wait for. */
export interface Work {
  /** Whether nothing may start any more, because how the handler ended is about to be recorded. */
  readonly stopped: boolean;
  /** Whether the handler has ended. */
  readonly ended: boolean;
  /** Waits for this as well, before the outcome is recorded. Its error ends no process, whether or not the author handles it. */
  follow<T>(started: Promise<T>): Promise<T>;
  /** A step was left in doubt. The claim cannot complete with that, even if the handler catches the error, or never waits for it. */
  leaveInDoubt(error: unknown): void;
  /** The handler has ended. After a throw nothing of it may start: it would run under a claim that is released or rejected. */
  end(how: 'returned' | 'threw'): void;
  /**
   * Waits for what is under way, but not longer than the lease: an effect that never settles must not keep its own outcome from being
   * recorded. Nothing starts after it.
   *
   * @returns what was left in doubt, and what failed since the handler ended
   */
  rest(claim: Pick<Claim, 'signal' | 'remainingMs'>): Promise<readonly Thrown[]>;
}

export function createWork(): Work {
  const underWay = new Set<Promise<unknown>>();
  const late: Thrown[] = [];
  const inDoubt: Thrown[] = [];
  let ended = false;
  let stopped = false;

  return {
    get stopped() {
      return stopped;
    },
    get ended() {
      return ended;
    },
    follow(started) {
      underWay.add(started);
      started.then(
        () => underWay.delete(started),
        (error) => {
          underWay.delete(started);
          if (ended) late.push({ error });
        },
      );
      return started;
    },
    leaveInDoubt(error) {
      inDoubt.push({ error });
    },
    end(how) {
      ended = true;
      stopped = how === 'threw';
    },
    async rest(claim) {
      // One that has ended may have begun the next: `step(a).then(() => step(b))`, which nobody waits for.
      while (underWay.size > 0) {
        const over = claim.remainingMs() <= 0 || (await settledBefore(claim.signal, underWay));
        if (over) {
          late.push({
            error: new LeaseError('an effect or a step of the handler had not ended when the time was over'),
          });
          break;
        }
      }
      stopped = true;
      return [...inDoubt, ...late];
    },
  };
}

/** @returns whether the signal was aborted first */
async function settledBefore(signal: AbortSignal, promises: Iterable<Promise<unknown>>): Promise<boolean> {
  const { promise: aborted, resolve } = Promise.withResolvers<boolean>();
  const abort = () => resolve(true);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  const over = await Promise.race([Promise.allSettled(promises).then(() => false), aborted]);
  signal.removeEventListener('abort', abort);
  return over;
}
