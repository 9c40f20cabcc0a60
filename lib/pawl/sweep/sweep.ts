import { settingsOf } from '../engine/options.ts';
import { remainingTime } from '../kernel/check.ts';
import { SetupError } from '../kernel/errors.ts';
import { callListener } from '../kernel/listener.ts';
import { namesIn } from '../rules/identity.ts';
import { heldForMs } from '../rules/lease.ts';
import type { OpenClaim } from '../rules/open-claims.ts';
import { understood } from '../rules/record.ts';
import { areExecutions, type SweepOptions, type SweepSettings, type SweptOperation, sweepSettings } from './options.ts';
import { type Counting, count, metricLine, noReport, type SweepReport, type SweptClaim } from './report.ts';
import { type Settler, settleClaim } from './settle-claim.ts';

/**
 * The sweep: goes through what is open and in doubt, and settles it without a message or a caller.
 *
 * Owns: in which order, how many at once, and when a run ends. Does not own: what becomes of a claim (`repair`, `settleDoubt`).
 *
 * 1. A run ends before its invocation does: it begins no question that could not be answered and recorded in time.
 * 2. A run that ended early goes on, in the same process, where it was. What it asked about is settled, or has its pause, so the rest has its turn.
 * 3. Two runs at once, and a run that dies anywhere, are two workers and a worker that dies: the store's conditions tell them apart.
 */

/**
 * What Lambda gives a function besides its event.
 *
 * @example
 * const sweep = sweepOpenClaims({ store, operations: { 'send-email': { onAbandoned: 'park' } } });
 * const context: SweepContext = { getRemainingTimeInMillis: () => 60_000 };
 * const report = await sweep(undefined, context);
 */
export interface SweepContext {
  /** The name of the function, which the metrics carry. */
  readonly functionName?: string;
  /** Milliseconds until Lambda stops the run. */
  getRemainingTimeInMillis(): number;
}

/** A Lambda handler for a schedule. It ignores its event. */
export type SweepHandler = (event?: unknown, context?: SweepContext) => Promise<SweepReport>;

const pageSize = 100;
const marginMs = 1000;
const forAll = Number.MAX_SAFE_INTEGER;

/**
 * Makes a Lambda handler that settles claims in doubt on a schedule, without the message or the caller that may never come.
 *
 * If `ask` says `applied`, the claim completes. If it says `not-applied`, the claim is released: nothing runs, and a caller or a message may come.
 * If it is inconclusive too often, the claim is parked. A claim whose worker holds its lease is left alone.
 *
 * The handler rejects, after its whole run, if the store would not read the list, or not read or write a claim: so Lambda counts the run as failed.
 * A claim that another worker has taken over counts as failed, and rejects nothing.
 *
 * @throws OptionError at once when an option is missing or out of range
 * @example
 * import { reconcile } from 'pawl';
 *
 * export const handler = sweepOpenClaims({
 *   store,
 *   operations: {
 *     'charge-order': {
 *       onAbandoned: reconcile({
 *         ask: async ({ effectKey }) => ({ verdict: (await bank.find(effectKey)) ? 'applied' : 'not-applied' }),
 *         settleMs: 5000,
 *       }),
 *     },
 *     'send-email': { onAbandoned: 'park' },
 *   },
 * });
 */
export function sweepOpenClaims(options: SweepOptions): SweepHandler {
  const settings = sweepSettings(options);
  const settlers = new Map(
    Object.entries(settings.operations).map(([operation, swept]): [string, Settle] => {
      if (areExecutions(swept))
        return [operation, (id) => swept.settle(id, settings.host.now() + settings.askTimeoutMs)];
      const settler = settlerOf(settings, operation, swept);
      return [operation, (id) => settleClaim(settler, id)];
    }),
  );
  let cursor: string | undefined;

  return async function sweepOnSchedule(_event, context) {
    const run: Run = {
      settings,
      settlers,
      report: noReport(),
      endsAt: settings.host.now() + remainingIn(context),
      failure: undefined,
    };
    if (hasTime(run)) {
      cursor = await sweepFrom(run, cursor);
      await lookAtLocks(run);
    } else run.failure = { error: tooShort(settings) };
    reportRun(run, context);
    if (run.failure !== undefined) throw run.failure.error;
    return run.report;
  };
}

/** Settles one claim that is in doubt. @throws the store's error */
type Settle = (id: string) => Promise<SweptClaim>;

interface Run {
  readonly settings: SweepSettings;
  readonly settlers: ReadonlyMap<string, Settle>;
  readonly report: Counting;
  /** When its invocation ends, in epoch milliseconds. */
  readonly endsAt: number;
  failure: { readonly error: unknown } | undefined;
}

