import { hadOtherIntent } from '../rules/observed.ts';
import { understood } from '../rules/record.ts';
import { isUnderRemedy } from '../rules/remedy.ts';
import { isStated, type LineMark, noPlace, statedBy } from '../rules/stated.ts';
import type { RemedyDesk } from './end-remedy.ts';
import { type Finding, findingOf, readFinding } from './finding.ts';
import { markOf, partsOfMark } from './line.ts';

/**
 * Whether a finding still says what is so, before its remedy begins: the comparison may be hours old, and its remedy is money.
 *
 * 1. A claim that was missing may have come, and a line that was missing may have been read.
 * 2. A run may have been observed under its key with another payload: then two lines are no effect that happened twice.
 * 3. A line may have several findings: before and behind a correction of its key, or before and behind its claim. One of them is settled.
 */

/** @throws the store's error */
export async function outOfDate(
  desk: Pick<RemedyDesk, 'store' | 'host'>,
  finding: Finding,
): Promise<'out-of-date' | 'line-settled' | undefined> {
  const { kind, claimId, line } = finding;
  const found = claimId === undefined ? undefined : understood(await desk.store.read(claimId));
  if (found !== undefined && hadOtherIntent(found)) return 'out-of-date';
  if (kind === 'missing-here' && found !== undefined && found.status !== 'rejected') return 'out-of-date';
  if (kind === 'missing-there' && found !== undefined && isStated(found)) return 'out-of-date';
  if (kind !== 'missing-here' && kind !== 'twice') return undefined;
  const own = line === undefined ? undefined : markOf(line, '', noPlace, desk.host);
  // Of two lines of one claim, the first may be the one that was given back when it had no claim.
  const first = kind === 'twice' ? found && statedBy(found) : undefined;
  const ids = new Set([own, first].flatMap((mark) => (mark === undefined ? [] : idsOf(desk, finding, mark))));
  ids.delete(finding.id);
  const others = await Promise.all(Array.from(ids, (id) => readFinding(desk.store, id)));
  const isSettled = others.some((one) => one !== undefined && (one.remedied !== undefined || isUnderRemedy(one)));
  return isSettled ? 'line-settled' : undefined;
}

/** The findings that say of a line that its effect is one too many. */
function idsOf({ host }: Pick<RemedyDesk, 'host'>, { claimId, operation }: Finding, mark: LineMark): readonly string[] {
  const named = (kind: Finding['kind'], subject: readonly string[]) =>
    findingOf({ kind, operation, foundAt: 0 }, subject, host).id;
  const parts = partsOfMark(mark);
  const ofClaim = claimId === undefined ? [] : [claimId, ...parts];
  return [
    ...(ofClaim.length > 0 ? [named('missing-here', ofClaim), named('twice', ofClaim)] : []),
    // Without the provider's id, lines that say the same may be two effects.
    ...(mark.isId ? [named('missing-here', parts)] : []),
  ];
}
