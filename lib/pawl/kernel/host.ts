/**
 * All that pawl needs from the world it runs in: time, chance, identity and a hash. The real one is `lib/pawl/host.ts`;
 * a simulation hands in its own, and then a failure is a seed that anyone can replay.
 *
 * @example
 * const host: Host = {
 *   now: () => Date.UTC(2026, 10, 22),
 *   random: () => 0.5,
 *   randomId: () => crypto.randomUUID(),
 *   sha256: (text) => text,
 *   after: (ms, callback) => {
 *     const timer = setTimeout(callback, ms);
 *     return () => clearTimeout(timer);
 *   },
 * };
 */
export interface Host {
  /** Epoch milliseconds. */
  now(): number;
  /** At least 0, below 1. */
  random(): number;
  /** A token that no other worker can come to by chance. */
  randomId(): string;
  /** SHA-256 of the text's UTF-8 bytes, in lower-case hex. */
  sha256(text: string): string;
  /**
   * Runs `callback` after `ms` milliseconds, unless the returned function is called before. After 0: as soon as all that is
   * ready by now has run.
   */
  after(ms: number, callback: () => void): () => void;
  /**
   * Whether code runs on when its invocation has ended, as on Lambda Managed Instances. Elsewhere the end of the invocation ends its worker.
   * @default false
   */
  readonly outlivesInvocations?: boolean;
}

/** Resolves after `ms` milliseconds of the host's time. */
export function sleep(host: Pick<Host, 'after'>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    host.after(ms, resolve);
  });
}

/**
 * Runs `callback` when so much time is over, unless the returned function is called before. A sandbox that was frozen has both when
 * it thaws: what it waited for, and a timer that is over. What it waited for counts, so the timer lets one turn pass.
 */
export function whenOver(host: Pick<Host, 'after'>, ms: number, callback: () => void): () => void {
  let cancel = host.after(Math.max(0, ms), () => {
    cancel = host.after(0, callback);
  });
  return () => cancel();
}
