import { resolutionVerdicts, youngestDoubt } from 'pawl/internal';
import type {
  ActedBy,
  DiscardPlan,
  Operator,
  PlannedDiscard,
  PlannedRedrive,
  PlannedResolution,
  RedrivePlan,
  ResolutionPlan,
} from 'pawl/operate';
import type { ActLine, PlannedAcceptance, PlanShown, PlanWanted } from './api.ts';
import type { FindingDesk } from './finding-list.ts';
import type { LetterBox } from './letters.ts';
import { matching, type openList } from './open-list.ts';
import { BadRequest } from './wanted.ts';

/** A plan that was shown, and waits to be confirmed. */
type Planned =
  | { readonly kind: 'resolve'; readonly plan: ResolutionPlan }
  | { readonly kind: 'redrive'; readonly plan: RedrivePlan }
  | { readonly kind: 'discard'; readonly plan: DiscardPlan }
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
  readonly now: () => number;
  /** Aborted when the console ends. */
  readonly signal: AbortSignal;
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
export function acts({ operate, list, letters, findings, targetOf, newId, now, signal }: ActsOptions) {
  const plans = new Map<string, Planned>();

  /** The letters as they were at the last look. */
  function chosen({ queueUrl, messageIds }: { readonly queueUrl: string; readonly messageIds: readonly string[] }) {
    const ids = new Set(messageIds);
    return (letters.last(queueUrl)?.letters ?? []).filter(({ messageId }) => ids.has(messageId));
  }

  async function planned(wanted: PlanWanted): Promise<Planned> {
    if (wanted.kind === 'redrive') {
      const { queueUrl: from, to = targetOf(from) } = wanted;
      return { kind: 'redrive', plan: await operate.planRedrive({ from, to, letters: chosen(wanted), ...planning }) };
    }
    if (wanted.kind === 'discard') {
      const { queueUrl: from, evenInDoubt } = wanted;
      const plan = await operate.planDiscard({ from, evenInDoubt, letters: chosen(wanted), ...planning });
      return { kind: 'discard', plan };
    }
    if (wanted.kind === 'accept') {
      const items = await findings.plan(wanted.ids);
      return { kind: 'accept', plan: { items, count: items.filter(({ will }) => will === 'accept').length } };
    }
    const { filter = {} } = wanted;
    const found = wanted.claims ?? matching((await list.read(0)).claims, filter);
    const evenIfWaiting = wanted.claims?.length === 1 || filter.state === 'waiting';
    const claims = found.map(({ id, fence }) => ({ id, fence, evenIfWaiting }));
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
      return shownPlan(planId, made, now());
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
          for await (const result of operate.resolveAll({ ...found.plan, ...acted }, { signal }))
            yield { kind: 'result', result };
          break;
        case 'redrive':
          for await (const result of operate.redrive({ ...found.plan, ...acted }, { signal })) {
            if (result.outcome === 'redriven' || result.outcome === 'deleted') gone.add(result.messageId);
            yield { kind: 'result', result };
          }
          break;
        case 'discard':
          for await (const result of operate.discard({ ...found.plan, ...acted }, { signal })) {
            if (result.outcome === 'discarded') gone.add(result.messageId);
            yield { kind: 'result', result };
          }
          break;
        case 'accept':
          for (const { id, will } of found.plan.items) {
            if (will === 'accept' && !signal.aborted)
              yield { kind: 'result', result: await findings.accept(id, acted) };
          }
      }
      if (signal.aborted)
        yield { kind: 'failed', error: 'The console was ended. What is not listed here was not begun.' };
      else yield { kind: 'end' };
    } finally {
      list.forget();
      if (found.kind === 'redrive' || found.kind === 'discard') letters.forget(found.plan.from, gone);
    }
  }
}

/** @throws BadRequest */
export function verdictOf(text: string): ResolutionPlan['verdict'] {
  const found = resolutionVerdicts.find((verdict) => verdict === text);
  if (found === undefined) throw new BadRequest(`verdict: expected ${resolutionVerdicts.join(', ')}.`);
  return found;
}

function shownPlan(planId: string, planned: Planned, at: number): PlanShown {
  const { kind, plan } = planned;
  const isNotApplied = planned.kind === 'resolve' && planned.plan.verdict === 'not-applied';
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
    at,
    ...(planned.kind === 'redrive' && { to: planned.plan.to, isSource: planned.plan.isSource }),
    ...(isNotApplied && { youngestDoubt: youngestDoubt(planned.plan.items) }),
  };
}

type PlannedItem = PlannedResolution | PlannedRedrive | PlannedDiscard | PlannedAcceptance;

function willOf(item: PlannedItem): string {
  if (item.will === 'stay') return `stay: ${item.whyNot}`;
  if (item.will === 'discard' && item.inDoubt) return 'discard in doubt';
  return item.will === 'resolve' && item.parksFirst ? 'park and resolve' : item.will;
}
