import { expect } from '../kernel/check.ts';
import { expectOptions } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import { resolvedCheckpoints, stepsInDoubt } from './checkpoints.ts';
import { type ClaimRules, expiry } from './decide.ts';
import {
  type ClaimRecord,
  type Draft,
  type Resolution,
  type ResolutionVerdict,
  resolutionVerdicts,
  type StepResolution,
} from './record.ts';
import { successor } from './successor.ts';

/**
 * What an operator says of each step in doubt, by its name. Every one of them has to be there: a step that was overlooked would
 * run again.
 *
 * @example
 * const said: StepResolutions = { charge: { verdict: 'applied', result: { id: 'ch_1' } }, receipt: 'not-applied' };
 */
export type StepResolutions = Readonly<Record<string, StepResolution>>;

const docs = 'docs/guides/recover.md';
const knownOfStep = { verdict: true, result: true } as const satisfies NamesOf<Extract<StepResolution, object>>;

/** What was said of a claim: of the whole, or of its steps one by one. */
export interface Said {
  readonly resolution: Resolution;
  readonly steps: ReadonlyMap<string, StepResolution>;
}

/**
 * What an operator's decision makes of a parked claim. Pure, like `decide`.
 *
 * `applied`: the effect happened; a redriven message is acknowledged without running. `not-applied`: it did not; a redriven
 * message runs. `retry`: it is not known, and the handler is to run all the same. `by-step`: the handler runs again, and its
 * steps go on from what was said of each.
 */
export function resolution(
  found: ClaimRecord,
  { resolution: decided, steps }: Said,
  rules: Pick<ClaimRules, 'retentionSeconds'>,
  now: number,
): ClaimRecord {
  const settled: Draft = {
    ...found,
    unknownAt: undefined,
    // A decision on some steps leaves the other parts as they are. So does one that does not know.
    forgottenUntil: decided.verdict === 'not-applied' ? undefined : found.forgottenUntil,
    unstarted: undefined,
    error: undefined,
    expiresAt: expiry(rules, now),
    resolution: decided,
  };
  if (decided.verdict === 'applied') {
    return successor(found, {
      ...settled,
      status: 'completed',
      resultOmitted: 'by-choice',
      checkpoints: undefined,
      forgottenUntil: undefined,
    });
  }
  // The counts that led to the parking start anew, or the next request would park it again.
  return successor(found, {
    ...settled,
    status: 'released',
    attempts: 0,
    abandoned: 0,
    firstSeenAt: now,
    checkpoints: resolvedCheckpoints(found, steps, now),
  });
}

/** A record is one item, and a note on it must leave room for what it is about. */
export const longestNote = 2000;

/** @throws OptionError unless every verdict is one */
export function expectVerdicts(verdict: ResolutionVerdict | StepResolutions): void {
  if (typeof verdict !== 'object' || verdict === null) expectVerdict('', verdict);
  else for (const [step, said] of Object.entries(verdict)) expectVerdict(step, said);
}

/** @throws OptionError unless it says who acts, and why */
export function expectActedBy(by: unknown, note: unknown): void {
  expect(typeof by === 'string' && by !== '' && by.isWellFormed(), 'by', 'the name of who decided', by);
  expect(
    typeof note === 'string' && note.length <= longestNote && note.isWellFormed(),
    'note',
    `a well-formed text of at most ${longestNote} characters`,
    typeof note,
  );
}

function expectVerdict(step: string, said: unknown): void {
  if (typeof said === 'object' && said !== null) {
    expectOptions(said, { door: 'resolve', within: step, known: knownOfStep, docs });
  }
  const given = typeof said === 'object' && said !== null && 'verdict' in said ? said.verdict : said;
  const fits = typeof said === 'object' ? given === 'applied' : resolutionVerdicts.some((one) => one === given);
  const what = step === '' ? 'verdict' : `verdict of step ${step}`;
  expect(fits, what, "'applied', 'not-applied' or 'retry', or of a step { verdict: 'applied', result }", given);
}

type SaidOf =
  | {
      readonly kind: 'complete';
      readonly resolution: Pick<Resolution, 'verdict' | 'steps'>;
      readonly steps: ReadonlyMap<string, StepResolution>;
    }
  | { readonly kind: 'incomplete'; readonly inDoubt: readonly string[] };

/** What a resolution says of this record; or which steps it would have to speak of. */
export function saidOf(found: ClaimRecord, said: ResolutionVerdict | StepResolutions): SaidOf {
  const inDoubt = stepsInDoubt(found).map(({ name }) => name);
  if (typeof said === 'string') {
    if (said !== 'applied' && inDoubt.length > 1) return { kind: 'incomplete', inDoubt };
    const steps = new Map(said === 'applied' ? [] : inDoubt.map((name) => [name, said] as const));
    return { kind: 'complete', resolution: { verdict: said }, steps };
  }
  const steps = new Map(Object.entries(said));
  const names = inDoubt.length > 0 && inDoubt.length === steps.size && inDoubt.every((name) => steps.has(name));
  if (!names) return { kind: 'incomplete', inDoubt };
  const words = Array.from(steps, ([name, one]) => [name, typeof one === 'string' ? one : one.verdict] as const);
  return { kind: 'complete', resolution: { verdict: 'by-step', steps: Object.fromEntries(words) }, steps };
}
