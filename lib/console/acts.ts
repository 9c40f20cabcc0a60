import type {
  ActedBy,
  Operator,
  PlannedRedrive,
  PlannedResolution,
  RedrivePlan,
  ResolutionPlan,
} from '../operate/index.ts';
import type { ActLine, PlannedAcceptance, PlanShown, PlanWanted } from './api.ts';
import type { FindingDesk } from './finding-list.ts';
import type { LetterBox } from './letters.ts';
import { matching, type openList } from './open-list.ts';
import { BadRequest } from './wanted.ts';

/** A plan that was shown, and waits to be confirmed. */
type Planned =
  | { readonly kind: 'resolve'; readonly plan: ResolutionPlan }
  | { readonly kind: 'redrive'; readonly plan: RedrivePlan }
  | { readonly kind: 'accept'; readonly plan: AcceptancePlan };

/** Which findings are accepted. */
interface AcceptancePlan {
  readonly items: readonly PlannedAcceptance[];
  readonly count: number;
}

export interface ActsOptions {
  readonly operate: Operator;
  readonly list: ReturnType<typeof openList>;
  readonly letters: LetterBox;
  readonly findings: FindingDesk;
  /** Where the messages of a dead-letter queue go back to, if that is known. */
  readonly targetOf: (queueUrl: string) => string | undefined;
  readonly newId: () => string;
}

/** The plans that the console keeps: a page shows one. */
const mostPlans = 20;
const mostItems = 200;
/** A plan needs a name and a note before it is shown. The operator's own replace them when it is confirmed. */
const planning: ActedBy = { by: 'console', note: '' };

/**
 * What the operator does: a plan is shown, then confirmed by name, then carried out.
 *
 * Owns: the plans between the two. What was shown is what is carried out: the page sends back the plan's name, and no plan. Does not own: what may be
 * resolved or redriven, which `pawl/operate` decides, and decides again for every item; or accepted,
 * which `pawl/statements` does.
 */
export function acts({ operate, list, letters, findings, targetOf, newId }: ActsOptions) {
  const plans = new Map<string, Planned>();

  async function planned(wanted: PlanWanted): Promise<Planned> {
    if (wanted.kind === 'redrive') {
      const { queueUrl, messageIds } = wanted;
      const chosen = new Set(messageIds);
      const seen = letters.last(queueUrl)?.letters ?? [];
      const plan = await operate.planRedrive({
        from: queueUrl,
        to: targetOf(queueUrl),
        letters: seen.filter(({ messageId }) => chosen.has(messageId)),
        ...planning,
      });
      return { kind: 'redrive', plan };
    }
    if (wanted.kind === 'accept') {
      const items = await findings.plan(wanted.ids);
      return { kind: 'accept', plan: { items, count: items.filter(({ will }) => will === 'accept').length } };
    }
    const { filter = {} } = wanted;
    const found = wanted.claims ?? matching((await list.read(0)).claims, filter);
    const claims = found.map(({ id, fence }) => ({ id, fence }));
    return {
      kind: 'resolve',
      plan: await operate.planResolutions({ claims, verdict: verdictOf(wanted.verdict), ...planning }),
    };
  }

  return {
    async plan(wanted: PlanWanted): Promise<PlanShown> {
      const made = await planned(wanted);
      const planId = newId();
      plans.set(planId, made);
      const [oldest] = plans.keys();
      if (plans.size > mostPlans && oldest !== undefined) plans.delete(oldest);
      return shownPlan(planId, made);
    },

    /** Carries a plan out, once. @throws BadRequest */
    begin(planId: string, acted: ActedBy): AsyncGenerator<ActLine, void, undefined> {
      const found = plans.get(planId);
      if (found === undefined) throw new BadRequest('This plan was carried out, or is too old. Make a new one.');
      plans.delete(planId);
      return carriedOut(found, acted);
    },
  };

  async function* carriedOut(found: Planned, acted: ActedBy): AsyncGenerator<ActLine, void, undefined> {
    const gone = new Set<string>();
    try {
      switch (found.kind) {
        case 'resolve':
          for await (const result of operate.resolveAll({ ...found.plan, ...acted })) yield { kind: 'result', result };
          break;
        case 'redrive':
          for await (const result of operate.redrive({ ...found.plan, ...acted })) {
            if (result.outcome === 'redriven') gone.add(result.messageId);
            yield { kind: 'result', result };
          }
          break;
        case 'accept':
          for (const { id, will } of found.plan.items) {
            if (will === 'accept') yield { kind: 'result', result: await findings.accept(id, acted) };
          }
      }
      yield { kind: 'end' };
    } finally {
      list.forget();
      if (found.kind === 'redrive') letters.forget(found.plan.from, gone);
    }
  }
}

/** @throws BadRequest */
export function verdictOf(text: string): ResolutionPlan['verdict'] {
  const verdicts = ['applied', 'not-applied', 'retry'] as const;
  const found = verdicts.find((verdict) => verdict === text);
  if (found === undefined) throw new BadRequest(`verdict: expected ${verdicts.join(', ')}.`);
  return found;
}

function shownPlan(planId: string, { kind, plan }: Planned): PlanShown {
  const all: readonly PlannedItem[] = plan.items;
  const summary = Array.from(Map.groupBy(all, willOf), ([will, own]) => ({ will, count: own.length }));
  return {
    planId,
    kind,
    count: plan.count,
    stay: all.length - plan.count,
    summary,
    items: all.slice(0, mostItems),
    itemsInAll: all.length,
  };
}

type PlannedItem = PlannedResolution | PlannedRedrive | PlannedAcceptance;

function willOf(item: PlannedItem): string {
  if (item.will === 'stay') return `stay: ${item.whyNot}`;
  return item.will === 'resolve' && item.parksFirst ? 'park and resolve' : item.will;
}
