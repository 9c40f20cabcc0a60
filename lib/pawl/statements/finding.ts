import type { Host } from '../kernel/host.ts';
import { boundedName, joined, ownParts } from '../kernel/name.ts';
import type { KeepsNotes, Note, PlaceEntry } from '../rules/notes.ts';
import { noteSchema } from '../rules/notes.ts';
import type { Attributes, ClaimStatus } from '../rules/record.ts';
import { isUnderRemedy, type RemedyState } from '../rules/remedy.ts';
import type { Difference, StatementLine } from './line.ts';

/**
 * What a run has found, and where it is kept: a note beside the claims, with an id that no claim can have.
 *
 * 1. A finding has one id, however often it is found. A run that repeats a part, and a run whose window overlaps, find the same one.
 * 2. A finding is open until an operator accepts it, a remedy or a person has settled it, or a later look at it shows that it is settled. Only an open one is
 *    listed.
 * 3. A finding whose remedy has begun ends with the remedy alone: its effect may be under way (`remedy.ts`).
 * 4. A finding that was accepted or settled is remembered for `keptSeconds`, so that no run reports it anew. Only a difference that was corrected, and is
 *    there again, is open again.
 */

/**
 * - `missing-here`: the provider applied the effect, and there is no claim of it, or a rejected one. It may have to be refunded.
 * - `missing-there`: the claim is completed, and the provider has no line of it.
 * - `differs`: the line and the claim's attributes say something else.
 * - `twice`: the provider has two lines of one effect.
 * - `unreadable`: a line of which no claim can be found.
 * - `undecided`: a line whose claim a worker holds, or whose claim has steps. The next run looks at it again.
 */
export type FindingKind = 'missing-here' | 'missing-there' | 'differs' | 'twice' | 'unreadable' | 'undecided';

export const findingKinds: readonly FindingKind[] = [
  'missing-here',
  'missing-there',
  'differs',
  'twice',
  'unreadable',
  'undecided',
];

/** One thing on which the claims and the provider's statement do not agree. */
export interface Finding extends RemedyState {
  /** Its name for `accept` and `settleByHand`. */
  readonly id: string;
  readonly kind: FindingKind;
  readonly operation: string;
  /** When it was found first, in epoch milliseconds. */
  readonly foundAt: number;
  /** The id of the claim; absent where the line has no key of pawl. */
  readonly claimId?: string | undefined;
  readonly status?: ClaimStatus | undefined;
  readonly attributes?: Attributes | undefined;
  /** The line; absent where it is missing. */
  readonly line?: StatementLine | undefined;
  /** Of `differs`. */
  readonly differences?: readonly Difference[] | undefined;
  /** Of `unreadable` and `undecided`. */
  readonly why?: string | undefined;
  /** Who accepted it, and why. Absent while it is open. */
  readonly accepted?: { readonly by: string; readonly note: string; readonly at: number } | undefined;
  /** A later look at it has shown that it is settled, in epoch milliseconds. */
  readonly settledAt?: number | undefined;
  /** Of a difference that was corrected, the line as it was then. Absent where a run found the claim corrected without its line. */
  readonly settledBy?: StatementLine | undefined;
}

/** Where the index keeps the open findings of all operations. */
const place = joined(ownParts('findings'));
/** How long a finding is remembered that is not open any more, in seconds. */
const keptSeconds = 400 * 24 * 3600;

/** A finding as its run makes it. @param subject what tells it from others of its kind, in parts */
export function findingOf(what: Omit<Finding, 'id'>, subject: readonly string[], host: Pick<Host, 'sha256'>): Finding {
  return { id: boundedName(ownParts('finding', what.operation, what.kind), subject, host), ...what };
}

/** How the ids of findings begin. @param of of one operation; without one, of all */
export function findingPrefix(...of: readonly string[]): string {
  return joined([...ownParts('finding', ...of), '']);
}

/**
 * Stores a finding, unless it is known. A difference that was settled is open again: a corrected side is wrong again.
 *
 * @returns the finding as it is stored
 */
