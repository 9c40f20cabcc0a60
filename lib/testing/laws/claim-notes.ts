import { setTimeout as sleep } from 'node:timers/promises';
import {
  type KeepsNotes,
  keepsNotes,
  type Note,
  noteSchema,
  openShard,
  type PlaceEntry,
  stated,
  statementDue,
  successor,
  unstatedPlace,
  withListing,
} from 'pawl/internal';
import { type ClaimStage, create } from './claim-stage.ts';
import { expectSame, expectThat, isSame } from './expect.ts';
import type { Law } from './law.ts';
import { claimRecord, freshKey, operation, someDay } from './records.ts';

/** Before a list that is not right is read again, in milliseconds. */
const pauseMs = 50;
const lostProgress = 'A run of statements would lose its place, or two runs would move one.';
const overlooked = 'What the list lacks, no run looks at.';

function note(name: string, changes: Partial<Note> = {}): Note {
  return { id: `#note#${freshKey()}#${name}`, rev: 1, text: '{"a":1}', v: noteSchema, ...changes };
}

/** @throws AssertionError when the store keeps no notes */
function notesOf({ store }: ClaimStage): KeepsNotes {
  const listed = withListing(store);
  if (keepsNotes(listed)) return listed;
  expectThat(false, 'The store keeps no notes', 'These laws are about them: leave keepsNotes out, or add them.');
  throw new TypeError('unreachable');
}

/** All pages of a place, read again until they are as expected, or the list may lag no more. */
async function expectListed(
  stage: ClaimStage,
  query: { readonly place: string; readonly until: number; readonly limit: number },
  expected: readonly string[],
): Promise<void> {
  for (let waited = 0; ; waited += pauseMs) {
    const found: string[] = [];
    let after: PlaceEntry | undefined;
    do {
      const page = await notesOf(stage).listPlace({ ...query, after });
      expectThat(page.entries.length <= query.limit, 'A page is longer than its limit', 'Memory is planned by it.');
      found.push(...page.entries.map(({ id }) => id));
      ({ after } = page);
      // A list that never ends must fail, and not hang.
    } while (after !== undefined && found.length <= 2 * expected.length);
    if (isSame(found, expected)) return;
    if (waited >= stage.listLagMs) expectSame(`The entries of ${query.place}`, found, expected, overlooked);
    await sleep(pauseMs);
  }
}

/** What a store that keeps notes must do. */
export const noteLaws: readonly Law<ClaimStage>[] = [
  {
    name: 'keeps a note as it was written',
    async run(stage) {
      const notes = notesOf(stage);
      const next = note('kept', { firstSeenAt: someDay, open: `#place#${freshKey()}`, expiresAt: 4_000_000_000 });
      expectSame('The first write', await notes.writeNote({ next, seen: undefined }), { applied: true }, lostProgress);
      expectSame('The note', await notes.readNote(next.id), next, lostProgress);
      expectSame('A note that is not there', await notes.readNote(`${next.id}x`), undefined, lostProgress);
    },
  },
  {
    name: 'writes a note only if it is still the one that was seen, and says what stands there',
    async run(stage) {
      const notes = notesOf(stage);
      const first = note('moved');
      const second = { ...first, rev: 2, text: '{"a":2}' };
      await notes.writeNote({ next: first, seen: undefined });
      const again = await notes.writeNote({ next: second, seen: undefined });
      expectSame('A second first write', again, { applied: false, found: first }, lostProgress);
      expectSame('A write', await notes.writeNote({ next: second, seen: first }), { applied: true }, lostProgress);
      const late = await notes.writeNote({ next: { ...first, rev: 2, text: 'late' }, seen: first });
      expectSame('A late write', late, { applied: false, found: second }, lostProgress);
      expectSame('The note', await notes.readNote(first.id), second, lostProgress);
    },
  },
  {
    name: 'lists a place from the first seen to the last, each entry once, whatever the size of a page',
    async run(stage) {
      const notes = notesOf(stage);
      const place = `#place#${freshKey()}`;
      const all = [5, 1, 4, 2, 3, 0, 6].map((day) => note(`${day}`, { open: place, firstSeenAt: someDay + day }));
      for (const next of all) await notes.writeNote({ next, seen: undefined });
      const other = note('elsewhere', { open: `${place}x`, firstSeenAt: someDay });
      await notes.writeNote({ next: other, seen: undefined });
      const until = someDay + 5;
      const ids = all
        .filter(({ firstSeenAt = 0 }) => firstSeenAt <= until)
        .toSorted((one, two) => (one.firstSeenAt ?? 0) - (two.firstSeenAt ?? 0))
        .map(({ id }) => id);
      for (const limit of [100, 2, 1]) await expectListed(stage, { place, until, limit }, ids);
    },
  },
  {
    name: 'lists a note no longer than it says',
    async run(stage) {
      const notes = notesOf(stage);
      const place = `#place#${freshKey()}`;
      const first = note('ended', { open: place, firstSeenAt: someDay });
      await notes.writeNote({ next: first, seen: undefined });
      await expectListed(stage, { place, until: someDay, limit: 10 }, [first.id]);
      const { open: _, ...rest } = first;
      await notes.writeNote({ next: { ...rest, rev: 2 }, seen: first });
      await expectListed(stage, { place, until: someDay, limit: 10 }, []);
    },
  },
  {
    name: 'lists a completed claim that waits for a statement, until a line has confirmed it',
    async run(stage) {
      const id = `${operation}#${freshKey()}`;
      const inFlight = successor(undefined, claimRecord({ id, statement: statementDue }));
      await create(stage, inFlight);
      const query = { place: unstatedPlace(operation, openShard(id)), until: inFlight.firstSeenAt, limit: 1000 };
      const isListed = async () => {
        let after: PlaceEntry | undefined;
        do {
          const page = await notesOf(stage).listPlace({ ...query, after });
          if (page.entries.some((entry) => entry.id === id)) return true;
          ({ after } = page);
        } while (after !== undefined);
        return false;
      };
      const expectThere = async (expected: boolean) => {
        for (let waited = 0; (await isListed()) !== expected; waited += pauseMs) {
          if (waited >= stage.listLagMs) expectSame('Whether the claim is listed', !expected, expected, overlooked);
          await sleep(pauseMs);
        }
      };
      await expectThere(false);
      const completed = successor(inFlight, { ...inFlight, status: 'completed' });
      await stage.store.write({ next: completed, seen: inFlight });
      await expectThere(true);
      const said = stated(completed, { line: 'txn_1', isId: true, run: 'run-1', position: 0 });
      if (said.kind === 'confirmed') await stage.store.write({ next: said.next, seen: completed });
      await expectThere(false);
    },
  },
];
