import type { ActedBy } from 'pawl/operate';
import type { ActLine, PlannedItem, PlanShown, PlanWanted } from './api.ts';
import { type Planned, type PlansOptions, plans } from './plans.ts';
import { BadRequest } from './wanted.ts';

export interface ActsOptions extends PlansOptions {
  readonly newId: () => string;
  readonly now: () => number;
  /** Called after an act: what was read is out of date. */
  readonly onActed: () => void;
}

/** The plans that the console keeps: a page shows one. */
const mostPlans = 20;
const mostItems = 200;

/**
 * What the operator does: a plan is shown, then confirmed by name, then carried out.
 *
 * Owns: the plans between the two. What was shown is what is carried out: the page sends back the plan's name, and no plan. Does not own: what each act does
 * (`plans.ts`).
 */
export function acts({ newId, now, onActed, ...options }: ActsOptions) {
  const kept = new Map<string, Planned>();
  const planned = plans(options);
  const { signal } = options;

  async function* carriedOut({ run }: Planned, acted: ActedBy): AsyncGenerator<ActLine, void, undefined> {
    try {
      for await (const result of run(acted)) yield { kind: 'result', result };
      if (signal.aborted)
        yield { kind: 'failed', error: 'The console was ended. What is not listed here was not begun.' };
      else yield { kind: 'end' };
    } finally {
      onActed();
    }
  }

  return {
    async plan(wanted: PlanWanted): Promise<PlanShown> {
      const made = await planned(wanted);
      const planId = newId();
      kept.set(planId, made);
      const [oldest] = kept.keys();
      if (kept.size > mostPlans && oldest !== undefined) kept.delete(oldest);
      return shownPlan(planId, made, now());
    },

    /** Carries a plan out, once. @throws BadRequest */
    begin(planId: string, acted: ActedBy): AsyncGenerator<ActLine, void, undefined> {
      const found = kept.get(planId);
      if (found === undefined) throw new BadRequest('This plan was carried out, or is too old. Make a new one.');
      kept.delete(planId);
      return carriedOut(found, acted);
    },
  };
}

function shownPlan(planId: string, { kind, items, count, facts }: Planned, at: number): PlanShown {
  const summary = Array.from(
    Map.groupBy(items, (item) => willOf(kind, item)),
    ([will, own]) => ({ will, count: own.length }),
  );
  return {
    ...{ planId, kind, count, summary, at, ...facts },
    stay: items.length - count,
    items: items.slice(0, mostItems),
    itemsInAll: items.length,
  };
}

function willOf(kind: Planned['kind'], item: PlannedItem): string {
  switch (item.will) {
    case 'stay':
      return `stay: ${item.whyNot}`;
    case 'discard':
      return item.inDoubt ? 'discard in doubt' : item.will;
    case 'resolve':
      return item.parksFirst ? 'park and resolve' : item.will;
    case 'run':
      // A message runs, and so does a remedy.
      if (kind !== 'settle') return item.will;
      return 'hasBegun' in item && item.hasBegun ? 'go on' : 'settle';
    default:
      return item.will;
  }
}
