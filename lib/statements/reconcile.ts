import { isUnstated, openShards, shardName, unstatedPlace } from '../claims/open.ts';
import { understood } from '../claims/record.ts';
import { isStated } from '../claims/stated.ts';
import { letFail } from '../kernel/errors.ts';
import { endFinding, type Finding, findingOf, isOpenFinding, openFindings, storeFinding } from './finding.ts';
import { judgeLine, report } from './judge-line.ts';
import { markOf, type StatementLine } from './line.ts';
import {
  type ReconcileStatementsOptions,
  type StatementProgress,
  type StatementSettings,
  settingsOf,
} from './options.ts';
import {
  type FindingCounts,
  type HeldRun,
  nothingCounted,
  readRun,
  type StatementCounts,
  type StatementRun,
  writeRun,
} from './run-note.ts';

/**
 * Compares a provider's statement with the claims of an operation.
 *
 * Owns: the order of a run, and what of it is written down when. Does not own: what a line does to its claim (`judge-line.ts`), what a finding is
 * (`finding.ts`), how far a run has come (`run-note.ts`).
 *
 * A run has three phases. The lines: each marks its claim. The claims: those that are completed and have no mark are not on the statement. The end: every
 * open finding is looked at once more, and the report is written.
 *
 * 1. Memory holds one part: 100 lines, or 100 claims. Neither side is ever held as a whole.
 * 2. A part is written down when all of it is done. A run that was killed repeats one part, and a repetition changes nothing.
 * 3. Only the attempt that began last writes progress. An earlier one that still runs does no harm, and ends as `superseded`.
 * 4. Absence decides nothing in time: a claim counts as missing there only if its effect cannot have a line outside of what was read.
 */

/** What was found by comparing claims with a statement. Times are epoch milliseconds. */
export interface StatementReport extends StatementCounts {
  readonly operation: string;
  readonly from: number;
  readonly cutOff: number;
  readonly startedAt: number;
  readonly endedAt: number;
  /** How many findings are open, by kind; those of earlier runs as well. */
  readonly open: FindingCounts;
  /** How many of these this run has found first. */
  readonly fresh: number;
}

/** What became of a call. */
export type StatementOutcome =
  /** The run has ended. `findings`: what is open, at most `mostFindings`. */
  | { readonly outcome: 'done'; readonly report: StatementReport; readonly findings: readonly Finding[] }
  /** `signal` was aborted. The next call goes on with this window. */
  | { readonly outcome: 'stopped'; readonly progress: StatementProgress }
  /** Another call has taken the run over. */
  | { readonly outcome: 'superseded' };

/** How many lines or claims are one part. */
const partSize = 100;

/**
 * Takes a provider's own statement as the truth, and compares the claims of an operation with it.
 *
 * A claim in doubt that the statement has is completed. What does not agree is a finding: stored beside the claims, until an operator accepts it. A run
 * that was killed or stopped goes on with the next call, in its own window.
 *
 * Needs the permissions of `ClaimsTable.grantStatements`.
 *
 * @throws OptionError when an option is missing or out of range; the store's error; what `statement` throws. The next call goes on
 * @example
 * const { outcome } = await reconcileStatements({
 *   operation: 'charge',
 *   store: dynamoStore({ tableName: process.env.CLAIMS_TABLE }),
 *   from: Date.now() - 2 * 86_400_000,
 *   settleMs: 3_600_000,
 *   statement: ({ from, cutOff }) => chargesBetween(from, cutOff),
 * });
 */
export async function reconcileStatements(options: ReconcileStatementsOptions): Promise<StatementOutcome> {
  const settings = settingsOf(options);
  let held = await begin(settings);
  while (held !== undefined && held.run.phase !== 'done') {
    const { run } = held;
    const next = run.phase === 'lines' ? await readLines(settings, held) : await readClaims(settings, held);
    if (next.kind === 'stopped') {
      return { outcome: 'stopped', progress: { phase: next.run.phase, lines: next.run.counts.lines } };
    }
    if (next.kind === 'ended') return next.outcome;
    held = next.held;
  }
  return { outcome: 'superseded' };
}

/** What a phase has come to: the run as it goes on; nothing where another attempt has it. */
type Phase =
  | { readonly kind: 'on'; readonly held: HeldRun | undefined }
  | { readonly kind: 'stopped'; readonly run: StatementRun }
  | { readonly kind: 'ended'; readonly outcome: StatementOutcome };

/** Goes on with the run that has not ended, or begins one. */
async function begin(settings: StatementSettings): Promise<HeldRun | undefined> {
  const { store, host, operation } = settings;
  const attempt = host.randomId();
  for (;;) {
    const found = await readRun(store, operation);
    const run =
      found !== undefined && found.run.phase !== 'done'
        ? { ...found.run, attempt }
        : newRun(settings, attempt, found?.run);
    const held = await writeRun(store, run, found?.note);
    if (held !== undefined) return held;
  }
}

