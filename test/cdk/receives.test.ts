import { Duration } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ClaimsTable, type ConsumerProps } from '../../lib/cdk/index.ts';
import { fewestReceives, leastReceives, receivesOfLocks } from '../../lib/pawl/deployment/wiring-receives.ts';
import { addConsumer, addExisting, emptyStack, refusalOf } from './support.ts';

const facts = { timeoutSeconds: 30, batchSize: 10, fifo: false } as const;

/** How often the last message of a batch is received until it runs, when so many have their turn in one invocation. */
function receivesInTurn(batchSize: number, turns: number): number {
  let [waiting, receives] = [batchSize, 0];
  for (; waiting > 0; receives++) waiting -= turns;
  return receives;
}

describe('the receives that a healthy message may need', () => {
  test('are 5 where nothing keeps it from its turn', () => {
    expect(leastReceives(facts)).toEqual({ all: fewestReceives, because: [] });
  });

  test('on a FIFO queue are twice as many: half of them are for what keeps failing before it in its group', () => {
    expect(leastReceives({ ...facts, fifo: true }).all).toBe(2 * fewestReceives);
    expect(leastReceives({ ...facts, fifo: true, batchSize: 1 }).all).toBe(fewestReceives);
  });

  test('with a slow handler, are enough for the last of a batch to have its turn', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 1, max: 28 }),
        (batchSize, concurrency, handlerTimeoutSeconds) => {
          const inARow = Math.ceil(29 / handlerTimeoutSeconds) - 1;
          const turns = inARow * concurrency;
          const { all } = leastReceives({ ...facts, batchSize, concurrency, handlerTimeoutSeconds });
          const inTurn = receivesInTurn(batchSize, turns);
          expect(all).toBe(fewestReceives + (inTurn === 1 ? 0 : 2 * inTurn));
          const inGroup = receivesInTurn(batchSize, inARow);
          const ofFifo = leastReceives({ ...facts, fifo: true, batchSize, concurrency, handlerTimeoutSeconds });
          const ofGroup = batchSize > 1 ? fewestReceives : 0;
          expect(ofFifo.all).toBe(fewestReceives + ofGroup + (inGroup === 1 ? 0 : inGroup));
        },
      ),
    );
  });

  test('count each look at a lock, as docs/guides/locks.md has it', () => {
    const lockLeaseSeconds = 60;
    expect(leastReceives({ ...facts, lockLeaseSeconds }).all).toBe(7);
    expect(leastReceives({ ...facts, lockLeaseSeconds, lockAttempts: 3 }).all).toBe(11);
    expect(leastReceives({ ...facts, lockLeaseSeconds, timeoutSeconds: 900 }).all).toBe(29);
    expect(receivesOfLocks(facts)).toBe(0);
  });
});

describe('maxReceiveCount', () => {
  const madeWith = (props: Partial<ConsumerProps>): unknown => {
    const stack = emptyStack();
    addConsumer(stack, props);
    const queues = Object.values(Template.fromStack(stack).findResources('AWS::SQS::Queue'));
    return queues
      .map((queue) => queue['Properties'].RedrivePolicy?.maxReceiveCount)
      .find((count) => count !== undefined);
  };

  test('follows from what the handler does, unless it is given', () => {
    expect(madeWith({})).toBe(5);
    expect(madeWith({ fifo: true })).toBe(10);
    expect(madeWith({ fifo: true, batchSize: 1 })).toBe(5);
    expect(madeWith({ fifo: true, handlerTimeout: Duration.seconds(20) })).toBe(20);
    expect(madeWith({ concurrency: 1, handlerTimeout: Duration.seconds(20) })).toBe(25);
    // Nothing is said of its time: one message may take the whole invocation.
    expect(madeWith({ concurrency: 1, batchSize: 5 })).toBe(15);
    expect(madeWith({ lockLease: Duration.minutes(1) })).toBe(7);
    expect(madeWith({ fifo: true, maxReceiveCount: 200 })).toBe(200);
  });

  test('that would have to be above the 1,000 of SQS is refused, with what to lower', () => {
    const refusal = (lockAttempts: number) =>
      refusalOf(
        (stack) => void addConsumer(stack, { lockLease: Duration.minutes(1), lockAttempts, maxAttempts: 5000 }),
      );
    expect(refusal(498)).toEqual([
      expect.stringMatching(/^maxReceiveCount is 1000, .* 1001 receives .* before it has run\./),
    ]);
    expect(refusal(497)).toBeUndefined();
  });

  test('of an existing queue is held against a function that was granted locks, with the lease of a minute by default', () => {
    const locking = (maxReceiveCount: number, lockAttempts?: number) =>
      refusalOf((stack) => {
        const { queue, function: sendMail } = addExisting(stack, { maxReceiveCount });
        const claims = new ClaimsTable(stack, 'Claims');
        const consumer = addConsumer(stack, {
          claimsTable: claims.table,
          queue,
          function: sendMail,
          ...(lockAttempts !== undefined && { lockAttempts }),
        });
        claims.grantLocks(consumer.function);
      });
    expect(locking(6)).toEqual([
      expect.stringMatching(
        /^maxReceiveCount is 6, .* may need 7 receives .* 2 for waiting for the locks of 1 other attempt/,
      ),
    ]);
    expect(locking(7)).toBeUndefined();
    expect(locking(10, 3)).toHaveLength(1);
  });
});
