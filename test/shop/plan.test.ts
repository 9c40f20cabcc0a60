import { describe, expect, test } from 'vitest';
import { shopEffects } from '../../shop/app/app-functions.ts';
import { createPlan, type PlannedOrder } from '../../shop/plan/plan.ts';

const killsIn = (plan: readonly PlannedOrder[]) =>
  plan
    .flatMap(({ effects }) => shopEffects.map((effect) => effects[effect].trouble))
    .filter((trouble) => trouble?.kind === 'kill');

describe('a plan', () => {
  test('is the same for the same seed, and another one for another', () => {
    const plan = (seed: number) => createPlan({ orders: 50, killShare: 0.1, seed });
    expect(plan(7)).toEqual(plan(7));
    expect(plan(7)).not.toEqual(plan(8));
  });

  test('takes the share of sandboxes it was asked to take, at every point in the life of an effect', () => {
    const kills = killsIn(createPlan({ orders: 300, killShare: 0.08, seed: 1 }));
    expect(kills).toHaveLength(24);
    expect(new Set(kills.map((kill) => kill.point)).size).toBe(7);
    expect(killsIn(createPlan({ orders: 300, killShare: 0, seed: 1 }))).toHaveLength(0);
    expect(killsIn(createPlan({ orders: 30, killShare: 1, seed: 1 }))).toHaveLength(30);
  });

  test('gives every order an identity of its own', () => {
    const plan = createPlan({ orders: 100, killShare: 0, seed: 3 });
    expect(new Set(plan.map(({ order }) => order.orderId)).size).toBe(100);
  });
});
