import type { Host } from '../kernel/host.ts';
import { joined, ownParts } from '../kernel/name.ts';
import { type KeepsNotes, type Note, noteSchema } from '../rules/notes.ts';
import {
  endReservation,
  type RemedyCounter,
  type RemedyLimits,
  type Reserved,
  reserve,
} from '../rules/reservations.ts';

/** Where the remedies of an operation are counted: one note beside the claims. What may be written there, `reservations.ts` says. */

interface Counting {
  readonly store: KeepsNotes;
  readonly host: Pick<Host, 'now'>;
  /** Of the findings. */
  readonly operation: string;
}

export function counterId(operation: string): string {
  return joined(ownParts('remedies', operation));
}

export async function readCounter({ store, operation }: Omit<Counting, 'host'>): Promise<RemedyCounter | undefined> {
  const note = await store.readNote(counterId(operation));
  return note && counterIn(note);
}

/** Reserves for a finding, in one conditional write. A write whose response was lost is found as the reservation that it made. @throws the store's error */
export async function reserveIn(
  counting: Counting,
  wanted: { readonly id: string; readonly finding: string; readonly amount: number },
  limits: Pick<RemedyLimits, 'perDay'>,
): Promise<Reserved> {
  let said: Reserved | undefined;
  await changeCounter(counting, (found) => {
    said = reserve(found, wanted, limits, counting.host.now());
    return said.kind === 'reserved' ? said.next : undefined;
  });
  return said as Reserved;
}

/** Ends a reservation, once: a second time changes nothing. @throws the store's error */
export function endReservationIn(counting: Counting, id: string, how: 'confirm' | 'give-back'): Promise<void> {
  return changeCounter(counting, (found) => endReservation(found, id, how, counting.host.now()));
}

async function changeCounter(
  { store, operation }: Counting,
  change: (found: RemedyCounter | undefined) => RemedyCounter | undefined,
): Promise<void> {
  const id = counterId(operation);
  let seen = await store.readNote(id);
  for (;;) {
    const changed = change(seen && counterIn(seen));
    if (changed === undefined) return;
    const next: Note = { id, rev: (seen?.rev ?? 0) + 1, text: JSON.stringify(changed), v: noteSchema };
    const written = await store.writeNote({ next, seen });
    if (written.applied) return;
    seen = written.found;
  }
}

function counterIn({ text }: Note): RemedyCounter {
  return JSON.parse(text) as RemedyCounter;
}