function newRun(settings: StatementSettings, attempt: string, before: StatementRun | undefined): StatementRun {
  const { host, operation, from, settleMs, skewMs, cutOff = host.now() - settleMs - skewMs } = settings;
  const isGapless = before !== undefined && from <= before.cutOff;
  return {
    ...{ token: host.randomId(), attempt, operation, from, cutOff, startedAt: host.now() },
    coveredFrom: isGapless ? Math.min(from, before.coveredFrom) : from,
    ...atTheBegin,
  };
}

const atTheBegin = { phase: 'lines', position: 0, shard: 0, counts: nothingCounted } as const;

/** Reads the statement from where the run is, part by part. */
async function readLines(settings: StatementSettings, begun: HeldRun): Promise<Phase> {
  const { host, signal, statement } = settings;
  let held = begun;
  const { from, cutOff, cursor, last, position: start } = held.run;
  const toSkip = cursor === undefined ? start : 0;
  let skipped = 0;
  let before: StatementLine | undefined;
  let part: StatementLine[] = [];
  const isHere = () => before !== undefined && markOf(before, '', 0, host).line === last;
  for await (const line of statement({ from, cutOff, after: cursor })) {
    if (skipped < toSkip) {
      skipped++;
      before = line;
      continue;
    }
    if (toSkip > 0 && before !== undefined && !isHere()) return anew(settings, held);
    before = undefined;
    part.push(line);
    if (part.length < partSize) continue;
    if (signal?.aborted) return { kind: 'stopped', run: held.run };
    const moved = await doLines(settings, held, part);
    if (moved === undefined) return { kind: 'on', held: undefined };
    held = moved;
    part = [];
  }
  // The list is shorter than it was, or ends with another line: it is not the list of before.
  if (skipped < toSkip || (toSkip > 0 && before !== undefined && !isHere())) return anew(settings, held);
  if (signal?.aborted) return { kind: 'stopped', run: held.run };
  const rest = part.length === 0 ? held : await doLines(settings, held, part);
  if (rest === undefined) return { kind: 'on', held: undefined };
  return { kind: 'on', held: await move(settings, rest, { phase: 'claims' }) };
}

/** Reads a statement that has changed from its begin, as a run of its own: a line that is read again is known by its claim. */
async function anew(settings: StatementSettings, held: HeldRun): Promise<Phase> {
  const token = settings.host.randomId();
  return { kind: 'on', held: await move(settings, held, { ...atTheBegin, token, last: undefined, cursor: undefined }) };
}

/** Judges one part of the lines, and writes down that it is done. */
async function doLines(
  settings: StatementSettings,
  held: HeldRun,
  part: readonly StatementLine[],
): Promise<HeldRun | undefined> {
  const { run } = held;
  const { from, cutOff, token, position } = run;
  const judged = await allOf(
    part.map(async (line, index) => {
      const isOutside = line.at < from || line.at > cutOff;
      if (isOutside) return { counted: { outside: 1 }, findings: [] };
      return judgeLine(settings, line, token, position + index);
    }),
  );
  const counted = judged.reduce((sum, one) => added(sum, one.counted), run.counts);
  const counts = await keep(
    settings,
    counted,
    judged.flatMap(({ findings }) => findings),
  );
  const last = part.at(-1);
  return move(settings, held, {
    position: position + part.length,
    cursor: last?.cursor,
    last: last && markOf(last, '', 0, settings.host).line,
    counts,
  });
}

/** Reads the completed claims that no line has confirmed, part by part. */
async function readClaims(settings: StatementSettings, begun: HeldRun): Promise<Phase> {
  const { store, operation, signal } = settings;
  let held = begun;
  while (held.run.shard < openShards) {
    if (signal?.aborted) return { kind: 'stopped', run: held.run };
    const { shard, cutOff, after, counts } = held.run;
    const place = unstatedPlace(operation, shardName(shard));
    const page = await store.listPlace({ place, until: cutOff, limit: partSize, after });
    const judged = await allOf(page.entries.map(({ id }) => judgeClaim(settings, held.run, id)));
    const waiting = judged.filter((one) => one === 'waiting').length;
    const findings = judged.filter((one) => typeof one === 'object');
    const isNext = page.after === undefined;
    // An empty shard is no part: to write it down would cost more than to read it again.
    if (isNext && page.entries.length === 0) {
      held = { ...held, run: { ...held.run, shard: shard + 1, after: undefined } };
      continue;
    }
    const moved = await move(settings, held, {
      shard: isNext ? shard + 1 : shard,
      after: page.after,
      counts: await keep(settings, added(counts, { waiting }), findings),
    });
    if (moved === undefined) return { kind: 'on', held: undefined };
    held = moved;
  }
  return end(settings, held);
}

