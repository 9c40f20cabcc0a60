import { type ClaimRecord, type ClaimStore, claimSchema } from 'pawl/internal';
import { RejectedError, RetryableError } from 'pawl/kernel';
import { type ClaimStage, wasApplied } from './claim-stage.ts';
import { expectSame, expectThat } from './expect.ts';
import type { Law } from './law.ts';
import { claimRecord, createRandom, freshKey, operation, type Random } from './records.ts';
import { type Attempt, createWorker, inWords, LostResponseError, leaseMs, takeoverMs, type Worker } from './worker.ts';

const idOf = (key: string) => `${operation}#${key}`;
const atOnce = 25;
const twice = 'Both workers would have the effect.';

/** What pawl promises on top of a store: workers that run `once` over it, each with a clock of its own. */
export const workerLaws: readonly Law<ClaimStage>[] = [
  {
    name: 'workers: one of two runs, in every race for a new key',
    run: ({ store, elsewhere, races }) =>
      each(races, async () => {
        await expectOneWinner(freshKey(), createWorker(store), createWorker(elsewhere));
      }),
  },
  {
    name: 'workers: one of two runs, in every race for a claim that was abandoned or released',
    run: ({ store, elsewhere, races }) =>
      each(races, async (race) => {
        const key = freshKey();
        const first = await createWorker(store).win(key);
        if (race % 2 === 0) await first.fail(new RetryableError('try again'));
        const workers = [createWorker(store), createWorker(elsewhere)] as const;
        for (const worker of workers) await worker.advance(takeoverMs);
        await expectOneWinner(key, ...workers);
      }),
  },
  {
    name: 'workers: refuses everything from the first owner after its claim was taken over, and changes nothing',
    async run({ store }) {
      for (const [act, late] of Object.entries(lateActs)) {
        for (const state of ['running', 'completed', 'released'] as const) await expectStale(store, act, late, state);
      }
    },
  },
  {
    name: 'workers: completes a claim although the response of its last renewal never came',
    async run({ store }) {
      const deaf = losingRenewals(store);
      const worker = createWorker(deaf.store);
      const key = freshKey();
      const attempt = await worker.win(key);
      await worker.advance(leaseMs / 2);
      expectThat(deaf.lost() > 0, 'No renewal was written', 'The law has tried nothing.');
      await attempt.succeed('done');
      const found = await store.read(idOf(key));
      const why = 'A completion that is taken for stale leaves its effect unrecorded.';
      expectSame('After the completion, the status', found?.status, 'completed', why);
    },
  },
  {
    name: 'workers: replays the recorded result to a duplicate, and does not run it',
    async run({ store, elsewhere }) {
      const key = freshKey();
      const attempt = await createWorker(store).win(key);
      await attempt.succeed('card ☂ 17');
      const outcome = await createWorker(elsewhere).begin(key).decided;
      const expected = { outcome: 'completed', replayed: true, result: 'card ☂ 17', recorded: true };
      expectSame('A duplicate', outcome, { kind: 'returned', outcome: expected }, 'The effect would happen again.');
    },
  },
  {
    name: 'workers: leaves a record of an unknown schema alone, and runs nothing',
    async run({ store }) {
      const key = freshKey();
      if (!(await writeUnknownSchema(store, idOf(key)))) return;
      const decided = await createWorker(store).begin(key).decided;
      const why = 'To decide upon a record that is only half understood could run an effect twice.';
      expectThat(decided.kind === 'threw', `Over a record of a later schema, ${inWords(decided)}`, why);
      const next = claimRecord({ id: idOf(key) });
      const applied = await store.write({ next, seen: undefined }).then(
        (result) => result.applied,
        () => false,
      );
      expectThat(!applied, 'A first write replaced a record of an unknown schema', why);
    },
  },
  {
    name: 'workers: the fence never goes back, and every grant has one of its own, over histories at random',
    async run({ store, runs }) {
      const random = createRandom(3);
      for (let times = 0; times < runs; times++) await expectGrowingFence(store, random);
    },
  },
];

/** Makes so many races, some of them at once. */
async function each(count: number, race: (n: number) => Promise<void>): Promise<void> {
  for (let from = 0; from < count; from += atOnce) {
    const size = Math.min(atOnce, count - from);
    await Promise.all(Array.from({ length: size }, (_, index) => race(from + index)));
  }
}

async function expectOneWinner(key: string, ...workers: readonly [Worker, Worker]): Promise<void> {
  const decided = await Promise.all(workers.map((worker) => worker.begin(key).decided));
  const kinds = decided.map((one) => (one.kind === 'runs' ? 'runs' : inWords(one))).sort();
  expectSame('Of two workers that asked for one claim at once', kinds, ['in-flight', 'runs'], twice);
}

