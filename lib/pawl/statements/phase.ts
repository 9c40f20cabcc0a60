import { callListener } from '../kernel/listener.ts';
import { type Finding, isOpenFinding, storeFinding } from './finding.ts';
import type { StatementProgress, StatementSettings } from './options.ts';
import { type HeldRun, nothingCounted, type StatementCounts, type StatementRun, writeRun } from './run-note.ts';
import type { StatementReport } from './run-report.ts';

/** What the phases of a run share: what one comes to, and how it writes down that a part is done. */

/** What became of a call. */
export type StatementOutcome =
  /** The run has ended. `findings`: what is open, at most `mostFindings`. */
  | { readonly outcome: 'done'; readonly report: StatementReport; readonly findings: readonly Finding[] }
  /** `signal` was aborted. The next call goes on with this window. */
  | { readonly outcome: 'stopped'; readonly progress: StatementProgress }
  /** Another call has taken the run over. */
  | { readonly outcome: 'superseded' };

/** What a phase has come to: the run as it goes on; nothing where another attempt has it. */
export type Phase =
  | { readonly kind: 'on'; readonly held: HeldRun | undefined }
  | { readonly kind: 'stopped'; readonly run: StatementRun }
  | { readonly kind: 'ended'; readonly outcome: StatementOutcome };

/** How many lines or claims are one part. */
export const partSize = 100;

/** Where a run begins, and begins anew. */
export const atTheBegin = { phase: 'lines', position: 0, shard: 0, counts: nothingCounted } as const;

/** Stores what a part has found, up to `mostFindings` of a run. Accepted findings do not count. */
export async function keep(
  { store, mostFindings, justStored }: StatementSettings,
  counts: StatementCounts,
  findings: readonly Finding[],
): Promise<StatementCounts> {
  let { met, notStored } = counts;
  for (const finding of findings) {
    if (met >= mostFindings) notStored++;
    else if (isOpenFinding(await storeFinding(store, finding))) {
      met++;
      justStored.add(finding.id);
    }
  }
  return { ...counts, met, notStored };
}

export function added(counts: StatementCounts, more: Partial<StatementCounts>): StatementCounts {
  const sum = { ...counts };
  for (const [name, count] of Object.entries(more)) sum[name as keyof StatementCounts] += count;
  return sum;
}

export async function move(
  settings: StatementSettings,
  { run, note }: HeldRun,
  on: Partial<StatementRun>,
): Promise<HeldRun | undefined> {
  const next = { ...run, ...on };
  const held = await writeRun(settings.store, next, note);
  if (held !== undefined) progressed(settings, next);
  return held;
}

export function progressed({ onProgress }: StatementSettings, { phase, counts }: StatementRun): void {
  callListener(onProgress, { phase, lines: counts.lines });
}

/** Waits for all of them, also if one fails: what is still under way must not go on behind the caller's back. @throws the first error */
export async function allOf<T>(working: readonly Promise<T>[]): Promise<readonly T[]> {
  const ended = await Promise.allSettled(working);
  return ended.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}
