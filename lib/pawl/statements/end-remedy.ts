import type { Host } from '../kernel/host.ts';
import { propertyOf } from '../kernel/unknown.ts';
import type { KeepsNotes } from '../rules/notes.ts';
import { type ClaimRecord, type ClaimStatus, understood } from '../rules/record.ts';
import { type BegunRemedy, isUnderRemedy, type Remedied, reservationFate } from '../rules/remedy.ts';
import type { Reservation } from '../rules/reservations.ts';
import type { ClaimStore } from '../rules/store.ts';
import { changeFinding, type Finding, isOpenFinding, readFinding } from './finding.ts';
import { endReservationIn, readCounter } from './reservation-note.ts';

/**
 * How a remedy ends: its claim decides, then its finding says so, then its reservation is counted.
 *
 * 1. Each of the three is written after the one before it, and each may be written twice. A process that dies in between leaves a reservation, and whoever
 *    looks at it next does what is left.
 * 2. Only a claim that is completed or rejected ends a remedy. Until then its reservation stays: the effect may happen under it.
 */

/** What remedies are counted with. */
export interface RemedyDesk {
  readonly store: ClaimStore & KeepsNotes;
  readonly host: Host;
  /** Of the findings. */
  readonly operation: string;
}

/** What became of a reservation that was looked at. */
export type SettledReservation = Reservation &
  (
    | { readonly outcome: 'confirmed' | 'given-back' }
    /** `status`: of the claim of its remedy; absent if the remedy has not begun, and the next run uses the reservation. */
    | {
        readonly outcome: 'stays';
        readonly claimId?: string | undefined;
        readonly status?: ClaimStatus | 'none' | undefined;
      }
  );

/** What a claim says whose effect a person has applied. */
export interface AppliedByHand {
  readonly byHand: { readonly by: string; readonly note: string };
}

/** Settles the reservations that are neither confirmed nor given back. Those of remedies under way stay. @throws the store's error */
export async function settleReservations(desk: RemedyDesk): Promise<readonly SettledReservation[]> {
  const settled: SettledReservation[] = [];
  for (const reservation of (await readCounter(desk))?.open ?? [])
    settled.push(await settleReservation(desk, reservation));
  return settled;
}

/** @throws the store's error */
export async function settleReservation(desk: RemedyDesk, reservation: Reservation): Promise<SettledReservation> {
  const { store } = desk;
  const fateBy = (said: Finding | undefined) =>
    reservationFate(said, said !== undefined && isOpenFinding(said), reservation.id);
  let finding = await readFinding(store, reservation.finding);
  let fate = fateBy(finding);
  let status: ClaimStatus | 'none' | undefined;
  if (fate === 'look' && finding?.remedy !== undefined) {
    const claim = understood(await store.read(finding.remedy.claimId));
    status = claim?.status ?? 'none';
    finding = await endByClaim(desk, finding, claim);
    fate = fateBy(finding);
  }
  if (fate !== 'confirm' && fate !== 'give-back')
    return { ...reservation, outcome: 'stays', claimId: finding?.remedy?.claimId, status };
  await endReservationIn(desk, reservation.id, fate);
  return { ...reservation, outcome: fate === 'confirm' ? 'confirmed' : 'given-back' };
}

/** Writes on a finding what the claim of its remedy says, if that is decided. */
async function endByClaim(
  { store, host }: RemedyDesk,
  finding: Finding,
  claim: ClaimRecord | undefined,
): Promise<Finding | undefined> {
  const { id, remedy } = finding;
  if (remedy === undefined || (claim?.status !== 'completed' && claim?.status !== 'rejected')) return finding;
  const now = host.now();
  const { error = { name: 'Error', message: '' } } = claim;
  const isSame = (found: Finding) => isUnderRemedy(found) && found.remedy?.reservation === remedy.reservation;
  const ended =
    claim.status === 'completed'
      ? { remedied: remediedBy(claim, remedy, now) }
      : { remedy: { ...remedy, failed: error } };
  return changeFinding(store, id, (found) => (isSame(found) ? { ...found, ...ended } : undefined), now);
}

function remediedBy({ result }: ClaimRecord, remedy: BegunRemedy, at: number): Remedied {
  const { operation, claimId, amount, by, note } = remedy;
  const said =
    result === undefined ? undefined : propertyOf(JSON.parse(result), 'byHand' satisfies keyof AppliedByHand);
  if (said === undefined) return { how: 'remedy', operation, claimId, amount, by, note, at };
  return { how: 'by-hand', claimId, by: String(propertyOf(said, 'by')), note: String(propertyOf(said, 'note')), at };
}
