import { expect, test } from 'vitest';
import { carryOut } from '../../../lib/rehearsal/file/carry-out.ts';
import { createIntents } from '../../../lib/rehearsal/file/intents.ts';
import { createJournal } from '../../../lib/rehearsal/file/journal.ts';
import { createPlan } from '../../../lib/rehearsal/file/plan.ts';
import { storyOf } from '../../../lib/rehearsal/file/story.ts';

function streamOf(redeliver: number) {
  const [intents, journal] = [createIntents(), createJournal(() => Date.UTC(2026, 10, 22))];
  intents.add('order-1');
  const { stats, streamDelivery } = carryOut({
    ...{ intents, journal, messageIntent: () => undefined, kill: () => undefined },
    ...{ stall: () => false, keysOf: () => [], letTimePass: async () => [], stallMs: () => 0 },
    plan: createPlan(7, { redeliver }, { hasStore: true, hasProvider: true }),
  });
  const { forgetsCheckpoint } = streamDelivery({ stack: 'App', construct: 'Bills/FromOrders' });
  const handled = () =>
    forgetsCheckpoint?.([
      { eventID: '1', eventName: 'INSERT', dynamodb: { SequenceNumber: '1', Keys: { id: { S: 'order-1' } } } },
    ]);
  return { handled, stats, journal };
}

test('redeliver strikes a record of a stream once: the place behind its batch is forgotten, and the story says so', () => {
  const { handled, stats, journal } = streamOf(1);
  expect(handled()).toBe(true);
  expect(handled()).toBe(false);
  expect(stats.redeliver).toBe(1);
  expect(storyOf('order-1', journal)).toEqual([
    '   0.000 s  the batch is done, and the place in the stream IS FORGOTTEN: it is delivered again',
  ]);
});

test('without redeliver, no place in a stream is forgotten', () => {
  const { handled, journal } = streamOf(0);
  expect(handled()).toBe(false);
  expect(journal.entries).toEqual([]);
});
