import type { Host } from '../kernel/host.ts';

/** The share of parts that may be refused before anything slows down: by chance, or because many of them are for one hot key. */
const toleratedShare = 0.15;
/** How much each part weighs in the share that was refused lately. */
const weight = 1 / 48;
/** How much of the pace each part that is refused leaves, and the parts of one request together. */
const keptPerPart = 0.7;
const keptPerRequest = 0.5;
/** How each part that is taken raises the pace. By a factor: while nothing is refused, and while little is. Else in parts a second. */
const seeking = 1.25;
const calm = 1.05;
const step = 0.1;
/** After so long without a refusal, in milliseconds, the database may have recovered: a sandbox may have been frozen for hours. */
const seeksAfterMs = 10_000;
/** Parts a second: how the pace begins where nothing was taken, the least, and the one that is no limit any more. */
const first = 4;
const least = 0.75;
const free = 500;
/** So many milliseconds' worth of parts share a request. */
const sharedMs = 100;

/** How fast parts are sent to a database that throttles. */
export interface Pace {
  /** How many parts may share the next request: none in a pause, and any number while nothing limits them. */
  most(): number;
  isLimited(): boolean;
  /** So many parts are sent. The next request waits for its turn. */
  sent(parts: number): void;
  /** Learns from a response: so many parts were taken, and so many refused because the database throttles. */
  learn(taken: number, refused: number): void;
}

/**
 * As fast as the database takes parts, with few in vain. Nothing waits before more is refused than chance explains, and nothing once that is over.
 *
 * The pace grows by steps and shrinks by shares, so that the workers beside one table come to the same pace. Each pause is drawn: workers that were refused
 * together do not come back together.
 *
 * @param resume is called when a pause is over
 */
export function createPace(host: Pick<Host, 'now' | 'after' | 'random'>, resume: () => void): Pace {
  let refusedShare = 0;
  /** Parts a second. */
  let rate = Infinity;
  let refusedAt = 0;
  let isPaused = false;
  const isLimited = () => rate < free;

  function sent(parts: number): void {
    if (!isLimited()) return;
    isPaused = true;
    host.after((parts / rate) * 1000 * (0.5 + host.random()), () => {
      isPaused = false;
      resume();
    });
  }

  return {
    most: () => (isPaused ? 0 : Math.ceil((rate * sharedMs) / 1000)),
    isLimited,
    sent,
    learn(taken, refused) {
      const parts = taken + refused;
      refusedShare += (refused / parts - refusedShare) * (1 - (1 - weight) ** parts);
      if (!isLimited()) {
        if (refusedShare < toleratedShare) return;
        rate = Math.max(first, taken);
        refusedAt = 0;
        sent(1);
        return;
      }
      const now = host.now();
      if (refused > 0) refusedAt = now;
      const isSeeking = now - refusedAt > seeksAfterMs;
      if (isSeeking || refusedShare < toleratedShare / 2) rate *= (isSeeking ? seeking : calm) ** taken;
      else rate = Math.max(least, (rate + step * taken) * Math.max(keptPerRequest, keptPerPart ** refused));
    },
  };
}
