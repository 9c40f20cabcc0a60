import { type ClaimRecord, unchanged } from 'pawl/internal';
import { type ClaimStage, create, expectRefused, wasApplied } from './claim-stage.ts';
import { expectSame, expectThat } from './expect.ts';
import type { Law } from './law.ts';
import { claimRecord, createRandom, freshId, type Random, someDay, successorOf } from './records.ts';

const overwritten = 'A worker that has lost its claim would overwrite the claim of the worker that has it now.';
const late = 'A copy of an old write that arrives late would set the claim back, and its effect could happen again.';

const endless = 'The claim could never end, and every attempt would count as abandoned.';

/** What differs between the record that was seen and the one that stands there: nothing else does. */
const others = {
  'another claim id': { claimId: 'second' },
  'another revision': { rev: 2 },
  'an earlier revision': { rev: 0 },
  'another revision beyond 32 bits': { rev: 2 ** 32 + 1 },
} as const satisfies Record<string, Partial<ClaimRecord>>;

function refusedOver(what: string, other: Partial<ClaimRecord>): Law<ClaimStage> {
  return {
    name: `refuses a write when the record has ${what} than the one that was seen, and nothing else differs`,
    async run(stage) {
      const seen = claimRecord();
      const found = { ...seen, ...other };
      await create(stage, found);
      const next = successorOf(seen, { status: 'released' });
      await expectRefused(stage, { next, seen }, found, `A write over a record with ${what}`, overwritten);
    },
  };
}

/** A write is applied if the record is still the one that was seen, and only then. */
export const conditionLaws: readonly Law<ClaimStage>[] = [
  {
    name: 'refuses a first write where a record stands',
    async run(stage) {
      const found = claimRecord();
      await create(stage, found);
      const next = { ...found, claimId: 'second' };
      const why = 'Two workers would hold one claim, and both would have the effect.';
      await expectRefused(stage, { next, seen: undefined }, found, 'A first write over a record', why);
      const same = { next: { ...found, attempts: 2 }, seen: undefined };
      await expectRefused(stage, same, found, 'A first write over a record with the same claim id and revision', why);
    },
  },
  {
    name: 'refuses a write over a record that is not there, and creates nothing',
    async run(stage) {
      const seen = claimRecord();
      const why = 'A worker whose claim is gone would bring it back, beside the claim that took its place.';
      const next = successorOf(seen, { status: 'completed' });
      await expectRefused(stage, { next, seen }, undefined, 'A write over a record that is not there', why);
    },
  },
  ...Object.entries(others).map(([what, other]) => refusedOver(what, other)),
  {
    name: 'applies a write over the record that was seen',
    async run(stage) {
      const seen = claimRecord();
      await create(stage, seen);
      await expectApplied(stage, successorOf(seen, { status: 'completed', result: '1' }), seen);
    },
  },
  {
    name: 'compares the claim id and the revision, and no other field',
    async run(stage) {
      const there = claimRecord();
      await create(stage, there);
      // What a worker remembers of a record may lack what it did not need.
      const seen = { ...there, leaseUntil: someDay, attempts: 9, error: { name: 'Error', message: 'from memory' } };
      const next = successorOf(there, { status: 'completed' });
      const result = await stage.store.write({ next, seen });
      expectThat(
        wasApplied(result, next, stage.mayMeetItself),
        'A write was refused although claim id and revision are as they were seen',
        'A worker would take its own claim for another one, and its completion would be lost.',
      );
    },
  },
  {
    name: 'refuses the late copy of a write that was applied, although owner, status and lease are as they were before it',
    async run(stage) {
      const seen = claimRecord();
      await create(stage, seen);
      const first = { next: successorOf(seen, { checkpoints: '[null]' }), seen };
      await expectApplied(stage, first.next, seen);
      const second = successorOf(first.next, { checkpoints: '[null,null]' });
      await expectApplied(stage, second, first.next);
      await expectRefused(stage, first, second, 'The late copy of an earlier write', late);
    },
  },
  {
    name: 'refuses a write that is sent again after it was applied, and shows the caller its own record',
    async run(stage) {
      const first = claimRecord();
      await create(stage, first);
      const why = 'A caller that did not get the response recognises its own write by the record that stands there.';
      await expectRefused(stage, { next: first, seen: undefined }, first, 'A first write that is sent again', why);
      const next = successorOf(first, { status: 'completed' });
      await expectApplied(stage, next, first);
      await expectRefused(stage, { next, seen: first }, next, 'A write that is sent again', why);
    },
  },
  {
    name: 'refuses every write that arrives again, however late, and whatever has come back in the meantime',
    async run(stage) {
      const id = freshId();
      const sent: { readonly next: ClaimRecord; readonly seen: ClaimRecord | undefined }[] = [];
      let seen: ClaimRecord | undefined;
      for (let rev = 1; rev <= 5; rev++) {
        // Owner, lease and status of the first state are those of the third and of the fifth.
        const odd = rev % 2 === 1;
        const next = claimRecord({
          id,
          rev,
          claimId: odd ? 'first' : 'second',
          leaseUntil: odd ? someDay : someDay + 1,
          status: odd ? 'in-flight' : 'released',
        });
        await expectApplied(stage, next, seen);
        sent.push({ next, seen });
        for (const write of sent) await expectRefused(stage, write, next, 'The late copy of an earlier write', late);
        seen = next;
      }
    },
  },
  {
    name: 'applies a write exactly when the record is still the one that was seen, over records at random',
    async run(stage) {
      const random = createRandom(1);
      for (let times = 0; times < stage.runs; times++) await writeAtRandom(stage, random);
    },
  },
];

async function expectApplied(stage: ClaimStage, next: ClaimRecord, seen: ClaimRecord | undefined): Promise<void> {
  const result = await stage.store.write({ next, seen });
  const did = 'A write over the record that was seen';
  if (!wasApplied(result, next, stage.mayMeetItself)) expectSame(did, result, { applied: true }, endless);
  const found = await stage.store.read(next.id);
  expectSame(`${did} was applied, and read(id) returned something else`, found, next, endless);
}

function randomRecord(random: Random): ClaimRecord {
  return claimRecord({
    status: random.pick(['in-flight', 'released', 'completed', 'rejected', 'parked']),
    claimId: random.pick(['first', 'second']),
    rev: random.pick([1, 2]),
    fence: random.pick([1, 2]),
    leaseUntil: random.pick([someDay, someDay + 1]),
    attempts: random.pick([1, 2]),
  });
}

/** One write, over a record that may be the one that was seen, or another one, or missing. */
async function writeAtRandom(stage: ClaimStage, random: Random): Promise<void> {
  const id = freshId();
  const there = random.below(5) > 0 ? { ...randomRecord(random), id } : undefined;
  const seen = random.below(5) > 0 ? { ...randomRecord(random), id } : undefined;
  if (there !== undefined) await create(stage, there);

  const next = { ...claimRecord({ id, claimId: 'next', fence: 99 }), rev: (seen?.rev ?? 0) + 1 };
  const did = `A write that saw ${JSON.stringify(seen)} over ${JSON.stringify(there)}`;
  if (!unchanged(seen, there)) return expectRefused(stage, { next, seen }, there, did, overwritten);
  const result = await stage.store.write({ next, seen });
  if (!wasApplied(result, next, stage.mayMeetItself)) expectSame(did, result, { applied: true }, endless);
  const found = await stage.store.read(id);
  // No more than this: two records with one claim id and revision are one record, so a store may write what differs from `seen`.
  expectSame(did, { claimId: found?.claimId, fence: found?.fence }, { claimId: 'next', fence: 99 }, endless);
}
