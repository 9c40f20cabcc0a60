import { RejectedError, RetryableError } from 'pawl/kernel';
import type { ClaimStage, LossyStores } from './claim-stage.ts';
import { expectSame, expectThat } from './expect.ts';
import type { Law } from './law.ts';
import { freshKey, operation } from './records.ts';
import { type Attempt, createWorker, leaseMs, takeoverMs } from './worker.ts';

const idOf = (key: string) => `${operation}#${key}`;
const own =
  'A worker must recognise its own write in the record that a refusal shows. Clients send again by themselves.';

/**
 * An applied write whose response is lost is sent again, and the store refuses it, because the record is no longer the one that was seen. The
 * refusal shows the caller its own record.
 *
 * @param sender who sends again
 */
export function ownWriteLaws(sender: keyof LossyStores, skipped?: string): readonly Law<ClaimStage>[] {
  const prefix = `responses lost, sent again by ${sender}`;
  const lossyOf = ({ lossy }: ClaimStage) => {
    const found = lossy[sender];
    if (found === undefined) throw new Error(`there is no store whose writes are sent again by ${sender}`);
    return found;
  };
  const laws: readonly Law<ClaimStage>[] = [
    {
      name: `${prefix}: grants a first claim, a retry and a takeover, and takes none of them for another worker's`,
      async run(stage) {
        const { store } = stage;
        const lossy = lossyOf(stage);
        const key = freshKey();
        const first = createWorker(lossy.store);
        const one = await first.win(key);
        expectSame('The fence of the first claim', one.claim.fence, 1, own);
        await one.fail(new RetryableError('try again'));
        const two = await first.win(key);
        expectSame('The fence of the second claim', two.claim.fence, 2, own);
        const next = createWorker(lossy.store);
        await next.advance(takeoverMs);
        const three = await next.win(key);
        expectSame('The fence of the claim that was taken over', three.claim.fence, 3, own);
        const { fence, abandoned, attempts, status } = (await store.read(idOf(key))) ?? {};
        const expected = { fence: 3, abandoned: 1, attempts: 3, status: 'in-flight' };
        expectSame('The record of the takeover', { fence, abandoned, attempts, status }, expected, own);
        expectLost(lossy.lost(), 4);
      },
    },
    ...Object.entries(ends).map(
      ([status, end]): Law<ClaimStage> => ({
        name: `${prefix}: records a claim that ends ${status}, and does not report it as stale`,
        async run(stage) {
          const lossy = lossyOf(stage);
          const worker = createWorker(lossy.store, 'park');
          const key = freshKey();
          const before = lossy.lost();
          await end(await worker.win(key));
          const found = await stage.store.read(idOf(key));
          expectSame('The status', found?.status, status, own);
          expectSame('The fence', found?.fence, 1, own);
          const events = worker.events.map(({ type }) => type);
          expectSame('What the worker reports', events, ['granted', status], own);
          expectLost(lossy.lost() - before, 2);
        },
      }),
    ),
    {
      name: `${prefix}: renews a lease, and does not take its own renewal for another worker's`,
      async run(stage) {
        const lossy = lossyOf(stage);
        const worker = createWorker(lossy.store);
        const key = freshKey();
        const attempt = await worker.win(key);
        await worker.advance(leaseMs / 3);
        const found = await stage.store.read(idOf(key));
        expectSame('The end of the lease', found?.leaseUntil, worker.now() + leaseMs, own);
        expectThat(!attempt.claim.signal.aborted, 'The worker gave its claim up', own);
        const events = worker.events.map(({ type }) => type);
        expectSame('What the worker reports', events, ['granted'], own);
      },
    },
    {
      name: `${prefix}: parks an abandoned claim, once`,
      async run(stage) {
        const lossy = lossyOf(stage);
        const key = freshKey();
        await createWorker(stage.store).win(key);
        const next = createWorker(lossy.store, 'park');
        await next.advance(takeoverMs);
        const decided = await next.begin(key).decided;
        const outcome = { outcome: 'parked', error: { name: 'abandoned', message: '' } };
        expectSame('The second worker', decided, { kind: 'returned', outcome }, own);
        const { status, fence, abandoned } = (await stage.store.read(idOf(key))) ?? {};
        const expected = { status: 'parked', fence: 2, abandoned: 1 };
        expectSame('The record', { status, fence, abandoned }, expected, own);
      },
    },
  ];
  return laws.map((law) => ({ ...law, skipped }));
}

/** How a claim ends, by its status; with the policy `park`. */
const ends: Readonly<Record<string, (attempt: Attempt) => Promise<void>>> = {
  completed: (attempt) => attempt.succeed('card c-1'),
  released: (attempt) => attempt.fail(new RetryableError('no')),
  rejected: (attempt) => attempt.fail(new RejectedError('never')),
  parked: (attempt) => attempt.fail(new Error('unknown')),
};

/** A law in which no response is lost would pass with any store. */
function expectLost(lost: number, least: number): void {
  expectThat(lost >= least, `${lost} responses were lost, expected ${least}`, 'The law has not tried what it says.');
}
