import type { ClaimRecord, ClaimStore } from 'pawl/internal';
import { type ClaimStage, create, wasApplied } from './claim-stage.ts';
import { expectSame, expectThat } from './expect.ts';
import type { Law } from './law.ts';
import { claimRecord, freshId, successorOf } from './records.ts';

const writers = 10;
const twoWinners = 'Each writer that is applied runs the handler: the effect would happen more than once.';

/** Whatever happens at once, one of the writers over one record gets through. */
export const concurrencyLaws: readonly Law<ClaimStage>[] = [
  {
    name: `applies exactly one of ${writers} first writes at once, and shows it to the others`,
    async run(stage) {
      const id = freshId();
      await race(stage, id, undefined);
    },
  },
  {
    name: `applies exactly one of ${writers} writes at once over one record, and shows it to the others`,
    async run(stage) {
      const seen = claimRecord();
      await create(stage, seen);
      await race(stage, seen.id, seen);
    },
  },
  {
    name: 'loses no update of workers that each read, add one, and try again when they are refused',
    async run({ store, elsewhere, mayMeetItself }) {
      const id = freshId();
      const times = 5;
      const stores = Array.from({ length: 4 }, (_, n) => (n % 2 === 0 ? store : elsewhere));
      await Promise.all(stores.map((each, n) => addOne(each, id, `worker-${n}`, times, mayMeetItself)));
      const found = await store.read(id);
      const updates = stores.length * times;
      const rev = found?.rev ?? 0;
      // A write that met itself after another worker's counts as refused, and is made again.
      const isWhole = mayMeetItself ? rev >= updates : rev === updates;
      const why = 'A write that vanishes is a completion that is not recorded: the effect would be repeated.';
      expectThat(isWhole, `After ${updates} updates the revision is ${rev}`, why);
    },
  },
  {
    name: 'shows a write to every read that begins after it was applied',
    async run(stage) {
      let seen = claimRecord();
      await create(stage, seen);
      for (let times = 0; times < 10; times++) {
        const next = successorOf(seen, { attempts: times });
        await stage.store.write({ next, seen });
        const why =
          'An outdated "not there", or "in flight", lets an effect run twice. Reads must be strongly consistent.';
        expectSame('A read after an applied write', await stage.store.read(seen.id), next, why);
        seen = next;
      }
    },
  },
];

/** A store that keeps a copy of what it has read shows another process's write too late. */
export const elsewhereLaws: readonly Law<ClaimStage>[] = [
  {
    name: 'shows a write of another process to every read that begins after it was applied',
    async run(stage) {
      const { store, elsewhere } = stage;
      const why = 'Two workers in two processes would both run the effect.';
      const id = freshId();
      expectSame('read(id) of an id that was never written', await elsewhere.read(id), undefined, why);
      const first = claimRecord({ id });
      await create(stage, first);
      expectSame('A read in another process', await elsewhere.read(id), first, why);
      const next = successorOf(first, { status: 'completed' });
      await elsewhere.write({ next, seen: first });
      expectSame('A read after a write in another process', await store.read(id), next, why);
      const late = await store.write({ next: successorOf(first, { status: 'released' }), seen: first });
      expectSame('A write over what another process has replaced', late, { applied: false, found: next }, why);
    },
  },
];

/** Many writers over one record at once, half of them in another process where there is one. */
async function race(
  { store, elsewhere, mayMeetItself }: ClaimStage,
  id: string,
  seen: ClaimRecord | undefined,
): Promise<void> {
  const nexts = Array.from({ length: writers }, (_, n) =>
    claimRecord({ id, claimId: `writer-${n}`, rev: (seen?.rev ?? 0) + 1 }),
  );
  const results = await Promise.all(
    nexts.map(async (next, n) => ({
      next,
      result: await (n % 2 === 0 ? store : elsewhere).write({ next, seen }),
    })),
  );
  const applied = results.filter(({ next, result }) => wasApplied(result, next, mayMeetItself));
  expectSame(`Of ${writers} writes at once, the number that were applied`, applied.length, 1, twoWinners);
  const [winner] = applied;
  for (const { result } of results) {
    if (result.applied) continue;
    const why = 'A worker decides by the record that a refusal shows.';
    expectSame('A refused writer was shown another record than the winner’s', result.found, winner?.next, why);
  }
  expectSame('After the race, read(id)', await store.read(id), winner?.next, twoWinners);
}

/** Adds to a record, so many times. Where a refusal does not show the record, this comes to no end: so the rounds are counted. */
async function addOne(
  store: ClaimStore,
  id: string,
  claimId: string,
  times: number,
  mayMeetItself: boolean,
): Promise<void> {
  let seen = await store.read(id);
  let added = 0;
  for (let rounds = 0; added < times; rounds++) {
    expectThat(rounds < 1000, 'A worker was refused 1,000 times', 'A refusal must say what stands there now.');
    const next: ClaimRecord = seen === undefined ? claimRecord({ id, claimId }) : successorOf(seen, { claimId });
    const result = await store.write({ next, seen });
    const applied = wasApplied(result, next, mayMeetItself);
    if (applied) added++;
    seen = result.applied || applied ? next : result.found;
  }
}
