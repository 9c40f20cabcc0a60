import { measureCold } from './cold.ts';
import { measureLarge } from './large.ts';
import { measureMoney } from './money/measure.ts';
import type { Plan } from './plan.ts';
import type { Cell, Environment, Peak, Results } from './results.ts';
import { startSetting } from './setting.ts';
import { measureSize } from './sizes.ts';

/** All of it, in one run, beside one DynamoDB Local. */
export async function measure(plan: Plan, environment: Environment): Promise<Results> {
  await using setting = await startSetting();
  const cells: Cell[] = [];
  const peaks: Peak[] = [];
  for (const size of plan.sizes) {
    const measured = await measureSize(size, plan.warmUpMs, setting);
    cells.push(...measured.cells);
    peaks.push(...measured.peaks);
  }
  const large = await measureLarge(plan, peaks, setting);
  const cold = await measureCold(plan.coldStarts, setting);
  const money = await measureMoney(plan.money, setting);
  return { environment, cells, peaks, large, cold, money };
}

/** Costs and cold starts only: a few minutes. */
export async function measureCosts(plan: Plan, environment: Environment): Promise<Costs> {
  await using setting = await startSetting();
  const cold = await measureCold(plan.coldStarts, setting);
  const money = await measureMoney(plan.money, setting);
  return { environment, cold, money };
}

/** What costs are written from. */
export type Costs = Pick<Results, 'environment' | 'cold' | 'money'>;