export async function storeFinding(store: KeepsNotes, finding: Finding): Promise<Finding> {
  let seen: Note | undefined;
  for (;;) {
    // What its remedy came to stays: it is not made a second time.
    const again = seen === undefined ? finding : { ...finding, remedy: findingIn(seen).remedy };
    const written = await store.writeNote({ next: noteOf(again, seen), seen });
    if (written.applied || written.found === undefined) return again;
    seen = written.found;
    const found = findingIn(seen);
    if (found.kind !== 'differs' || found.settledAt === undefined) return found;
  }
}

/** @returns undefined if there is no such finding */
export async function readFinding(store: KeepsNotes, id: string): Promise<Finding | undefined> {
  const note = await store.readNote(id);
  return note && findingIn(note);
}

/**
 * Ends a finding, if it is still open, and no remedy of it has begun.
 *
 * @param ended how: accepted, or settled
 * @returns the finding as it is stored; undefined if there is none
 */
export async function endFinding(
  store: KeepsNotes,
  id: string,
  ended: Pick<Finding, 'accepted' | 'settledAt' | 'settledBy'>,
  now: number,
): Promise<Finding | undefined> {
  const end = (found: Finding) => (isUnderRemedy(found) || !isOpenFinding(found) ? undefined : { ...found, ...ended });
  return changeFinding(store, id, end, now);
}

/**
 * Changes a finding. Each change is decided upon what stands there, and is written in its place or not at all.
 *
 * @param next what to make of it; `undefined`: it stays
 * @returns the finding as it is stored; undefined if there is none
 */
export async function changeFinding(
  store: KeepsNotes,
  id: string,
  next: (found: Finding) => Finding | undefined,
  now: number,
): Promise<Finding | undefined> {
  let seen = await store.readNote(id);
  for (;;) {
    if (seen === undefined) return undefined;
    const found = findingIn(seen);
    const changed = next(found);
    if (changed === undefined) return found;
    const written = await store.writeNote({ next: noteOf(changed, seen, now), seen });
    if (written.applied) return changed;
    seen = written.found;
  }
}

/**
 * Reads the open findings, of one operation or of all, the first found first. Memory holds a page.
 *
 * @param justStored ids of findings that the index may not list yet
 */
export async function* openFindings(
  store: KeepsNotes,
  operation: string | undefined,
  justStored: ReadonlySet<string> = new Set(),
): AsyncGenerator<Finding, void, undefined> {
  const unlisted = new Set(justStored);
  let after: PlaceEntry | undefined;
  do {
    const page = await store.listPlace({ place, until: Number.MAX_SAFE_INTEGER, limit: 100, after });
    ({ after } = page);
    const ids = page.entries.map(({ id }) => id);
    const ours = operation === undefined ? ids : ids.filter((id) => id.startsWith(findingPrefix(operation)));
    for (const id of ours) unlisted.delete(id);
    yield* stillOpen(ours);
  } while (after !== undefined);
  yield* stillOpen([...unlisted]);

  async function* stillOpen(ids: readonly string[]) {
    for (const finding of await Promise.all(ids.map((id) => readFinding(store, id)))) {
      // The index may lag: what stands in the note counts.
      if (finding !== undefined && isOpenFinding(finding)) yield finding;
    }
  }
}

export function isOpenFinding({ accepted, settledAt, remedied }: Finding): boolean {
  return accepted === undefined && settledAt === undefined && remedied === undefined;
}

function noteOf(finding: Finding, seen: Note | undefined, now = 0): Note {
  const { id, foundAt } = finding;
  const isOpen = isOpenFinding(finding);
  const listed = isOpen ? { open: place } : {};
  const kept = isOpen ? {} : { expiresAt: Math.ceil(now / 1000) + keptSeconds };
  return {
    id,
    rev: (seen?.rev ?? 0) + 1,
    text: JSON.stringify(finding),
    firstSeenAt: foundAt,
    ...listed,
    ...kept,
    v: noteSchema,
  };
}

function findingIn({ text }: Note): Finding {
  return JSON.parse(text) as Finding;
}
