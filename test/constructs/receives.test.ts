import { Duration } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ClaimsTable, type ConsumerProps } from '../../lib/constructs/index.ts';
import { LEAST_RECEIVES, leastReceives, receivesOfLocks } from '../../lib/constructs/wiring-receives.ts';
import { addConsumer, addExisting, emptyStack, refusalOf } from './support.ts';

const facts = { timeoutSeconds: 30, batchSize: 10, fifo: false } as const;

/** How often the last message of a group is received until it runs, when each before it fails until it is parked. */
function receivesBehind(failing: number, maxAttempts: number): number {
  const attempts = Array.from({ length: failing }, () => 0);
  for (let receives = 1; ; receives++) {
    // The group is received together. One that is parked lets the next one have its turn in the same invocation.
    let next = attempts.findIndex((made) => made < maxAttempts);
    while (next >= 0) {
      attempts[next] = (attempts[next] ?? 0) + 1;
      if ((attempts[next] ?? 0) < maxAttempts) break;
      next = attempts.findIndex((made) => made < maxAttempts);
    }
    if (next < 0) return receives;
  }
}

/** How often the last message of a batch is received until it runs, when so many have their turn in one invocation. */
function receivesInTurn(batchSize: number, turns: number): number {
  let [waiting, receives] = [batchSize, 0];
  for (; waiting > 0; receives++) waiting -= turns;
  return receives;
}

describe('the receives that a healthy message may need', () => {
  test('are 5 where nothing keeps it from its turn', () => {
    expect(leastReceives(facts)).toEqual({ all: LEAST_RECEIVES, because: [] });
  });

  test('on a FIFO queue, are enough for the last of a batch behind messages that all fail until they are parked', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 30 }), (batchSize, maxAttempts) => {
        const { all } = leastReceives({ ...facts, fifo: true, batchSize, maxAttempts });
        expect(all).toBe(LEAST_RECEIVES - 1 + receivesBehind(batchSize - 1, maxAttempts));
      }),
    );
  });

  test('with a slow handler, are enough for the last of a batch to have its turn', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 1, max: 29 }),
        (batchSize, concurrency, handlerTimeoutSeconds) => {
          const turns = Math.floor(29 / handlerTimeoutSeconds) * concurrency;
          const { all } = leastReceives({ ...facts, batchSize, concurrency, handlerTimeoutSeconds });
          expect(all).toBe(LEAST_RECEIVES - 1 + receivesInTurn(batchSize, turns));
        },
      ),
    );
  });

  test('count each look at a lock, as docs/locks.md has it', () => {
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
    expect(madeWith({ fifo: true })).toBe(176);
    expect(madeWith({ fifo: true, batchSize: 1 })).toBe(5);
    expect(madeWith({ fifo: true, maxAttempts: 5 })).toBe(41);
    expect(madeWith({ concurrency: 1, handlerTimeout: Duration.seconds(20) })).toBe(14);
    // Nothing is said of its time: one message may take the whole invocation.
    expect(madeWith({ concurrency: 1, batchSize: 5 })).toBe(9);
    expect(madeWith({ lockLease: Duration.minutes(1) })).toBe(7);
    expect(madeWith({ fifo: true, maxReceiveCount: 200 })).toBe(200);
  });

  test('that would have to be above the 1,000 of SQS is refused, with what to lower', () => {
    const refusal = (maxAttempts: number) => refusalOf((stack) => void addConsumer(stack, { fifo: true, maxAttempts }));
    expect(refusal(112)).toEqual([
      expect.stringMatching(
        /^maxReceiveCount is 1000, .* 1004 receives .* unrun\. Lower batchSize, or lower maxAttempts/,
      ),
    ]);
    expect(refusal(111)).toBeUndefined();
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
