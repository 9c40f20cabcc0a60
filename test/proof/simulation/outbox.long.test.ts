import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { simulateOutbox } from '../../../proof/simulation/outbox/simulate.ts';
import { createPlanting } from '../../../proof/simulation/planting.ts';
import { runSeeds } from '../../../proof/simulation/tally.ts';

const from = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index);

// The relay says so where a table cannot be read.
beforeEach(() => void vi.spyOn(console, 'warn').mockImplementation(() => undefined));
afterEach(() => vi.restoreAllMocks());

describe('the simulation of the outbox', () => {
  it('finds nothing wrong under 500 seeds, in which everything happens that it is about', async () => {
    const { failures, stats } = await runSeeds(simulateOutbox, from(1, 500));
    expect(failures).toEqual([]);
    // Only in PostgreSQL, processes stand still.
    const { pauses, ...happened } = stats;
    expect(pauses).toBe(0);
    for (const [what, times] of Object.entries(happened)) expect(times, what).toBeGreaterThan(10);
    expect(stats.copies).toBeGreaterThan(stats.committed);
  });

  it('does the same again under the same seed, with and without turns of the event loop', async () => {
    for (const seed of from(1, 5)) {
      const { hash, steps } = await simulateOutbox(seed);
      expect(await simulateOutbox(seed, { turnsTheLoop: true, keepsStory: true })).toMatchObject({ hash, steps });
    }
  });

  it('finds a message that is written outside of the transaction: it is lost where its worker dies between the two', async () => {
    const { failures } = await runSeeds(
      (seed, options) => simulateOutbox(seed, { ...options, planted: 'outside' }),
      from(1, 100),
    );
    expect(failures.length).toBeGreaterThan(10);
    expect(failures.flatMap(({ violations }) => violations.map(({ invariant }) => invariant))).toContain(7);
  });
});

describe('the simulation of the outbox finds', () => {
  const { plant, firstBroken, uproot } = createPlanting(
    async () => (await import('../../../proof/simulation/outbox/simulate.ts')).simulateOutbox,
  );
  afterEach(uproot);

  type Lanes = typeof import('../../../lib/pawl/outbox/dynamodb/lanes.ts');
  type Store = typeof import('../../../lib/pawl/outbox/dynamodb/store.ts');
  type Sender = typeof import('../../../lib/pawl/outbox/sender.ts');
  type Sweep = typeof import('../../../lib/pawl/outbox/sweep.ts');
  type Carrier = typeof import('../../../lib/pawl/transactions/carrier.ts');
  const lanes = '../../lib/pawl/outbox/dynamodb/lanes.ts';
  const store = '../../lib/pawl/outbox/dynamodb/store.ts';
  const sender = '../../lib/pawl/outbox/sender.ts';

  it('a counter that a commit does not condition on: two commits take one place, and one message is lost', async () => {
    plant<Lanes>(lanes, ({ counting }) => ({
      counting(...given) {
        const { Update } = counting(...given);
        const { ':counted': _, ...values } = { ':counted': 0, ...Update?.ExpressionAttributeValues };
        const { TableName = '', Key = {}, UpdateExpression = '' } = Update ?? {};
        return { Update: { TableName, Key, UpdateExpression, ExpressionAttributeValues: values } };
      },
    }));
    expect(await firstBroken(300)).toBe(7);
  });

  it('a worker that sends at once though earlier messages of its group may wait', async () => {
    plant<Lanes>(lanes, ({ readHead }) => ({
      readHead: async (...given) => ({ ...(await readHead(...given)), waits: false }),
    }));
    expect(await firstBroken(300)).toBe(8);
  });

  it('a sender that goes on behind a message that it could not send', async () => {
    plant<Sender>(sender, ({ sendInOrder }) => ({
      sendInOrder: async (outbox, records, until) =>
        (await Promise.all(records.toReversed().map((record) => sendInOrder(outbox, [record], until)))).flat(),
    }));
    expect(await firstBroken(500)).toBe(8);
  });

  it('a message that is removed where it should be parked', async () => {
    plant<Store>(store, ({ outboxStore }) => ({
      outboxStore(table) {
        const made = outboxStore(table);
        return {
          ...made,
          async park(place, error) {
            if (error === undefined) return made.park(place, error);
            await made.remove(place);
            return true;
          },
        };
      },
    }));
    expect(await firstBroken(300)).toBe(7);
  });

  it('a message that is sent though its commit is not known to be applied', async () => {
    plant<Carrier>('../../lib/pawl/transactions/carrier.ts', ({ WriteCarrier }) => ({
      WriteCarrier: class extends WriteCarrier {
        override apply: InstanceType<typeof WriteCarrier>['apply'] = async (change) => {
          try {
            await super.apply(change);
          } catch (error) {
            await this.follow(Number.POSITIVE_INFINITY);
            throw error;
          }
        };
      } as typeof WriteCarrier,
    }));
    expect(await firstBroken(300)).toBe(6);
  });

  it('a sweep that finds nothing: what the stream has lost stays in the outbox', async () => {
    plant<Sweep>('../../lib/pawl/outbox/sweep.ts', ({ outboxSweep }) => ({
      outboxSweep: (options) => {
        const nothing = {
          ...options.outbox,
          store: { ...options.outbox.store, due: async () => ({ messages: [], cursor: undefined }) },
        };
        return outboxSweep({ ...options, outbox: nothing });
      },
    }));
    expect(await firstBroken(50)).toBe(14);
  });
});
