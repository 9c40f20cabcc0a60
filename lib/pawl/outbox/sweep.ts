import { remainingTime } from '../kernel/check.ts';
import { callListener } from '../kernel/listener.ts';
import { expectOptions } from '../kernel/take-options.ts';
import { withEach } from '../sqs/limit.ts';
import { drain, type Resting, restingAddresses } from './sender.ts';
import type { OutboxDue } from './store.ts';
import {
  knownOfSweep,
  type OutboxSweepOptions,
  type SweepInvocation,
  type SweepSettings,
  sweepSettings,
} from './sweep-options.ts';
import { type Counting, metricLine, noReport, type OutboxReport } from './sweep-report.ts';

/**
 * The sweep of an outbox: finds what workers and relay have missed.
 *
 * Owns: in which order, how many at once, and when a run ends. Does not own: what becomes of a message (`sender.ts`).
 *
 * 1. A run ends before its invocation does. One that ended early goes on, in the same process, where it was.
 * 2. Two runs at once, and a run that dies anywhere, make copies of a message at most.
 */

/** A Lambda handler for a schedule. It ignores its event. */
export type OutboxSweepHandler = (event?: unknown, context?: SweepInvocation) => Promise<OutboxReport>;

/** Kept back at the end of an invocation, in milliseconds. */
const marginMs = 2000;

/**
 * Makes a Lambda handler that sends, on a schedule, what lies in an outbox for longer than `olderThanMs`. `outboxRelay` does the same where a schedule calls
 * it; use this one where the table has no stream.
 *
 * The handler rejects after its run if the table could not be read: so Lambda counts the run as failed.
 *
 * @throws OptionError at once when an option is missing or out of range
 * @example
 * export const handler = outboxSweep({ outbox: dynamoOutbox({ tableName: process.env.OUTBOX_TABLE, aws }) });
 */
export function outboxSweep(options: OutboxSweepOptions): OutboxSweepHandler {
  expectOptions(options, { door: 'outboxSweep', known: knownOfSweep, docs: 'docs/guides/outbox.md' });
  return sweepHandler(sweepSettings(options));
}

export function sweepHandler(settings: SweepSettings): OutboxSweepHandler {
  const { host, store } = settings.outbox;
  let cursor: string | undefined;

  return async function sweep(_event, context) {
    const remainingMs =
      context === undefined
        ? Infinity
        : remainingTime('getRemainingTimeInMillis()', context.getRemainingTimeInMillis());
    const run: Run = {
      settings,
      report: noReport(),
      until: host.now() + remainingMs - marginMs,
      rests: restingAddresses(),
      failure: undefined,
    };
    try {
      do {
        const page = await store.due(host.now() - settings.olderThanMs, settings.concurrency, cursor);
        // A page that was begun and not ended is looked at again: what was sent of it has left the table.
        if (!(await sweepPage(run, page.messages))) break;
        cursor = page.cursor;
        run.report.reachedEnd = cursor === undefined;
      } while (cursor !== undefined && host.now() < run.until);
    } catch (error) {
      run.failure ??= { error };
    }
    reportRun(run, context);
    if (run.failure !== undefined) throw run.failure.error;
    return run.report;
  };
}

interface Run {
  readonly settings: SweepSettings;
  readonly report: Counting;
  /** When nothing is waited for any more, in epoch milliseconds. */
  readonly until: number;
  readonly rests: Resting;
  failure: { readonly error: unknown } | undefined;
}

/** Sends the lanes of a page. @returns whether all of them had their turn */
async function sweepPage(run: Run, due: OutboxDue['messages']): Promise<boolean> {
  const { outbox, concurrency } = run.settings;
  run.report.looked += due.length;
  let hadTime = true;
  await withEach(new Set(due.map(({ id }) => id)), concurrency, async (lane) => {
    hadTime &&= outbox.host.now() < run.until;
    if (hadTime) await sweepLane(run, lane);
    // Over meanwhile: something of the lane may be left.
    hadTime &&= outbox.host.now() < run.until;
  });
  return hadTime;
}

async function sweepLane(run: Run, lane: string): Promise<void> {
  const {
    settings: { outbox },
    report,
    until,
    rests,
  } = run;
  try {
    const { sent, head, wasParked } = await drain(outbox, lane, until, rests);
    report.sent += sent;
    if (head === undefined) return;
    report.oldestMs = Math.max(report.oldestMs, outbox.host.now() - head.record.committedAt);
    if (wasParked) report.alreadyParked++;
    else if (head.fate === 'parked') report.parked++;
    else report.left++;
  } catch (error) {
    run.failure ??= { error };
  }
}

function reportRun({ report: counted, settings }: Run, context: SweepInvocation | undefined): void {
  const { onReport, outbox } = settings;
  const print = (one: OutboxReport) =>
    process.stdout.write(`${metricLine(one, context?.functionName ?? 'outbox', outbox.host.now())}\n`);
  // What was sent is sent, whatever a listener throws.
  callListener(onReport ?? print, counted);
}
