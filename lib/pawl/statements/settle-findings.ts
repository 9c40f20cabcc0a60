import { expect } from '../kernel/check.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import { expectOptions } from '../kernel/take-options.ts';
import { propertyOf } from '../kernel/unknown.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import { remedyStep } from '../rules/remedy.ts';
import { exceeded, type RemedyAmounts, type RemedyCounter, type RemedyLimit, takenOf } from '../rules/reservations.ts';
import { expectActedBy } from '../rules/resolve.ts';
import { settleReservations } from './end-remedy.ts';
import { type Finding, isOpenFinding, openFindings, readFinding } from './finding.ts';
import { docs } from './options.ts';
import { outOfDate } from './out-of-date.ts';
import { type RemedySettings, remedySettings, type SettleFindingsOptions } from './remedy-options.ts';
import { readCounter } from './reservation-note.ts';
import { type FindingStays, type RemedyResult, type RemedyRun, report, settleOne } from './settle-one.ts';

/*
 * Findings become effects: a plan, and what carries it out.
 *
 * Owns: plans and runs. Does not own: what becomes of one finding (`settle-one.ts`), or how a remedy ends (`end-remedy.ts`).
 */

/**
 * Which findings are to be settled, who settles them, and why.
 *
 * @example
 * const wanted: RemediesWanted = { by: 'maria', note: 'doubled charges of 22 November' };
 */
export interface RemediesWanted {
  /** The name of the person or the job. */
  readonly by: string;
  /** Why, in at most 2,000 characters. The finding keeps it. */
  readonly note: string;
  /**
   * The ids of the findings.
   * @default every open finding of the operation that has a remedy
   */
  readonly findings?: readonly string[] | undefined;
}

/** What will become of one finding. */
export type PlannedRemedy = {
  readonly id: string;
} /** `hasBegun`: an earlier run has begun it, and this one goes on. */ & (
  | { readonly will: 'run'; readonly remedy: string; readonly amount: number; readonly hasBegun: boolean }
  /** A second person has to approve it: it is asked for. */
  | { readonly will: 'ask'; readonly remedy: string; readonly amount: number }
  | { readonly will: 'stay'; readonly whyNot: FindingStays | RemedyLimit }
);

/**
 * What `settle` would do: plain data.
 *
 * @example
 * declare const settlement: FindingSettlement;
 * const plan: RemedyPlan = await settlement.plan({ by: 'maria', note: 'doubled charges of 22 November' });
 * console.log(plan.count, 'findings,', plan.amount, 'cents');
 */
export interface RemedyPlan {
  /** Who settles them. */
  readonly by: string;
  /** Why. */
  readonly note: string;
  /** What will become of each finding. */
  readonly items: readonly PlannedRemedy[];
  /** How many remedies would run, or be asked for. */
  readonly count: number;
  /** What those that would run cost, in the smallest unit of the currency. */
  readonly amount: number;
  /** What is spent and reserved today, by all runs. */
  readonly taken: RemedyAmounts;
}

/** Settles findings by remedies. */
export interface FindingSettlement {
  /** What `settle` would do. Writes nothing. @throws OptionError; the store's error */
  plan(wanted: RemediesWanted): Promise<RemedyPlan>;
  /**
   * Carries a plan out, a finding at a time. Each is read again. A remedy happens once for a finding, also if a run is killed, is repeated, or goes on beside
   * others. An item that fails says so.
   *
   * @throws OptionError
   */
  settle(
    plan: RemedyPlan,
    acting?: { readonly signal?: AbortSignal | undefined },
  ): AsyncGenerator<RemedyResult, void, undefined>;
}

const knownOfWanted = { by: true, note: true, findings: true } as const satisfies NamesOf<RemediesWanted>;

/**
 * Settles what statements have found: each finding becomes one effect, under a claim of its own, within limits that are reserved before the effect begins.
 *
 * The role needs what `ClaimsTable.grantStatements` grants.
 *
 * @throws OptionError at once when an option is missing or wrong
 * @example
 * declare const refund: (transaction: string, options: { idempotencyKey: string }) => Promise<{ id: string }>;
 *
 * const settlement = settleFindings({
 *   store,
 *   operation: 'charge',
 *   remedies: {
 *     twice: {
 *       operation: 'refund',
 *       onAbandoned: 'retry',
 *       amountOf: ({ line }) => Number(line?.facts?.['amountCents']),
 *       run: ({ line }, claim) => refund(String(line?.id), { idempotencyKey: claim.effectKey }),
 *     },
 *   },
 *   limits: { perRun: { count: 50, amount: 100_000 }, perDay: { count: 200, amount: 250_000 } },
 * });
 * const plan = await settlement.plan({ by: 'maria', note: 'doubled charges of 22 November' });
 * for await (const { id, outcome } of settlement.settle(plan)) console.log(id, outcome);
 */
