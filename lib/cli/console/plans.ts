import { resolutionVerdicts, youngestDoubt } from 'pawl/internal';
import type { LockOperator } from 'pawl/locks';
import type { ActedBy, Operator, ResolutionPlan } from 'pawl/operate';
import type { FindingSettlement } from 'pawl/statements';
import type { FindingAct, FindingsWanted, ItemResult, PlannedItem, PlanShown, PlanWanted } from './api.ts';
import type { FindingDesk } from './finding-list.ts';
import type { LetterBox } from './letters.ts';
import { matching, type openList } from './open-list.ts';
import { BadRequest } from './wanted.ts';

/** A plan that was shown, and waits to be confirmed. */
export interface Planned {
  readonly kind: PlanWanted['kind'];
  readonly items: readonly PlannedItem[];
  /** How many of them are acted on. */
  readonly count: number;
  /** What the page says of the plan as a whole. */
  readonly facts?: Pick<PlanShown, 'youngestDoubt' | 'to' | 'isSource' | 'amount' | 'taken'>;
  /** Carries it out, an item at a time. */
  readonly run: (acted: ActedBy) => AsyncIterable<ItemResult>;
}

export interface PlansOptions {
  readonly operate: Operator;
  readonly locks: LockOperator | undefined;
  readonly settlement: FindingSettlement | undefined;
  readonly list: ReturnType<typeof openList>;
  readonly letters: LetterBox;
  readonly findings: FindingDesk;
  /** Where the messages of a dead-letter queue go back to, if that is known. */
  readonly targetOf: (queueUrl: string) => string | undefined;
  /** Aborted when the console ends. */
  readonly signal: AbortSignal;
}

type Wanted<Kind extends PlanWanted['kind']> = Extract<PlanWanted, { readonly kind: Kind }>;

/** A plan needs a name and a note before it is shown. The operator's own replace them when it is confirmed. */
const planning: ActedBy = { by: 'console', note: 'a plan' };

/**
 * What each act would do, and how it is carried out.
 *
 * Does not own: what may be resolved, redriven, released or settled. `pawl/operate`, `pawl/locks` and `pawl/statements` decide, and decide again for every item.
 */
export function plans({
  operate,
  locks,
  settlement,
  list,
  letters,
  findings,
  targetOf,
  signal,
}: PlansOptions): (wanted: PlanWanted) => Promise<Planned> {
  const acting = { signal };

  /** The letters as they were at the last look. */
  function chosen({ queueUrl, messageIds }: Wanted<'redrive' | 'discard'>) {
    const ids = new Set(messageIds);
    return (letters.last(queueUrl)?.letters ?? []).filter(({ messageId }) => ids.has(messageId));
  }

  /** Hands the results on. Those messages that are gone are shown no more. */
  async function* forgetting<Of extends { readonly messageId: string; readonly outcome: string }>(
    queueUrl: string,
    results: AsyncIterable<Of>,
  ): AsyncGenerator<Of, void, undefined> {
    const gone = new Set<string>();
    try {
      for await (const result of results) {
        if (goneBy.has(result.outcome)) gone.add(result.messageId);
        yield result;
      }
    } finally {
      letters.forget(queueUrl, gone);
    }
  }

  async function resolving({ filter = {}, claims: named, verdict: said }: Wanted<'resolve'>): Promise<Planned> {
    const found = named ?? matching((await list.read(0)).claims, filter);
    const evenIfWaiting = named?.length === 1 || filter.state === 'waiting';
    const claims = found.map(({ id, fence }) => ({ id, fence, evenIfWaiting }));
    const plan = await operate.planResolutions({ claims, verdict: verdictOf(said), ...planning });
    const { items, count, verdict } = plan;
    const facts = verdict === 'not-applied' ? { youngestDoubt: youngestDoubt(items) } : {};
    return { kind: 'resolve', items, count, facts, run: (acted) => operate.resolveAll({ ...plan, ...acted }, acting) };
  }

  async function redriving(wanted: Wanted<'redrive'>): Promise<Planned> {
    const { queueUrl: from, to: target = targetOf(from) } = wanted;
    const plan = await operate.planRedrive({ from, to: target, letters: chosen(wanted), ...planning });
    const { items, count, to, isSource } = plan;
    const run = (acted: ActedBy) => forgetting(from, operate.redrive({ ...plan, ...acted }, acting));
    return { kind: 'redrive', items, count, facts: { to, isSource }, run };
  }

  async function discarding(wanted: Wanted<'discard'>): Promise<Planned> {
    const { queueUrl: from, evenInDoubt } = wanted;
    const plan = await operate.planDiscard({ from, evenInDoubt, letters: chosen(wanted), ...planning });
    const run = (acted: ActedBy) => forgetting(from, operate.discard({ ...plan, ...acted }, acting));
    return { kind: 'discard', items: plan.items, count: plan.count, run };
  }

  async function releasing({ locks: named }: Wanted<'release'>): Promise<Planned> {
    if (locks === undefined) throw new BadRequest('This console has no locks.');
    const plan = await locks.planRelease({ locks: named, ...planning });
    const run = (acted: ActedBy) => locks.release({ ...plan, ...acted }, acting);
    return { kind: 'release', items: plan.items, count: plan.count, run };
  }

  async function settling({ ids }: FindingsWanted<'settle'>): Promise<Planned> {
    if (settlement === undefined) throw new BadRequest('This console has no remedies. Start it with --remedies.');
    const plan = await settlement.plan({ findings: ids, ...planning });
    const { items, count, amount, taken } = plan;
    const run = (acted: ActedBy) => settlement.settle({ ...plan, ...acted }, acting);
    return { kind: 'settle', items, count, facts: { amount, taken }, run };
  }

  async function ending({ kind, ids }: FindingsWanted<FindingAct>): Promise<Planned> {
    const items = await findings.plan(kind, ids);
    const some = items.filter(({ will }) => will === kind);
    async function* run(acted: ActedBy) {
      for (const item of some) {
        if (signal.aborted) return;
        const { request } = { request: undefined, ...item };
        yield await findings.act(kind, item.id, { ...acted, request });
      }
    }
    return { kind, items, count: some.length, run };
  }

  return async (wanted) => {
    switch (wanted.kind) {
      case 'resolve':
        return resolving(wanted);
      case 'redrive':
        return redriving(wanted);
      case 'discard':
        return discarding(wanted);
      case 'release':
        return releasing(wanted);
      case 'settle':
        return settling(wanted);
      default:
        return ending(wanted);
    }
  };
}

/** What becomes of a message that is not in its queue any more. */
const goneBy: ReadonlySet<string> = new Set(['redriven', 'deleted', 'discarded']);

/** @throws BadRequest */
export function verdictOf(text: string): ResolutionPlan['verdict'] {
  const found = resolutionVerdicts.find((verdict) => verdict === text);
  if (found === undefined) throw new BadRequest(`verdict: expected ${resolutionVerdicts.join(', ')}.`);
  return found;
}
