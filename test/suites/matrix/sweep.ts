import { expect } from 'vitest';
import { assertSurvivesCrashes, type CrashSweepOptions, type SweptHandler } from '../../../lib/testing/index.ts';
import { snsNotification } from '../../support/notifications.ts';
import { resolverOf } from '../../support/resolver-of.ts';
import { callersOf, hasClaim, type Payment, wire } from './doors.ts';
import { claimsOf, createOutside, type Outside, operation } from './outside.ts';
import { type Swept, table } from './table.ts';
import { type Made, type Setting, works, wrongRecord } from './works.ts';

/** Two payments, the first of which is asked for twice. */
const messages = [{ body: { payment: 'p-1' } }, { body: { payment: 'p-2' } }, { body: { payment: 'p-1' } }];

/** The same, as a topic of SNS sends them on: the repeated one was published a second time, and has another id. */
const notifications = messages.map(({ body }, index) => ({
  body: snsNotification(body, { MessageId: `publication-${index + 1}` }),
}));

const paymentOf = (body: unknown): string => {
  const { payment, Message } = body as Payment & { readonly Message?: string };
  return Message === undefined ? payment : paymentOf(JSON.parse(Message));
};

export const nameOf = ({ feature, door, policy }: Swept): string => `${feature} behind ${door}, ${policy}`;

/** The sweep of one cell under one policy. */
export function sweepOf({ feature, door, policy }: Swept): CrashSweepOptions<Outside> {
  const made = madeFor({ feature, door, policy });
  const isOperated = feature === 'resolve';
  const callers = callersOf(door);
  const withClaim = hasClaim(door);
  const effectsOf = (outside: Outside, payment: string) => made.effects(outside, payment, withClaim);
  const wrongOf = (outside: Outside, payment: string) => wrongRecord(made, outside, payment, policy);
  return {
    messages: feature === 'envelope' ? notifications : messages,
    provider: createOutside,
    // An operator is told of what is parked and sees to it that it comes again.
    ...(callers && { callers: isOperated ? { ...callers, understands: untilDone } : callers }),
    handler(world, outside) {
      const setting = { world, outside, policy };
      const work = made.work(setting);
      const handler = wire[door](setting, consumerOf(made, feature), work, !isOperated);
      return isOperated ? operated(setting, handler, effectsOf) : handler;
    },
    /** What happened, and what is wrong with what was written down of it. */
    effects(outside, { body }) {
      const payment = paymentOf(body);
      const wrong = wrongOf(outside, payment).map((what) => [what, 1] as const);
      const completed = outside.recordOf(payment)?.status === 'completed' || outside.letThrough.length > 0;
      return { ...effectsOf(outside, payment), 'completed record': completed ? 1 : 0, ...Object.fromEntries(wrong) };
    },
    expected(outside, { body }) {
      const payment = paymentOf(body);
      if (made.rejects?.(payment) && wrongOf(outside, payment).length === 0) return 'dead-letter';
      const wrong = wrongOf(outside, payment).map((what) => [what, 0] as const);
      return { 'completed record': 1, ...Object.fromEntries(wrong) };
    },
    // Room for what waits for a lock, or for an operator.
    maxReceiveCount: 20,
  };
}

/** Under a step's own policy, its consumer's is 'retry'. */
function consumerOf(made: Made, feature: Swept['feature']): Made {
  if (table[feature].whose === 'the consumer’s') return made;
  return { ...made, options: (setting) => ({ ...made.options?.(setting), onAbandoned: 'retry' }) };
}

/** What a work is at a door: `eachTransaction` has its one way to do it. */
function madeFor({ feature, door }: Swept): Made {
  const made = works[feature];
  if (door !== 'eachTransaction') return made;
  return {
    ...made,
    effects: (outside, payment) => ({ entry: outside.written(payment) }),
    ...(feature === 'resolve' && { options: () => ({ maxAttempts: 1 }) }),
  };
}

const isDone = (answer: unknown): boolean => {
  const { statusCode, outcome }: { readonly statusCode?: unknown; readonly outcome?: unknown } = Object(answer);
  return (Number(statusCode) >= 200 && Number(statusCode) < 300) || outcome === 'completed';
};
const untilDone = (answer: unknown) => (isDone(answer) ? 'done' : 'again');

/** How long after an attempt the operator decides: when no request of it can be under way any more. In milliseconds. */
const looksAfterMs = 5000;

/** Before each invocation an operator decides what is parked, by what the provider has done. */
function operated(
  setting: Setting,
  handler: SweptHandler,
  effectsOf: (outside: Outside, payment: string) => Readonly<Record<string, number>>,
): SweptHandler {
  const { world, outside } = setting;
  const { host } = world.options;
  const parked = resolverOf({ operation, store: claimsOf(world, outside), host });
  return async (event, context) => {
    for (const payment of ['p-1', 'p-2']) {
      if (outside.recordOf(payment)?.status !== 'parked') continue;
      const since = outside.seenParkedAt.get(payment) ?? outside.now();
      outside.seenParkedAt.set(payment, since);
      if (outside.now() - since < looksAfterMs) continue;
      const hasHappened = Object.values(effectsOf(outside, payment)).every((times) => times > 0);
      const verdict = hasHappened ? 'applied' : 'not-applied';
      const { outcome } = await parked.resolve(payment, verdict, { by: 'maria', note: 'seen at the provider' });
      if (outcome === 'resolved') outside.decided.add(payment);
      outside.seenParkedAt.delete(payment);
    }
    return handler(event, context);
  };
}

/** Sweeps a cell, and holds the whole of it to what one run cannot say. @param max the most runs */
export async function sweepCell(swept: Swept, max: number): Promise<void> {
  const { feature, policy } = swept;
  const sweep = sweepOf(swept);
  const all: Outside[] = [];
  const report = await assertSurvivesCrashes({
    ...sweep,
    max,
    provider(time) {
      const outside = sweep.provider(time);
      all.push(outside);
      return outside;
    },
  });
  const { parked, stuck, acknowledged } = report.fates;
  expect(acknowledged).toBeGreaterThan(0);
  expect(stuck).toBe(0);
  if (policy !== 'park' || feature === 'resolve') expect(parked, 'parked without a doubt').toBe(0);
  // A cell in which what it is about never happens would show nothing.
  if (feature === 'resolve') expect(all.some(({ decided }) => decided.size > 0)).toBe(true);
  if (feature === 'failOpen') expect(all.some(({ letThrough }) => letThrough.length > 0)).toBe(true);
  if (feature === 'renewedLease') expect(all.some(({ renewals }) => renewals.count > 0)).toBe(true);
}
