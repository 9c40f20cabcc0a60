import type { Host } from '../kernel/host.ts';

/** How much faster the pace is after each part that was taken: until it has first met its limit, and from then on. */
const growth = { seeking: 0.25, found: 0.01 };
/** How much faster it is after a second in which nothing was refused: who is slow hears little, and would stay behind the others. */
const growthASecond = 0.1;
/** How much of the pace is left after a request of which a part was refused. */
const backOff = { seeking: 0.5, found: 0.8 };
/** So many milliseconds' worth of parts share a request. */
const sharedMs = 100;
/** What a database that has refused all of a request is asked for in a second; and the least that it is asked for. */
const leastPerSecond = { first: 1, ever: 0.25 };
/** At so many parts a second, the database has recovered. */
const freePerSecond = 500;

/**
 * How fast parts are sent to a database that throttles: as fast as it takes them, and with few in vain. Without throttling, nothing waits.
 *
 * The pace begins with what was taken of the first request that was refused in part, grows by every part that is taken and with the time, and shrinks by
 * every request of which a part is refused. All are in proportion to the pace, so that the share of what is refused hardly depends on how many workers there are. Workers
 * that were refused together do not come back together: each pause is drawn.
 */
export class Pace {
  readonly #host: Pick<Host, 'now' | 'random'>;
  #perSecond: number | undefined;
  #phase: keyof typeof growth = 'seeking';
  /** When the next request may be sent, and when the pace was last changed; in epoch milliseconds. */
  #nextAt = 0;
  #raisedAt = 0;
  /** Counts the times that the pace was lowered: what was sent before says nothing of the pace that is now. */
  #lowered = 0;

  constructor(host: Pick<Host, 'now' | 'random'>) {
    this.#host = host;
  }

  /** Whether the database has refused something lately. */
  get isLimited(): boolean {
    return this.#perSecond !== undefined;
  }

  /** How many parts may share the next request. */
  get most(): number {
    return this.#perSecond === undefined
      ? Number.POSITIVE_INFINITY
      : Math.max(1, Math.floor((this.#perSecond * sharedMs) / 1000));
  }

  /** In how many milliseconds the next request may be sent. */
  get waitMs(): number {
    return this.#perSecond === undefined ? 0 : Math.max(0, this.#nextAt - this.#host.now());
  }

  /** So many parts are sent. @returns what is to be called with what came of them: how many were taken, and how many refused */
  send(parts: number): (taken: number, throttled: number) => void {
    if (this.#perSecond !== undefined) {
      const pauseMs = (parts / this.#perSecond) * 1000 * (0.5 + this.#host.random());
      this.#nextAt = Math.max(this.#host.now(), this.#nextAt) + pauseMs;
    }
    const lowered = this.#lowered;
    return (taken, throttled) => {
      if (throttled === 0) this.#raise(taken);
      else if (lowered === this.#lowered) this.#lower(taken);
    };
  }

  #raise(taken: number): void {
    if (this.#perSecond === undefined) return;
    const now = this.#host.now();
    // No more than a second counts: a sandbox that was frozen has learnt nothing meanwhile.
    const seconds = Math.min(1, (now - this.#raisedAt) / 1000);
    this.#perSecond *= (1 + growth[this.#phase]) ** taken * (1 + growthASecond) ** seconds;
    this.#raisedAt = now;
    if (this.#perSecond < freePerSecond) return;
    this.#perSecond = undefined;
    this.#phase = 'seeking';
  }

  #lower(taken: number): void {
    this.#lowered++;
    this.#raisedAt = this.#host.now();
    if (this.#perSecond === undefined) {
      this.#perSecond = Math.max(leastPerSecond.first, taken);
      this.#nextAt = this.#host.now() + (1000 / this.#perSecond) * (0.5 + this.#host.random());
      return;
    }
    this.#perSecond = Math.max(leastPerSecond.ever, this.#perSecond * backOff[this.#phase]);
    this.#phase = 'found';
  }
}
