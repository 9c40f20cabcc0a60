import type { Host } from '../kernel/host.ts';

/** The share of parts that may be refused before anything slows down: by chance, or because many of them are for one hot key. */
const toleratedShare = 0.15;
/** How much each part weighs in the share that was refused lately. */
const weight = 1 / 48;
/** How much each part that is taken adds. As a share of the pace: while nothing is refused, and while little is. Else in parts a second. */
const growth = { seeking: 0.25, calm: 0.05, step: 0.1 };
/** How much of the pace each part that is refused leaves, and the parts of one request together. */
const kept = { perPart: 0.7, perRequest: 0.5 };
/** Parts a second: how the pace begins where nothing was taken, the least, and the one that is no limit any more. */
const rates = { first: 4, least: 0.25, free: 500 };
/** After so long without a refusal, the database may have recovered: a sandbox may have been frozen for hours. */
const seeksAfterMs = 10_000;
/** So many milliseconds' worth of parts share a request. */
const sharedMs = 100;

/**
 * How fast parts are sent to a database that throttles: as fast as it takes them, with few in vain. Nothing waits before more is refused than chance
 * explains, and nothing once that is over.
 *
 * The pace grows by steps and shrinks by shares, so that the workers beside one table come to the same pace. Each pause is drawn: workers that were refused
 * together do not come back together.
 */
export class Pace {
  readonly #host: Pick<Host, 'now' | 'after' | 'random'>;
  readonly #resume: () => void;
  #refusedShare = 0;
  /** Parts a second; without throttling, no number limits them. */
  #rate = Number.POSITIVE_INFINITY;
  /** When a part was refused last, in epoch milliseconds; not before it limits. */
  #refusedAt = 0;
  isPaused = false;

  /** @param resume is called when a pause is over */
  constructor(host: Pick<Host, 'now' | 'after' | 'random'>, resume: () => void) {
    this.#host = host;
    this.#resume = resume;
  }

  get isLimited(): boolean {
    return this.#rate < rates.free;
  }

  /** How many parts may share the next request. */
  get most(): number {
    return Math.max(1, Math.floor((this.#rate * sharedMs) / 1000));
  }

  /** So many parts are sent. The next request waits for its turn. */
  pauseAfter(parts: number): void {
    if (!this.isLimited) return;
    this.isPaused = true;
    this.#host.after((parts / this.#rate) * 1000 * (0.5 + this.#host.random()), () => {
      this.isPaused = false;
      this.#resume();
    });
  }

  /** Learns from the response to a request: so many parts were refused because the database throttles. */
  learn(parts: number, refused: number): void {
    const taken = parts - refused;
    this.#refusedShare += (refused / parts - this.#refusedShare) * (1 - (1 - weight) ** parts);
    if (!this.isLimited) {
      if (this.#refusedShare < toleratedShare) return;
      this.#rate = Math.max(rates.first, taken);
      this.#refusedAt = 0;
      this.pauseAfter(1);
      return;
    }
    const now = this.#host.now();
    if (refused > 0) this.#refusedAt = now;
    if (now - this.#refusedAt > seeksAfterMs) this.#rate *= (1 + growth.seeking) ** taken;
    else if (this.#refusedShare < toleratedShare / 2) this.#rate *= (1 + growth.calm) ** taken;
    else {
      const left = Math.max(kept.perRequest, kept.perPart ** refused);
      this.#rate = Math.max(rates.least, (this.#rate + growth.step * taken) * left);
    }
  }
}
