import { expect, test } from 'vitest';
import { carryOut } from '../../../lib/rehearsal/file/carry-out.ts';
import { createIntents } from '../../../lib/rehearsal/file/intents.ts';
import { createJournal } from '../../../lib/rehearsal/file/journal.ts';
import { createPlan } from '../../../lib/rehearsal/file/plan.ts';
import { storyOf } from '../../../lib/rehearsal/file/story.ts';

function ruleOf(redeliver: number) {
  const [intents, journal] = [createIntents(), createJournal(() => Date.UTC(2026, 10, 22))];
  intents.add('order-1');
  const { stats, eventDelivery } = carryOut({
    ...{ intents, journal, messageIntent: () => undefined, kill: () => undefined },
    ...{ stall: () => false, keysOf: () => [], letTimePass: async () => [], stallMs: () => 0 },
    plan: createPlan(7, { redeliver }, { hasStore: true, hasProvider: true }),
  });
  const { deliversTwice } = eventDelivery({ stack: 'App', construct: 'Bills/OnOrder' });
  const matched = () =>
    deliversTwice?.({ id: '1', source: 'orders', 'detail-type': 'Placed', detail: { orderId: 'order-1' } });
  return { matched, stats, journal };
}

test('redeliver strikes an event of a bus once: its rule hands it over twice, and the story says so', () => {
  const { matched, stats, journal } = ruleOf(1);
  expect(matched()).toBe(true);
  expect(matched()).toBe(false);
  expect(stats.redeliver).toBe(1);
  expect(storyOf('order-1', journal)).toEqual(['   0.000 s  OnOrder hands the event to its targets TWICE']);
});

test('without redeliver, no event of a bus comes twice', () => {
  const { matched, journal } = ruleOf(0);
  expect(matched()).toBe(false);
  expect(journal.entries).toEqual([]);
});
