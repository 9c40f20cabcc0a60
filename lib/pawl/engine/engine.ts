import { change } from '../kernel/change.ts';
import { graceMs } from '../kernel/defaults.ts';
import { effectKind, errorKind } from '../kernel/error-kind.ts';
import type { Host } from '../kernel/host.ts';
import { callListener } from '../kernel/listener.ts';
import type { Transition } from '../kernel/record.ts';
import { letFail } from '../kernel/unknown.ts';
import { type Grant, moveOn } from '../rules/grant.ts';
import type { Identity } from '../rules/identity.ts';
import { type ClaimRecord, understood } from '../rules/record.ts';
import type { KnownOfEffect } from '../rules/settle.ts';
import type { ClaimStore } from '../rules/store.ts';
import type { ClaimFact } from './events.ts';
import type { Lease } from './lease.ts';
import type { Settings } from './options.ts';
import { renewedLease } from './renewed-lease.ts';

/**
 * The engine: what every door drives to run a handler under a claim.
 *
 * Owns: the settings of one consumer, the end of its leases, its events, and the one way in which a claim that was granted is changed.
 * Asking for a claim is in `acquire.ts`, running a handler in `run.ts`, recording how that ended in `record-outcome.ts`. Does not own:
 * any rule. `decide` and `settle` say what becomes of a claim, and an engine makes it true.
 *
 * 1. No effect starts before the store has acknowledged its claim. (`acquire`, `run`)
 * 2. Every write is conditional on the record's being the one that was seen. A claim that is another worker's is never changed. (`changeClaim`)
 * 3. Nothing is awaited without an end: each request has a time, and so has the sum of its tries.
 * 4. Nothing that a listener, a classifier or a store throws decides over an effect that has happened. (`emit`, `effectOf`, `recordOutcome`)
 */
export interface Engine<Input = never> {
  readonly settings: Settings<Input>;
  /** The lease of a claim that neither its author nor an invocation gives one. */
  readonly fallback?: Lease | undefined;
  /**
   * Whether an error says that the handler may still be at work. Its claim stays in flight then, until its lease ends.
   * @default no error does
   */
  readonly mayStillRun?: (error: unknown) => boolean;
}

/** How long one request of a change is waited for before it is sent again; longer than a client with time-outs takes to give up a try. */
export const requestMs = 5000;

/** Reports what happened to a claim, or to a message without one. Never throws. */
export function emit(
  { settings: { operation, host, onEvent } }: Engine,
  identity: Identity | undefined,
  fact: ClaimFact,
): void {
  callListener(onEvent, { operation, id: identity?.id ?? '', at: host.now(), ...fact });
}

/** What bounds the lease of a claim. */
type Bounds = Pick<Grant, 'deadline' | 'keptUntil'>;

/** The lease of a claim whose worker outlives its invocation, where the author gives it none. */
const keptLease = renewedLease(graceMs);

/** The lease that has to be kept while a handler runs; none where the claim lasts as long as the invocation. */
export function leaseOf({ settings, fallback }: Engine, { deadline, keptUntil }: Bounds): Lease | undefined {
  if (settings.lease !== undefined || deadline === undefined) return settings.lease ?? fallback;
  return keptUntil === undefined ? undefined : keptLease;
}

/** Until when a claim that is granted or renewed at `now` is exclusive. Both in epoch milliseconds. */
export function leaseEnd(engine: Engine, bounds: Bounds, now: number): number {
  const { deadline = Infinity, keptUntil = deadline } = bounds;
  const lease = leaseOf(engine, bounds);
  const end = now + (lease?.leaseMs ?? Infinity);
  // As long as elsewhere, and renewed only beyond that: a duplicate waits once for the end of the invocation, and not for each renewal.
  return Math.min(lease === keptLease ? Math.max(end, deadline) : end, keptUntil);
}

/** How long a change of a claim is tried. */
export interface ChangeOptions {
  /** When nothing is waited for any more, in epoch milliseconds: neither a request under way, nor the next try. */
  readonly until: number;
  /** How often a request is sent at most. @default no limit but `until` */
  readonly tries?: number;
  /** Writes in place of the store: a write that carries writes of the application's. */
  readonly write?: ClaimStore['write'] | undefined;
}

/**
 * Makes one transition of a granted claim true, whatever happens on the way.
 *
 * @throws the store's error, or that it did not answer, once `until` has come
 */
export async function changeClaim(
  { settings: { host, store } }: { readonly settings: { readonly host: Host; readonly store: ClaimStore } },
  grant: Grant,
  transition: (found: ClaimRecord | undefined, now: number) => Transition<ClaimRecord>,
  { until, tries, write = (one) => store.write(one) }: ChangeOptions,
): Promise<'applied' | 'stale'> {
  const known = (found: ClaimRecord | undefined, now: number) => transition(understood(found), now);
  const changed = await change(host, { seen: grant.record, transition: known, write, until, requestMs, tries });
  if (changed.kind === 'applied') moveOn(grant, changed.record);
  return changed.kind;
}

/** What an error says about the effect, by its own account or by the author's. Never throws. */
export function effectOf({ classify }: Pick<Settings<never>, 'classify'>, thrown: unknown): KnownOfEffect {
  const own = effectKind(thrown);
  if (own !== undefined) return own;
  try {
    const said = classify?.(thrown);
    // An async classifier returns a promise, which says nothing in time, and which may fail later: that would end the process.
    letFail(said);
    // A classifier that rejects what it does not know, knows pawl's errors as little. Too little time is final for no message: rejected,
    // one that was never started would never run.
    if (said === 'rejected') return errorKind(thrown) === 'lease' ? 'unknown' : said;
    return said === 'retryable' ? said : 'unknown';
  } catch {
    // A classifier that fails has not said anything.
    return 'unknown';
  }
}