export function settleFindings(options: SettleFindingsOptions): FindingSettlement {
  const settings = remedySettings(options);
  return {
    plan: (wanted) => plan(settings, wanted),
    settle: (planned, acting = {}) => settle(settings, planned, acting),
  };
}

async function plan(settings: RemedySettings, wanted: RemediesWanted): Promise<RemedyPlan> {
  expectOptions(wanted, { door: 'settleFindings().plan', known: knownOfWanted, docs });
  const { by, note, findings } = wanted;
  expectActedBy(by, note);
  const isList = findings === undefined || Array.isArray(findings);
  expect(isList, 'findings', 'a list of the ids of findings', findings);
  const { store, operation } = settings;
  const counter = await readCounter(settings);
  const planning = new Planning(settings, counter);
  const items: PlannedRemedy[] = [];
  if (findings === undefined) {
    for await (const finding of openFindings(store, operation))
      if (settings.remedyFor(finding.kind) !== undefined) items.push(await planning.next(finding.id, finding));
  } else {
    for (const id of new Set(findings)) items.push(await planning.next(id, await readFinding(store, id)));
  }
  const running = items.filter((item) => item.will === 'run');
  return {
    ...{ by, note, items, taken: takenOf(counter, settings.host.now()) },
    count: items.filter(({ will }) => will !== 'stay').length,
    amount: running.reduce((sum, { amount }) => sum + amount, 0),
  };
}

/** Plans one finding after the other, within the limits. */
class Planning {
  readonly #settings: RemedySettings;
  readonly #reserved: ReadonlySet<string>;
  #run: RemedyAmounts = { count: 0, amount: 0 };
  #day: RemedyAmounts;

  constructor(settings: RemedySettings, counter: RemedyCounter | undefined) {
    this.#settings = settings;
    this.#reserved = new Set(counter?.open.map(({ finding }) => finding));
    this.#day = takenOf(counter, settings.host.now());
  }

  /** @throws the store's error */
  async next(id: string, finding: Finding | undefined): Promise<PlannedRemedy> {
    const { operation, remedyFor, limits } = this.#settings;
    const stay = (whyNot: FindingStays | RemedyLimit): PlannedRemedy => ({ id, will: 'stay', whyNot });
    if (finding === undefined) return stay('unknown-finding');
    const remedy = finding.operation === operation ? remedyFor(finding.kind) : undefined;
    if (remedy === undefined) return stay('no-remedy');
    const amount = remedy.amountOf(finding);
    if (amount === undefined) return stay('no-amount');
    const named = { remedy: remedy.operation, amount };
    const step = remedyStep(finding, isOpenFinding(finding), { ...remedy, amount });
    if (step.kind === 'stay') return stay(step.why);
    const over = step.kind === 'go-on' ? undefined : await outOfDate(this.#settings, finding);
    if (over !== undefined) return stay(over);
    if (step.kind === 'ask') return { id, will: 'ask', ...named };
    const isReserved = this.#reserved.has(id);
    const limit =
      exceeded(this.#run, amount, limits.perRun, 'run') ??
      (isReserved ? undefined : exceeded(this.#day, amount, limits.perDay, 'day'));
    if (limit !== undefined) return stay(limit);
    this.#run = plus(this.#run, amount);
    if (!isReserved) this.#day = plus(this.#day, amount);
    return { id, will: 'run', ...named, hasBegun: step.kind === 'go-on' };
  }
}

function plus(of: RemedyAmounts, amount: number): RemedyAmounts {
  return { count: of.count + 1, amount: of.amount + amount };
}

async function* settle(
  settings: RemedySettings,
  planned: RemedyPlan,
  acting: { readonly signal?: AbortSignal | undefined },
): AsyncGenerator<RemedyResult, void, undefined> {
  expectOptions(acting, { door: 'settleFindings().settle', known: { signal: true }, docs });
  expect(Array.isArray(propertyOf(planned, 'items')), 'plan', 'the plan that plan has made', planned);
  const { by, note, items } = planned;
  expectActedBy(by, note);
  const run: RemedyRun = { by, note, used: { count: 0, amount: 0 } };
  let isReported = false;
  // Of runs that died.
  await settleReservations(settings);
  let over: RemedyLimit | undefined;
  for (const item of items) {
    if (acting.signal?.aborted) return;
    const { id, will } = item;
    if (will === 'stay') continue;
    if (over !== undefined && will === 'run' && !item.hasBegun) {
      yield { id, outcome: 'limit', limit: over };
      continue;
    }
    const result = await settleOne(settings, run, id).catch(
      (error: unknown): RemedyResult => ({ id, outcome: 'failed', error: recordedError(error) }),
    );
    // A smaller amount may fit. One more remedy does not.
    if (result.outcome === 'limit' && !result.limit.startsWith('amount')) over = result.limit;
    if (result.outcome === 'limit' && !isReported) {
      isReported = true;
      report(settings, { type: 'remedy-limit', limit: result.limit, ...run.used });
    }
    yield result;
  }
}