function settlerOf(sweep: SweepSettings, operation: string, swept: SweptOperation): Settler {
  const { store, host, skewMs, askTimeoutMs, askAgainMs, onEvent } = sweep;
  const { onAbandoned, maxAbandoned = 6, recordResult = true, retentionSeconds = 'forever' } = swept;
  const settings = settingsOf<undefined>({
    operation,
    store,
    onAbandoned,
    host,
    skewMs,
    marginMs,
    maxAbandoned,
    recordResult,
    // How often a key may be tried is for its consumer to say: the sweep tries nothing.
    maxAttempts: forAll,
    retryWindowSeconds: forAll,
    // Should this process die, the claim must be found again.
    watched: true,
    retentionSeconds,
    ...(onEvent && { onEvent }),
  });
  return { engine: { settings }, rules: { ...settings, askAgainMs }, leaseMs: askTimeoutMs + marginMs };
}

/** Goes through the list. @returns where the next run goes on */
async function sweepFrom(run: Run, from: string | undefined): Promise<string | undefined> {
  const { settings, report } = run;
  let cursor = from;
  try {
    for (;;) {
      const page = await settings.store.listOpen({ limit: Math.min(pageSize, settings.maxClaims), cursor });
      // A page that was begun and not ended is looked at again: what is settled of it has left the list.
      if (!(await sweepPage(run, page.claims))) return cursor;
      for (const id of page.foreign ?? []) await failOn(run, id);
      cursor = page.cursor;
      report.reachedEnd = cursor === undefined;
      if (report.reachedEnd || report.looked >= settings.maxClaims || !hasTime(run)) return cursor;
    }
  } catch (error) {
    run.failure = { error };
    return undefined;
  }
}

/**
 * How old the oldest kept lock is: its holder's next attempt has not come. After the claims, which do not wait for a list that is slow or fails. A part of
 * the list says nothing: without time for all of it, there is no age.
 */
async function lookAtLocks(run: Run): Promise<void> {
  const { locks, host } = run.settings;
  if (locks === undefined) return;
  try {
    let oldestMs = 0;
    for await (const page of locks.list({ status: 'kept' })) {
      if (!hasTime(run)) return;
      for (const { since } of page) oldestMs = Math.max(oldestMs, host.now() - since);
    }
    run.report.oldestKeptLockMs = oldestMs;
  } catch (error) {
    run.failure ??= { error };
  }
}

/** A sweep that never asks would look like one that finds nothing. */
function tooShort({ askTimeoutMs }: SweepSettings): Error {
  const least = (askTimeoutMs + 2 * marginMs) / 1000;
  return new SetupError(
    `sweepOpenClaims: nothing was settled: the invocation ends too early for one question. Expected more than ${least} s; raise the function's timeout, or lower askTimeoutMs`,
    'wired-wrongly',
  );
}

/** Whether there is time for one more question and its outcome. */
function hasTime({ settings: { host, askTimeoutMs }, endsAt }: Run): boolean {
  return host.now() + askTimeoutMs + 2 * marginMs < endsAt;
}

/** Settles the claims of a page, so many at once. @returns whether all of them had their turn */
async function sweepPage(run: Run, claims: readonly OpenClaim[]): Promise<boolean> {
  const left = claims.values();
  let hadTime = true;
  async function worker(): Promise<void> {
    for (const claim of left) {
      hadTime &&= hasTime(run);
      if (!hadTime) return;
      await sweepOne(run, claim);
    }
  }
  await Promise.all(Array.from({ length: run.settings.concurrency }, worker));
  return hadTime;
}

/** An entry that is no claim fails the run, as a record does that cannot be read. The others have their turn. */
async function failOn(run: Run, id: string): Promise<void> {
  run.report.looked++;
  try {
    understood(await run.settings.store.read(id));
  } catch (error) {
    count(run.report, 'failed', { inDoubtForMs: 0, openForMs: 0 });
    run.failure = { error };
  }
}

async function sweepOne(run: Run, claim: OpenClaim): Promise<void> {
  const { settings, settlers, report } = run;
  const now = settings.host.now();
  report.looked++;
  const settle = settlers.get(namesIn(claim.id).operation);
  const since = claim.unknownAt ?? claim.leaseUntil;
  count(report, await become(), {
    inDoubtForMs: Math.max(0, now - since),
    openForMs: Math.max(0, now - claim.firstSeenAt),
  });

  async function become(): Promise<SweptClaim> {
    if (claim.status === 'parked') return 'alreadyParked';
    if (claim.status === 'in-flight' && heldForMs(claim, settings.skewMs, now) > 0) return 'held';
    if (settle === undefined) return 'notRegistered';
    try {
      return await settle(claim.id);
    } catch (error) {
      run.failure ??= { error };
      return 'failed';
    }
  }
}

/** @returns milliseconds; infinite where nothing stops the run. @throws OptionError when the context says no time */
function remainingIn(context: SweepContext | undefined): number {
  if (context === undefined) return Infinity;
  return remainingTime('getRemainingTimeInMillis()', context.getRemainingTimeInMillis());
}

function reportRun({ report: counted, settings }: Run, context: SweepContext | undefined): void {
  const { onReport, host } = settings;
  // What was settled is settled, whatever a listener throws.
  callListener(
    onReport ?? ((one) => process.stdout.write(`${metricLine(one, context?.functionName ?? 'sweep', host.now())}\n`)),
    counted,
  );
}
