/** Something that is to happen at a time. */
interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** A Saturday in 2026: times near zero hide errors of units. */
const someDay = Date.UTC(2026, 10, 21, 9, 30);

export type Clock = ReturnType<typeof createClock>;

/** A clock that stands still until `step` or `goTo` moves it. */
export function createClock() {
  let now = someDay;
  const timers = new Set<Timer>();

  /** What comes first; of two at one time, what was asked for first. */
  function first(): Timer | undefined {
    let found: Timer | undefined;
    for (const timer of timers) if (found === undefined || timer.at < found.at) found = timer;
    return found;
  }

  return {
    now: () => now,
    /** Since the clock was made, in milliseconds. */
    elapsedMs: () => now - someDay,
    /** @returns what cancels it */
    after(ms: number, run: () => void): () => void {
      const timer = { at: now + Math.max(0, ms), run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    /** When the next thing happens. */
    nextAt: () => first()?.at ?? Infinity,
    /** Goes on to the next thing, and lets it happen. */
    step(): void {
      const timer = first();
      if (timer === undefined) return;
      timers.delete(timer);
      now = Math.max(now, timer.at);
      timer.run();
    },
    /** Goes on to a time before the next thing happens. */
    goTo(time: number): void {
      now = Math.max(now, time);
    },
  };
}