/** Whether a completed claim without a line is missing there. */
async function judgeClaim(
  settings: StatementSettings,
  { coveredFrom, cutOff }: StatementRun,
  id: string,
): Promise<Finding | 'waiting' | undefined> {
  const { store, host, operation, skewMs, settleMs } = settings;
  const found = understood(await store.read(id));
  // The index may lag behind: what the record says counts.
  if (found === undefined || !isUnstated(found)) return undefined;
  const { firstSeenAt, leaseUntil, status, attributes } = found;
  // Its effect happened in between, and its line came at most `settleMs` later. Of a longer time, the statement was not read.
  const isCovered = firstSeenAt - skewMs >= coveredFrom && leaseUntil + skewMs + settleMs <= cutOff;
  if (!isCovered) return 'waiting';
  const what = { kind: 'missing-there', operation, foundAt: host.now(), claimId: id, status, attributes } as const;
  return findingOf(what, id, host);
}

/** Looks at the open findings once more, and writes the report. */
async function end(settings: StatementSettings, held: HeldRun): Promise<Phase> {
  const { store, host, operation, mostFindings } = settings;
  const { startedAt, counts } = held.run;
  const open: Partial<Record<Finding['kind'], number>> = {};
  const findings: Finding[] = [];
  let fresh = 0;
  for await (const finding of openFindings(store, operation)) {
    if (await isSettled(settings, held.run, finding)) {
      await endFinding(store, finding.id, { settledAt: host.now() }, host.now());
      continue;
    }
    open[finding.kind] = (open[finding.kind] ?? 0) + 1;
    if (finding.foundAt >= startedAt) fresh++;
    if (findings.length < mostFindings) findings.push(finding);
  }
  const run: StatementRun = { ...held.run, phase: 'done', endedAt: host.now(), open, fresh };
  const forOperators = Object.entries(open).reduce((sum, [kind, count]) => sum + (kind === 'undecided' ? 0 : count), 0);
  const { from, cutOff } = run;
  const type = forOperators + counts.notStored > 0 ? 'statement-findings' : 'statement-clean';
  // Before it is written down: a process that dies in between reports twice, and never not at all.
  report(settings, { type, from, cutOff, lines: counts.lines, open: forOperators + counts.notStored, fresh });
  const written = await writeRun(store, run, held.note);
  if (written === undefined) return { kind: 'ended', outcome: { outcome: 'superseded' } };
  progressed(settings, run);
  return { kind: 'ended', outcome: { outcome: 'done', report: reportOf(run), findings } };
}

/** Whether an open finding is none any more. A line that was undecided may be another finding by now, which is stored. */
async function isSettled(settings: StatementSettings, { token }: StatementRun, finding: Finding): Promise<boolean> {
  const { store } = settings;
  const { kind, claimId, line, id } = finding;
  if (claimId === undefined) return false;
  if (kind === 'missing-there') {
    const found = understood(await store.read(claimId));
    return found !== undefined && isStated(found);
  }
  if (line === undefined || (kind !== 'missing-here' && kind !== 'undecided')) return false;
  const { findings } = await judgeLine(settings, line, token, -1);
  if (findings.some((again) => again.id === id)) return false;
  for (const other of findings) await storeFinding(store, other);
  return true;
}

/** @throws TypeError when the run has not ended */
export function reportOf(run: StatementRun): StatementReport {
  const { operation, from, cutOff, startedAt, endedAt, open = {}, fresh = 0, counts } = run;
  if (endedAt === undefined) throw new TypeError('the run has not ended');
  return { operation, from, cutOff, startedAt, endedAt, open, fresh, ...counts };
}

/** Stores what a part has found, up to `mostFindings` of a run. Accepted findings do not count. */
async function keep(
  { store, mostFindings }: StatementSettings,
  counts: StatementCounts,
  findings: readonly Finding[],
): Promise<StatementCounts> {
  let { met, notStored } = counts;
  for (const finding of findings) {
    if (met >= mostFindings) notStored++;
    else if (isOpenFinding(await storeFinding(store, finding))) met++;
  }
  return { ...counts, met, notStored };
}

function added(counts: StatementCounts, more: Partial<StatementCounts>): StatementCounts {
  const sum = { ...counts };
  for (const [name, count] of Object.entries(more)) sum[name as keyof StatementCounts] += count;
  return sum;
}

async function move(
  settings: StatementSettings,
  { run, note }: HeldRun,
  on: Partial<StatementRun>,
): Promise<HeldRun | undefined> {
  const next = { ...run, ...on };
  const held = await writeRun(settings.store, next, note);
  if (held !== undefined) progressed(settings, next);
  return held;
}

function progressed({ onProgress }: StatementSettings, { phase, counts }: StatementRun): void {
  try {
    letFail(onProgress?.({ phase, lines: counts.lines }));
  } catch {
    // A listener's failure is not the run's.
  }
}

/** Waits for all of them, also if one fails: what is still under way must not go on behind the caller's back. @throws the first error */
async function allOf<T>(working: readonly Promise<T>[]): Promise<readonly T[]> {
  const ended = await Promise.allSettled(working);
  return ended.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}
