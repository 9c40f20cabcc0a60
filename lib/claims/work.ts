import { LeaseError } from '../kernel/errors.ts';
import { type Host, whenOver } from '../kernel/host.ts';

/** An error in a box: what was thrown may be `undefined`, `null` or `''`, and is an error all the same. */
export interface Thrown {
  readonly error: unknown;
}

/** What the work beside a handler had come to when nothing of it could start any more. */
export interface Rested {
  /** What was left in doubt, at any time. */
  readonly inDoubt: readonly Thrown[];
  /** What failed since the handler ended, and what could not start. */
  readonly late: readonly Thrown[];
}

/** What a handler has under way besides itself: its effect and its steps, also those that it does not wait for. */
export interface Work {
  /** Whether nothing may start any more, because how the handler ended is about to be recorded. */
  readonly stopped: boolean;
  /** What was left in doubt until now. */
  readonly inDoubt: readonly Thrown[];
  /** Waits for this as well, before the outcome is recorded. Its error ends no process, whether or not the author handles it. */
  follow<T>(started: Promise<T>): Promise<T>;
  /** A step was left in doubt. The claim cannot complete with that, even if the handler catches the error, or never waits for it. */
  leaveInDoubt(error: unknown): void;
  /** The effect or a step could not start. The claim cannot complete without it, even if the handler catches the error, or never waits for it. */
  leaveUnstarted(error: unknown): void;
  /** The handler has ended. After a throw nothing of it may start: it would run under a claim that is released or rejected. */
  end(how: 'returned' | 'threw'): void;
  /**
   * Waits for what is under way, but not for ever: an effect that never settles must not keep its own outcome from being
   * recorded. Nothing starts after it.
   *
   * @param remainingMs until the outcome has to be recorded; a renewal may move that
   */
  rest(host: Host, remainingMs: () => number): Promise<Rested>;
}

/**
 * How many microtasks what has ended may take to begin the next: some for each `await` and `then` between the two. What waits for a timer or a request in
 * between has to be awaited by its handler.
 */
const mostHops = 30;

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
    get inDoubt() {
      return inDoubt;
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
    leaveUnstarted(error) {
      late.push({ error });
    },
    end(how) {
      ended = true;
      stopped = how === 'threw';
    },
    async rest(host, remainingMs) {
      while (underWay.size > 0) {
        await settledWithin(host, remainingMs(), underWay);
        // What has ended may be about to begin the next: `step(a).then(() => commit(b))`, which the handler does not await.
        for (let hop = 0; hop < mostHops && underWay.size === 0; hop++) await undefined;
        if (underWay.size > 0 && remainingMs() <= 0) {
          late.push({
            error: new LeaseError('an effect or a step of the handler had not ended when the time was over'),
          });
          break;
        }
      }
      stopped = true;
      return { inDoubt, late };
    },
  };
}

async function settledWithin(host: Host, ms: number, promises: Iterable<Promise<unknown>>): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const cancel = whenOver(host, ms, resolve);
  await Promise.race([Promise.allSettled(promises), over]);
  cancel();
}
