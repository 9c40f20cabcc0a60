import { expect, it } from 'vitest';
import {
  endReservation,
  mostReservations,
  type RemedyCounter,
  reserve,
  takenOf,
} from '../../../lib/pawl/rules/reservations.ts';

const noon = Date.UTC(2026, 10, 27, 12);
const day = 24 * 3_600_000;
const perDay = { count: 1000, amount: 1_000_000 };

function reserved(found: RemedyCounter | undefined, finding: string, amount = 500, now = noon): RemedyCounter {
  const said = reserve(found, { id: `r-${finding}`, finding, amount }, { perDay }, now);
  if (said.kind !== 'reserved' || said.next === undefined) throw new Error(`it is ${said.kind}`);
  return said.next;
}

it('reserves once for a finding, whoever asks', () => {
  const counter = reserved(undefined, 'a');
  const again = reserve(counter, { id: 'r-2', finding: 'a', amount: 500 }, { perDay }, noon);
  expect(again).toEqual({ kind: 'reserved', reservation: counter.open[0], next: undefined });
  expect(reserve(counter, { id: 'r-2', finding: 'a', amount: 501 }, { perDay }, noon)).toEqual({
    kind: 'amount-changed',
  });
});

it('lets the limit be reached, and not exceeded, in number and in money', () => {
  const counter = reserved(reserved(undefined, 'a'), 'b');
  const third = (limit: typeof perDay) =>
    reserve(counter, { id: 'r', finding: 'c', amount: 500 }, { perDay: limit }, noon);
  expect(third({ count: 3, amount: 1500 }).kind).toBe('reserved');
  expect(third({ count: 2, amount: 1500 })).toEqual({ kind: 'limit', limit: 'count-per-day' });
  expect(third({ count: 3, amount: 1499 })).toEqual({ kind: 'limit', limit: 'amount-per-day' });
});

it('confirms a reservation once, and counts what is spent; given back, it counts no more', () => {
  const two = reserved(reserved(undefined, 'a', 300), 'b', 500);
  const confirmed = endReservation(two, 'r-a', 'confirm', noon);
  expect(confirmed).toMatchObject({ spent: { count: 1, amount: 300 }, open: [{ finding: 'b' }] });
  expect(endReservation(confirmed, 'r-a', 'confirm', noon)).toBeUndefined();
  expect(endReservation(confirmed, 'r-a', 'give-back', noon)).toBeUndefined();
  expect(takenOf(endReservation(confirmed, 'r-b', 'give-back', noon), noon)).toEqual({ count: 1, amount: 300 });
});

it('counts what is reserved on the day on which it is spent, and never goes back to an earlier day', () => {
  const spent = endReservation(reserved(reserved(undefined, 'a'), 'b'), 'r-a', 'confirm', noon);
  expect(takenOf(spent, noon + day)).toEqual({ count: 1, amount: 500 });
  const tomorrow = endReservation(spent, 'r-b', 'confirm', noon + day);
  expect(tomorrow).toMatchObject({ day: '2026-11-28', spent: { count: 1, amount: 500 } });
  // A worker whose clock is behind.
  expect(takenOf(tomorrow, noon)).toEqual({ count: 1, amount: 500 });
  expect(reserved(tomorrow, 'c', 100, noon)).toMatchObject({ day: '2026-11-28', spent: { count: 1, amount: 500 } });
});

it('begins no further remedy while a hundred are neither confirmed nor given back', () => {
  let counter: RemedyCounter | undefined;
  for (let index = 0; index < mostReservations; index++) counter = reserved(counter, `f-${index}`);
  expect(reserve(counter, { id: 'r', finding: 'one more', amount: 1 }, { perDay }, noon)).toEqual({
    kind: 'limit',
    limit: 'open-reservations',
  });
  expect(reserve(counter, { id: 'r', finding: 'f-7', amount: 500 }, { perDay }, noon).kind).toBe('reserved');
});
