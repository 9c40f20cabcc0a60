import { once } from '../engine/once.ts';
import { isUnderRemedy, type Remedied } from '../rules/remedy.ts';
import { type AppliedByHand, type RemedyDesk, settleReservation } from './end-remedy.ts';
import { changeFinding, type Finding, isOpenFinding, readFinding } from './finding.ts';
import { remedyKey } from './remedy-key.ts';

/** What became of a finding that a person has settled outside of pawl. */
export type ByHandResult =
  | { readonly outcome: 'settled-by-hand'; readonly finding: Finding }
  /** It is settled already, by its remedy say: `finding.remedied`. Nothing was changed. */
  | { readonly outcome: 'not-open'; readonly finding: Finding }
  /** Its remedy has begun, and may happen or have happened: resolve the claim `claimId` first. Nothing was changed. */
  | { readonly outcome: 'under-remedy'; readonly finding: Finding; readonly claimId: string }
  | { readonly outcome: 'unknown-finding' };

/**
 * Records that a person has settled a finding. From then on, no remedy of it begins.
 *
 * A remedy that has begun may still run: its claim says which of both it was. So the claim is asked for, as its worker would, and is completed with what the
 * person says. Where the claim may have had its effect, nothing is changed.
 *
 * @throws the store's error
 */
export async function settleByHand(
  desk: Omit<RemedyDesk, 'operation'>,
  id: string,
  { by, note }: { readonly by: string; readonly note: string },
): Promise<ByHandResult> {
  const { store, host } = desk;
  const remedied: Remedied = { how: 'by-hand', by, note, at: host.now() };
  for (;;) {
    const stored = await changeFinding(
      store,
      id,
      (found) => (isOpenFinding(found) && !isUnderRemedy(found) ? { ...found, remedied } : undefined),
      remedied.at,
    );
    if (stored === undefined) return { outcome: 'unknown-finding' };
    const { remedied: is, remedy } = stored;
    const isOurs = is?.how === 'by-hand' && is.by === by && is.note === note && is.at === remedied.at;
    if (isOurs) return { outcome: 'settled-by-hand', finding: stored };
    if (!isUnderRemedy(stored) || remedy === undefined) return { outcome: 'not-open', finding: stored };
    const { operation, reservation, amount, claimId } = remedy;
    const record = once<Finding, AppliedByHand>(
      // Of an earlier attempt that may have had its effect, this one knows nothing.
      {
        ...{ operation, store, host, key: remedyKey, onAbandoned: 'park', onEvent: () => undefined },
        retentionSeconds: 'forever',
      },
      async () => ({ byHand: { by, note } }),
    );
    const { outcome } = await record.outcome(stored);
    const counting = { ...desk, operation: stored.operation };
    await settleReservation(counting, { id: reservation, finding: id, amount, at: 0 });
    const after = await readFinding(store, id);
    if (after === undefined || isUnderRemedy(after)) return { outcome: 'under-remedy', finding: stored, claimId };
    // It was rejected: nothing was applied, and the finding is open.
    if (isOpenFinding(after) && outcome === 'rejected') continue;
    const said = after.remedied;
    const byUs = said?.how === 'by-hand' && said.by === by && said.note === note;
    return { outcome: byUs ? 'settled-by-hand' : 'not-open', finding: after };
  }
}
