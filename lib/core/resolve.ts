import { expect } from './check.ts';
import { type ClaimRules, expiry } from './decide.ts';
import type { Host } from './host.ts';
import { identify, type KeyValue } from './identity.ts';
import type { ClaimRecord, Resolution } from './record.ts';
import type { ClaimStore } from './store.ts';

/** Who decided, and why. Both are kept on the claim. */
export interface ResolvedBy {
  readonly by: string;
  readonly note: string;
}

export type Resolved =
  | { readonly outcome: 'resolved'; readonly record: ClaimRecord }
  /** Nothing was changed: the claim is not parked, or not any more. */
  | { readonly outcome: 'not-parked'; readonly record: ClaimRecord }
  /** Nothing is known of this key. */
  | { readonly outcome: 'unknown-key' };

export interface ParkedClaimsOptions {
  readonly operation: string;
  readonly store: ClaimStore;
  /**
   * How long the decision is remembered, in seconds.
   * @default 2592000, which is 30 days
   */
  readonly retentionSeconds?: number | 'forever';
}

/**
 * What an operator's decision makes of a parked claim. Pure, like `decide`.
 *
 * `applied`: the effect happened; a redriven message is acknowledged without running. `not-applied`: it did not; a redriven
 * message runs. `retry`: nobody knows, and it is to run all the same.
 */
export function resolution(
  found: ClaimRecord,
  decided: Resolution,
  rules: Pick<ClaimRules, 'retentionSeconds'>,
  now: number,
): ClaimRecord {
  const settled: ClaimRecord = {
    ...found,
    unknownAt: undefined,
    error: undefined,
    // Set anew: a worker that saw the claim as it was before it was parked must not mistake this state for that one.
    leaseUntil: now,
    expiresAt: expiry(rules, now),
    resolution: decided,
  };
  if (decided.verdict === 'applied') return { ...settled, status: 'completed', resultOmitted: 'by-choice' };
  // The counts that led to the parking start anew, or the next request would park it again.
  return { ...settled, status: 'released', attempts: 0, abandoned: 0, firstSeenAt: now };
}

/** The claims of an operation that wait for somebody's decision. */
export function parkedClaims(options: ParkedClaimsOptions & { readonly host: Host }) {
  const { operation, store, host } = options;
  const retention = options.retentionSeconds ?? 30 * 24 * 3600;
  const rules = { retentionSeconds: retention === 'forever' ? Infinity : retention };

  /**
   * Decides a parked claim. Conditional on its still being parked, and recorded on it.
   *
   * @throws OptionError when the verdict is none, or nobody decided; the store's error when that fails
   */
  async function resolve(key: KeyValue, verdict: Resolution['verdict'], { by, note }: ResolvedBy): Promise<Resolved> {
    const known = verdict === 'applied' || verdict === 'not-applied' || verdict === 'retry';
    expect(known, 'verdict', "'applied', 'not-applied' or 'retry'", verdict);
    expect(typeof by === 'string' && by !== '', 'by', 'the name of who decided', by);
    const now = host.now();
    const decided: Resolution = { verdict, by, note, at: new Date(now).toISOString() };
    let found = await store.read(identify(operation, key, host).id);
    for (;;) {
      if (found === undefined) return { outcome: 'unknown-key' };
      // Our own write, whose answer was lost.
      const ours = found.resolution?.at === decided.at && found.resolution.by === by;
      if (found.status !== 'parked') return { outcome: ours ? 'resolved' : 'not-parked', record: found };
      const next = resolution(found, decided, rules, now);
      const written = await store.write({ next, seen: found });
      if (written.applied) return { outcome: 'resolved', record: next };
      found = written.found;
    }
  }

  /** What is known of a key. @throws the store's error */
  async function read(key: KeyValue): Promise<ClaimRecord | undefined> {
    return store.read(identify(operation, key, host).id);
  }

  return { resolve, read };
}
