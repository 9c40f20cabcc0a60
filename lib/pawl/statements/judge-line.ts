import type { ClaimFact } from '../engine/events.ts';
import { change } from '../kernel/change.ts';
import { callListener } from '../kernel/listener.ts';
import { type ResolvingDesk, resolve } from '../operate/resolve.ts';
import { type ClaimRecord, understood } from '../rules/record.ts';
import { type LineMark, stated } from '../rules/stated.ts';
import { endCorrected } from './corrected.ts';
import { type Finding, type FindingKind, findingOf } from './finding.ts';
import {
  differencesOf,
  markOf,
  nameOf,
  partsOfMark,
  type ReadableLine,
  type StatementLine,
  subjectOf,
} from './line.ts';
import type { StatementSettings } from './options.ts';
import type { StatementCounts } from './run-note.ts';

/**
 * One line of a statement, and the claim that it is about.
 *
 * Owns: what a line does to its claim, and what it makes a finding. Does not own: the rules. `stated` says what a line is to a completed claim; a claim
 * that is not completed is decided as an operator decides it: `resolve`, with its park, its fence and its conditions.
 *
 * 1. Every write is conditional on the claim's being the one that was seen. A worker that holds a claim keeps it.
 * 2. To judge a line again gives the same result: a run that was killed repeats a part.
 */

/** What came of a line: what is counted, and what was found. */
export interface JudgedLine {
  readonly counted: Partial<StatementCounts>;
  readonly findings: readonly Finding[];
}

const ofTwoPayloads =
  'under observe its key had two payloads, and which of them the line is about is not known: look both up';

/** Who decides a claim by a line, as it stands on the claim. */
const by = 'statement';

/** @param run the token of the run. @throws the store's error */
export async function judgeLine(
  settings: StatementSettings,
  line: ReadableLine,
  run: string,
  position: number,
): Promise<JudgedLine> {
  const { operation, host, tolerance } = settings;
  const mark = markOf(line, run, position, host);
  const subject = subjectOf(line, operation, host);
  const find = (kind: FindingKind, name: readonly string[], more: Partial<Finding> = {}): JudgedLine => {
    const { cursor: _, unreadable: __, ...shown } = line;
    const what = { kind, operation, foundAt: host.now(), line: shown, ...more };
    return { counted: { lines: 1 }, findings: [findingOf(what, name, host)] };
  };
  switch (subject.kind) {
    case 'other-operation':
      return { counted: { outside: 1 }, findings: [] };
    case 'unreadable':
      return {
        ...find('unreadable', [nameOf(line, host)], { why: subject.why }),
        counted: { lines: 1, unreadable: 1 },
      };
    case 'no-key':
      return find('missing-here', partsOfMark(mark));
  }
  const { id } = subject;
  const after = await confirm(settings, id, line, mark);
  const { found } = after;
  const seen = { claimId: id, status: found?.status, attributes: found?.attributes };
  if (after.kind === 'ambiguous') {
    return {
      ...find('unreadable', [nameOf(line, host)], { ...seen, why: ofTwoPayloads }),
      counted: { lines: 1, unreadable: 1 },
    };
  }
  if (after.kind === 'undecided') return find('undecided', [id, ...partsOfMark(mark)], { ...seen, why: after.why });
  if (after.kind !== 'confirmed') return find(after.kind, [id, ...partsOfMark(mark)], seen);
  const differences = differencesOf(line, found?.attributes, tolerance);
  const settled = found?.resolution?.by === by && found.resolution.note === resolutionNote(mark) ? 1 : 0;
  const different =
    differences.length === 0 ? undefined : find('differs', [id, JSON.stringify(differences)], { ...seen, differences });
  // A claim that has forgotten what it said agrees with nothing.
  if (after.wasRead && found?.attributes !== undefined)
    await endCorrected(settings, id, line, different?.findings[0]?.id);
  if (different !== undefined) {
    return { ...different, counted: { lines: 1, settled } };
  }
  const uncompared = line.facts !== undefined && found?.attributes === undefined ? 1 : 0;
  return { counted: { lines: 1, matched: 1, settled, uncompared }, findings: [] };
}

/** What a line and its claim have come to. */
type Confirmed =
  /** `wasRead`: by an earlier run, or by this one before it was killed. */
  | { readonly kind: 'confirmed'; readonly found: ClaimRecord | undefined; readonly wasRead: boolean }
  | { readonly kind: 'twice' | 'missing-here' | 'ambiguous'; readonly found: ClaimRecord | undefined }
  | { readonly kind: 'undecided'; readonly found: ClaimRecord; readonly why: string };

/** Marks the claim with its line. If its outcome is in doubt, the line decides it first. */
async function confirm(
  settings: StatementSettings,
  id: string,
  line: StatementLine,
  mark: LineMark,
): Promise<Confirmed> {
  const { store, host } = settings;
  let found = understood(await store.read(id));
  for (;;) {
    const said = stated(found, mark);
    switch (said.kind) {
      case 'missing-here':
        return { kind: 'missing-here', found };
      case 'twice':
      case 'ambiguous':
        return said;
      case 'known':
        return { kind: 'confirmed', found: said.found, wasRead: true };
      case 'undecided': {
        const why = await completeBy(settings, said.found, line, mark);
        if (why !== undefined) return { kind: 'undecided', found: said.found, why };
        found = understood(await store.read(id));
        break;
      }
      case 'confirmed': {
        const changed = await change(host, {
          seen: said.found,
          transition: (now) => {
            const again = stated(understood(now), mark);
            return again.kind === 'confirmed' ? again.next : again.kind === 'known' ? 'applied' : 'stale';
          },
          write: (write) => store.write(write),
          requestMs: 5000,
          until: host.now() + 30_000,
        });
        if (changed.kind === 'applied') return { kind: 'confirmed', found: changed.record, wasRead: false };
        found = understood(await store.read(id));
      }
    }
  }
}

/**
 * Decides a claim that is not completed: the provider has its effect.
 *
 * @returns why it could not; nothing where the claim has changed, and is to be looked at again
 */
async function completeBy(
  settings: StatementSettings,
  found: ClaimRecord,
  line: StatementLine,
  mark: LineMark,
): Promise<string | undefined> {
  // A line is about one effect. Of a claim with several, it does not say that all of them have happened.
  if (found.checkpoints !== undefined) return 'the claim has steps, and a line does not say which of them it is';
  const { store, host, retentionSeconds } = settings;
  // The resolution is reported as what it is to the claim: its provider has spoken.
  const desk: ResolvingDesk = { store, host, rules: { retentionSeconds }, emit: () => undefined };
  const resolved = { by, note: resolutionNote(mark), fence: found.fence };
  const { outcome } = await resolve(desk, { id: found.id }, 'applied', resolved, line.at);
  if (outcome === 'in-flight') return 'a worker holds the claim';
  if (outcome === 'steps-in-doubt') return 'steps of the claim are in doubt';
  if (outcome === 'resolved')
    reportStatement(settings, { type: 'reconciled', verdict: 'applied', settled: true }, found.id);
  return undefined;
}

function resolutionNote({ line }: LineMark): string {
  return `the provider's statement has it: line ${line}`;
}

/** Reports to the listener of a run. Never throws. */
export function reportStatement({ operation, host, onEvent }: StatementSettings, fact: ClaimFact, id = ''): void {
  callListener(onEvent, { operation, id, at: host.now(), ...fact });
}
