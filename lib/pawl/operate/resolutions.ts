import { recordedError } from '../kernel/recorded-error.ts';
import { expectOptions } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import type { ResolutionVerdict } from '../rules/record.ts';
import { expectActedBy, expectVerdicts } from '../rules/resolve.ts';
import { isForgottenRecord } from '../rules/restored.ts';
import { type ClaimName, idOf } from './claim-view.ts';
import type { Desk } from './desk.ts';
import { isWaiting } from './execution-view.ts';
import { inChunks } from './in-chunks.ts';
import type { ActedBy, ActOptions } from './options.ts';
import { readRecord } from './read-record.ts';
import { assess, type ResolveResult, resolve, type Unresolved } from './resolve.ts';
import { docs } from './words.ts';

/*
 * Resolutions of many claims: a plan, and what carries it out. What becomes of each claim, `resolve.ts` says.
 */

/** A claim by its name, and the `fence` that the operator has seen. A claim of `openClaims` has both. */
export type ClaimToResolve = ClaimName & {
  readonly fence?: number | undefined;
  /**
   * Whether to settle it also while it waits for the end of an execution. Look at the execution first: `'not-applied'` lets a second one start.
   * @default false: in a plan, such a claim stays
   */
  readonly evenIfWaiting?: boolean | undefined;
};

/**
 * What a bulk resolution is to do.
 *
 * @example
 * const wanted: ResolutionsWanted = {
 *   claims: [{ operation: 'send-email', key: 'order-17' }, { operation: 'send-email', key: 'order-18' }],
 *   verdict: 'not-applied',
 *   by: 'maria',
 *   note: 'the mail server was down from 12:00 to 12:20',
 * };
 */
export interface ResolutionsWanted extends ActedBy {
  /** The claims, for example those of `openClaims`. One with a `fence` stays if it has been granted since. */
  readonly claims: Iterable<ClaimToResolve> | AsyncIterable<ClaimToResolve>;
  /** What the resolution says of each claim. */
  readonly verdict: ResolutionVerdict;
}

/** One claim of a plan. */
export type PlannedResolution = {
  readonly id: string;
} /**
 * `fence`: of the doubt that the plan has seen. `parksFirst`: the claim is in doubt and not parked yet. `inDoubtSince`: until when an attempt may have applied
 * the effect, in epoch milliseconds; `undefined` if nothing is in doubt. `noRecord`: the table was restored and has none. It may have forgotten the key, or the
 * key is another one than the consumer's.
 */ & (
  | {
      readonly will: 'resolve';
      readonly fence: number;
      readonly parksFirst: boolean;
      readonly reason: string | undefined;
      readonly inDoubtSince: number | undefined;
      readonly noRecord?: true;
    }
  | {
      readonly will: 'stay';
      /** `foreign`: another program, or a later version of pawl, wrote the claim. This version leaves it alone. */
      readonly whyNot: Unresolved | 'foreign';
    }
);

/**
 * What a bulk resolution would do: plain data, which `resolveAll` carries out.
 *
 * @example
 * const claims = [{ operation: 'send-email', key: 'order-17' }];
 * const plan = await operate.planResolutions({ claims, verdict: 'retry', by: 'maria', note: 'twice is better than never' });
 * if (plan.count > 0) for await (const { id, outcome } of operate.resolveAll(plan)) console.log(id, outcome);
 */
export interface ResolutionPlan extends ActedBy {
  /** What the resolution says of each claim. */
  readonly verdict: ResolutionVerdict;
  /** What will become of each claim. */
  readonly items: readonly PlannedResolution[];
  /** How many items will be resolved. */
  readonly count: number;
}

/** How many claims are read, or resolved, at the same time. */
const atOnce = 25;

const known = {
  claims: true,
  verdict: true,
  by: true,
  note: true,
} as const satisfies NamesOf<ResolutionsWanted>;

/** @throws OptionError; the store's error */
export async function planResolutions(desk: Desk, wanted: ResolutionsWanted): Promise<ResolutionPlan> {
  expectOptions(wanted, { door: 'planResolutions', known, docs });
  const { verdict, by, note } = wanted;
  expectActedBy(by, note);
  expectVerdicts(verdict);
  const items: PlannedResolution[] = [];
  for await (const chunk of inChunks(wanted.claims, atOnce)) {
    items.push(...(await Promise.all(chunk.map((name) => planOne(desk, name, verdict)))));
  }
  return { verdict, by, note, items, count: items.filter(({ will }) => will === 'resolve').length };
}

async function planOne(desk: Desk, name: ClaimToResolve, verdict: ResolutionVerdict): Promise<PlannedResolution> {
  const id = idOf(name, desk.host);
  const read = await readRecord(desk, id);
  if (read.kind === 'foreign') return { id, will: 'stay', whyNot: 'foreign' };
  const found = read.record;
  // Between a list and its plan an operator looks at the provider. What has begun since was not looked at.
  const isAnother = found !== undefined && name.fence !== undefined && name.fence !== found.fence;
  if (isAnother) return { id, will: 'stay', whyNot: 'another-doubt' };
  if (found !== undefined && isWaiting(found) && name.evenIfWaiting !== true)
    return { id, will: 'stay', whyNot: 'in-flight' };
  const assessed = assess(found, verdict, desk);
  if (assessed.kind === 'stays') return { id, will: 'stay', whyNot: assessed.why };
  const parksFirst = assessed.kind === 'to-be-parked';
  const { error, unknownAt: inDoubtSince } = assessed.record;
  const isMissing = found !== undefined && isForgottenRecord(found);
  return {
    ...{ id, will: 'resolve', fence: found?.fence ?? 0, parksFirst, reason: error?.name, inDoubtSince },
    ...(isMissing && { noRecord: true }),
  };
}

/** Never throws: an item that fails says so. */
export async function* resolveAll(
  desk: Desk,
  plan: ResolutionPlan,
  { signal }: ActOptions,
): AsyncGenerator<ResolveResult, void, undefined> {
  const { verdict, by, note, items } = plan;
  for await (const chunk of inChunks(items, atOnce)) {
    if (signal?.aborted) return;
    const results = chunk.map((item) => (item.will === 'resolve' ? resolveOne(item) : undefined));
    for (const result of await Promise.all(results)) if (result !== undefined) yield result;
  }

  async function resolveOne({ id, fence }: Extract<PlannedResolution, { will: 'resolve' }>): Promise<ResolveResult> {
    try {
      return await resolve(desk, { id }, verdict, { by, note, fence });
    } catch (error) {
      return { id, outcome: 'failed', error: recordedError(error) };
    }
  }
}