/** What the first owner of a claim still tries after another worker has taken the claim over. */
const lateActs = {
  complete: (_: Worker, attempt: Attempt) => attempt.succeed('late'),
  release: (_: Worker, attempt: Attempt) => attempt.fail(new RetryableError('late')),
  'release in doubt': (_: Worker, attempt: Attempt) => attempt.fail(new Error('late')),
  reject: (_: Worker, attempt: Attempt) => attempt.fail(new RejectedError('late')),
  renew: (worker: Worker) => worker.advance(leaseMs / 3),
} satisfies Record<string, (worker: Worker, attempt: Attempt) => Promise<void>>;

async function expectStale(
  store: ClaimStore,
  act: string,
  late: (worker: Worker, attempt: Attempt) => Promise<void>,
  state: 'running' | 'completed' | 'released',
): Promise<void> {
  const key = freshKey();
  const first = createWorker(store);
  const attempt = await first.win(key);
  const second = createWorker(store);
  await second.advance(takeoverMs);
  const taken = await second.win(key);
  if (state === 'completed') await taken.succeed('in time');
  if (state === 'released') await taken.fail(new RetryableError('no'));
  const before = await store.read(idOf(key));

  await late(first, attempt);

  const why = 'A worker that has lost its claim would undo what the worker after it has recorded.';
  const after = await store.read(idOf(key));
  expectSame(`After a late ${act} by the first owner, the claim that is ${state}`, after, before, why);
  const events = first.events.map(({ type }) => type);
  expectThat(
    events.includes('stale-claim'),
    `A late ${act} was not reported as stale, but as ${events.join(', ')}`,
    why,
  );
}

/** Loses the responses of renewals for good: they are applied, and reject. */
function losingRenewals(store: ClaimStore) {
  let lost = 0;
  const losing: ClaimStore = {
    read: (id) => store.read(id),
    async write(write) {
      const result = await store.write(write);
      const isRenewal = write.seen?.status === 'in-flight' && write.next.status === 'in-flight';
      if (!isRenewal || !wasApplied(result, write.next, true)) return result;
      lost++;
      throw new LostResponseError('the response was lost');
    },
  };
  return { store: losing, lost: () => lost };
}

/** @returns whether the store took the record: it may refuse one that no version of pawl has written yet */
async function writeUnknownSchema(store: ClaimStore, id: string): Promise<boolean> {
  // Read from JSON, as a record of a later version is: the types know no such schema.
  const next: ClaimRecord = JSON.parse(JSON.stringify({ ...claimRecord({ id }), v: claimSchema + 1 }));
  return store.write({ next, seen: undefined }).then(
    () => true,
    () => false,
  );
}

const steps = ['acquire', 'complete', 'release', 'release in doubt', 'renew', 'wait', 'wait-long'] as const;

/** A history of two workers over one key. */
async function expectGrowingFence(store: ClaimStore, random: Random): Promise<void> {
  const key = freshKey();
  const workers = [createWorker(store), createWorker(store)] as const;
  const attempts = new Map<Worker, Attempt>();
  const grants: number[] = [];
  let highest = 0;
  const why = 'A worker with an older fence could pass for the present one.';
  for (let left = 4 + random.below(20); left > 0; left--) {
    const worker = random.pick(workers);
    const step = random.pick(steps);
    if (step === 'acquire') {
      const attempt = worker.begin(key);
      const decided = await attempt.decided;
      if (decided.kind === 'threw') throw decided.error;
      if (decided.kind === 'runs') {
        attempts.set(worker, attempt);
        grants.push(decided.claim.fence);
      }
    } else if (step === 'wait' || step === 'wait-long') {
      for (const one of workers) await one.advance(step === 'wait' ? 5000 : takeoverMs);
    } else if (step === 'renew') await worker.advance(leaseMs / 3);
    else await end(attempts.get(worker), step);
    const fence = (await store.read(idOf(key)))?.fence ?? 0;
    expectThat(fence >= highest, `After ${step} the fence is ${fence}; it was ${highest}`, why);
    highest = fence;
  }
  const growing = [...new Set(grants)].sort((a, b) => a - b);
  expectSame('The fences of all grants, in their order', grants, growing, why);
}

async function end(attempt: Attempt | undefined, step: 'complete' | 'release' | 'release in doubt'): Promise<void> {
  if (step === 'complete') await attempt?.succeed('done');
  if (step === 'release') await attempt?.fail(new RetryableError('no'));
  if (step === 'release in doubt') await attempt?.fail(new Error('unknown'));
}
