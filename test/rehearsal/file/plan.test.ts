import { expect, test } from 'vitest';
import { createPlan, defaultFaults } from '../../../lib/rehearsal/file/plan.ts';

const surface = { hasStore: true, hasProvider: true };
const intents = Array.from({ length: 2_000 }, (_, index) => `order-${index + 1}`);

test('the same seed plans the same, in any sequence, and another seed plans another', () => {
  const of = (seed: number, all: readonly string[]) => {
    const plan = createPlan(seed, defaultFaults, surface);
    return new Map(all.map((intent) => [intent, [plan.trouble(intent, 'Fn'), plan.provider(intent, 'MAILER_URL')]]));
  };
  const forwards = of(1, intents);
  const backwards = of(1, intents.toReversed());
  for (const intent of intents) expect(backwards.get(intent)).toEqual(forwards.get(intent));
  expect([...of(2, intents)]).not.toEqual([...forwards]);
});

test('a share of the intents has each fault, and none has a fault that is not named', () => {
  const plan = createPlan(7, { kill: 0.1, redeliver: 0.5 }, surface);
  const troubles = intents.map((intent) => plan.trouble(intent, 'Fn'));
  const share = (has: (trouble: (typeof troubles)[number]) => unknown) =>
    troubles.filter((trouble) => has(trouble) !== undefined).length / intents.length;
  expect(share(({ kill }) => kill)).toBeCloseTo(0.1, 1);
  expect(share(({ redeliver }) => redeliver)).toBeCloseTo(0.5, 1);
  expect(share(({ throttle }) => throttle)).toBe(0);
  expect(intents.every((intent) => plan.provider(intent, 'MAILER_URL') === undefined)).toBe(true);
});

test('what an app does not have is no moment of a kill', () => {
  const moments = (hasStore: boolean, hasProvider: boolean) => {
    const plan = createPlan(3, { kill: 1 }, { hasStore, hasProvider });
    return new Set(intents.map((intent) => plan.trouble(intent, 'Fn').kill?.at));
  };
  expect(moments(true, true)).toEqual(new Set(['start', 'store', 'provider']));
  expect(moments(false, true)).toEqual(new Set(['start', 'provider']));
  expect(moments(true, false)).toEqual(new Set(['start', 'store']));
});

test('one intent has troubles of its own at each function', () => {
  const plan = createPlan(3, { kill: 0.5 }, surface);
  const differ = intents.filter(
    (intent) => (plan.trouble(intent, 'One').kill === undefined) !== (plan.trouble(intent, 'Other').kill === undefined),
  );
  expect(differ.length).toBeGreaterThan(intents.length / 4);
});
