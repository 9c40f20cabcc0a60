import { hadOtherIntent } from './observed.ts';
import { statementDue } from './open.ts';
import type { ClaimRecord } from './record.ts';
import { successor } from './successor.ts';

/**
 * What a line of the provider's statement makes of a claim. Pure, like `decide`.
 *
 * Owns: the mark of a line on a claim, and when a second line is a second effect. Does not own: how a claim in doubt is decided by a line
 * (that is a resolution, `resolve.ts`), or what is compared.
 *
 * 1. A line marks a completed claim, and no other one. So a claim that is completed later waits for its statement.
 * 2. The first line stays. A line that is not that one says that the effect happened twice.
 * 3. The same line, read again by the same run or by a later one, changes nothing: a run that was killed may repeat what it has done.
 * 4. A key under which a run was observed with another intent has effects of both: its lines decide nothing. Two of them would look like one effect that happened twice.
 * 5. A line that is looked at again outside of its statement has no place there. It is the line that says the same, and no second one.
 */

/** Which line of a statement this is. */
export interface LineMark {
  /** The provider's own id of the line; or what the line says, where it has none. */
  readonly line: string;
  /** Whether `line` is the provider's own id. */
  readonly isId: boolean;
  /** The token of the run that reads it, and its place: two lines that say the same are told apart by it. */
  readonly run: string;
  readonly position: number;
}

/** The place of a line that is looked at again, outside of its statement. */
export const noPlace = -1;

/** What becomes of a line and its claim. */
export type Stated =
  /** No effect of this claim should have happened: there is no claim, or it was rejected. */
  | { readonly kind: 'missing-here' }
  /** Of which of the key's intents it is cannot be known. */
  | { readonly kind: 'ambiguous'; readonly found: ClaimRecord }
  /** The claim is not completed: its outcome is in doubt, or it was released. */
  | { readonly kind: 'undecided'; readonly found: ClaimRecord }
  /** The line is the first one of a completed claim. It counts once this is written. */
  | { readonly kind: 'confirmed'; readonly next: ClaimRecord; readonly found: ClaimRecord }
  /** This very line is on the claim. */
  | { readonly kind: 'known'; readonly found: ClaimRecord }
  /** Another line is. */
  | { readonly kind: 'twice'; readonly found: ClaimRecord };

export function stated(found: ClaimRecord | undefined, mark: LineMark): Stated {
  if (found === undefined || found.status === 'rejected') return { kind: 'missing-here' };
  if (hadOtherIntent(found)) return { kind: 'ambiguous', found };
  if (found.status !== 'completed') return { kind: 'undecided', found };
  const earlier = statedBy(found);
  if (earlier !== undefined) return { kind: isSameLine(earlier, mark) ? 'known' : 'twice', found };
  const { line, isId, run, position } = mark;
  const statement = JSON.stringify([line, isId ? 1 : 0, run, position]);
  return { kind: 'confirmed', next: successor(found, { ...found, statement }), found };
}

/** Whether the provider's statement has had this claim. */
export function isStated(found: Pick<ClaimRecord, 'statement'>): boolean {
  return statedBy(found) !== undefined;
}

/** The line that a claim is marked with. */
export function statedBy({ statement }: Pick<ClaimRecord, 'statement'>): LineMark | undefined {
  if (statement === undefined || statement === statementDue) return undefined;
  const [line, isId, run, position] = JSON.parse(statement) as [string, number, string, number];
  return { line, isId: isId === 1, run, position };
}

/** Lines without an id that say the same are one line to two runs, whose windows overlap; and two lines at two places of one run. */
function isSameLine(one: LineMark, other: LineMark): boolean {
  if (one.line !== other.line || one.isId !== other.isId) return false;
  if (one.isId || one.run !== other.run || one.position === other.position) return true;
  return one.position === noPlace || other.position === noPlace;
}
