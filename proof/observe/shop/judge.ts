import type { Circumstance } from '../plan.ts';
import type { ShopEvidence, ShopOrder } from './shop.ts';

/*
 * What must be true of the shop under observe: the same as of the five apps. Its batches are of ten, so that a kill strikes other orders as well. Without kills,
 * each order comes to the same in every circumstance. With kills, none is lost, and what the report says is true.
 */

export interface ShopFigures {
  orders: number;
  leftOut: number;
  doubled: number;
  certain: number;
  perhaps: number;
  unseen: number;
  /** With a healthy table, of functions that the machine took time of. */
  unseenSlowed: number;
  kills: number;
}

export function judgeShop(
  seed: number,
  all: ReadonlyMap<Circumstance, ShopEvidence>,
  hasKills: boolean,
): { readonly problems: readonly string[]; readonly figures: ShopFigures } {
  const problems: string[] = [];
  const figures: ShopFigures = {
    orders: 0,
    leftOut: 0,
    doubled: 0,
    certain: 0,
    perhaps: 0,
    unseen: 0,
    unseenSlowed: 0,
    kills: 0,
  };
  const without = all.get('without')?.orders ?? new Map<string, ShopOrder>();
  const starved = new Set([...all.values()].flatMap((one) => [...one.starved]));
  for (const [circumstance, { left, kills }] of all) {
    figures.kills += kills;
    if (left > 0) problems.push(`seed ${seed}, ${circumstance}: ${left} messages are on queues in the end`);
  }
  for (const [id, plain] of without) {
    if (starved.has(id.slice(id.indexOf('#') + 1))) {
      figures.leftOut += 1;
      continue;
    }
    figures.orders += 1;
    for (const [circumstance, { orders, kills, slowed }] of all) {
      const order = orders.get(id) as ShopOrder;
      const { effects, recognised, isDeadLetter, isUnseen, certain, perhaps } = order;
      const say = (what: string) => problems.push(`seed ${seed}, ${circumstance}: ${id} ${what}`);
      const again = Math.max(0, effects + recognised - 1);
      if (!hasKills && (effects !== plain.effects || isDeadLetter !== plain.isDeadLetter))
        say(`has ${effects} effects${isDeadLetter ? ' and is a dead letter' : ''}, and without pawl ${plain.effects}`);
      if (effects === 0 && !isDeadLetter) say('is lost');
      if (certain > again) say(`has happened ${again} times again, and the report calls ${certain} certain`);
      if (circumstance === 'without') continue;
      figures.doubled += again > 0 ? 1 : 0;
      figures.certain += certain > 0 ? 1 : 0;
      figures.perhaps += perhaps > 0 ? 1 : 0;
      figures.unseen += isUnseen ? 1 : 0;
      // The table that was deleted has no report.
      if (circumstance !== 'healthy') continue;
      const isSlowed = slowed.has(id.slice(id.indexOf('#') + 1));
      if (isUnseen && isSlowed) figures.unseenSlowed += 1;
      if (isUnseen && kills === 0 && !isSlowed) say('is unseen, with a healthy table and without a kill');
      if (again > certain + perhaps && !isUnseen && kills === 0)
        say(`has happened ${again} times again, of which a healthy table has ${certain + perhaps}`);
    }
  }
  return { problems, figures };
}
