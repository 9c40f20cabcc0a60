import { type ClaimRequest, type ClaimRules, type Decision, decide, isForgotten } from './decide.ts';
import {
  isAmbiguous,
  isEnforcedToo,
  nothingObserved,
  type Observed,
  type ObservedEnd,
  type ObservedRun,
  observedIn,
  observedToken,
  runsUnderWay,
  type WayAgain,
} from './observed.ts';
import type { Outcome } from './outcome.ts';
import type { ClaimRecord, Draft } from './record.ts';
import { settle } from './settle.ts';
import { successor } from './successor.ts';

/**
 * How a run that pawl only watches changes the record of its key. Pure, like `decide`.
 *
 * Owns: what the beginning and the end of such a run make of a record. Does not own: what is kept of it, and how enforcement reads that (`observed.ts`); and what pawl
 * would have done: `decide` says it, by the same record.
 *
 * 1. A run begins whatever `decide` says: that is only reported. Where it would be granted its claim, the record is as after that grant, under the token of
 *    observed runs. Where it would be parked, it is as if its author had chosen `'retry'`.
 * 2. A claim that a worker of enforcement holds stays its own. So does one that is parked, and one that has ended.
 * 3. A run that had its effect completes the record, whatever other runs come to.
 */

/** A run that is to be watched. */
export interface RunRequest extends Omit<ClaimRequest, 'claimId' | 'source'> {
  /** A random token. */
  readonly run: string;
  readonly delivered: Delivered;
  /** A short hash of each field of the payload. */
  readonly fields?: Readonly<Record<string, string>> | undefined;
}

/** Where a run comes from, as far as that is known. */
export interface Delivered {
  /** SQS's id of the message, through any number of copies. Absent where no queue delivers. */
  readonly message?: string | undefined;
  /** How often SQS has delivered this copy. */
  readonly receives?: number;
  /** It is a copy that an operator has sent back to the queue. */
  readonly isRedriven?: boolean;
}

/** What the beginning of a run makes of a record. */
export interface Begun {
  readonly next: ClaimRecord;
  /** What enforcement would have made of the request. */
  readonly decided: Decision;
}

/** The rows that a record keeps: what it takes stays under a write unit. */
const mostRuns = 5;

const noLimits = {
  onAbandoned: 'retry',
  maxAbandoned: Infinity,
  maxAttempts: Infinity,
  retryWindowSeconds: Infinity,
} as const;

/** @returns `'applied'` if the record has the run already: an earlier write, whose answer was lost */
export function begun(
  found: ClaimRecord | undefined,
  asked: RunRequest,
  rules: ClaimRules,
  now: number,
): Begun | 'applied' {
  const isKept = found !== undefined && !isForgotten(found, rules, now);
  const before = isKept ? observedIn(found) : nothingObserved;
  const observed = isKept && isEnforcedToo(found) ? { ...before, beside: true as const } : before;
  if (observed.runs.some(({ run }) => run === asked.run)) return 'applied';
  const own: ClaimRules = { ...rules, atomic: false, watched: false, statements: false };
  const request: ClaimRequest = { ...asked, claimId: asked.run };
  const decided = decide(found, request, own, now);
  const isOther = isKept && decided.kind === 'key-reused' && isOtherIntent(found, request, own, now);
  const draft = draftOf(found, request, own, decided, now);
  const run: ObservedRun = {
    run: asked.run,
    at: now,
    until: asked.leaseUntil,
    message: asked.delivered.message,
    other: isOther ? true : undefined,
  };
  const next = successor(found, { ...draft, observed: textOf(withRun(observed, run, asked, now)) });
  return { next, decided };
}

/** Whether the payload of a request is another one than the record's. Of a key that is honoured no more, `decide` does not say. */
function isOtherIntent(found: ClaimRecord, request: ClaimRequest, rules: ClaimRules, now: number): boolean {
  if (!isAmbiguous(found)) return true;
  return decide({ ...found, observed: undefined }, request, rules, now).kind === 'key-reused';
}

function draftOf(
  found: ClaimRecord | undefined,
  request: ClaimRequest,
  rules: ClaimRules,
  decided: Decision,
  now: number,
): Draft {
  const isNew = (one: Decision) => one.kind === 'granted' || one.kind === 'taken-over';
  // What pawl would park now runs all the same.
  const granted =
    decided.kind === 'parked' && decided.write !== undefined
      ? decide(found, request, { ...rules, ...noLimits }, now)
      : decided;
  if (isNew(granted)) return { ...granted.record, claimId: observedToken };
  const stays = found as ClaimRecord;
  if (stays.claimId !== observedToken || granted.kind !== 'in-flight') return stays;
  return { ...stays, leaseUntil: Math.max(stays.leaseUntil, request.leaseUntil) };
}

/**
 * What the end of a run makes of a record.
 *
 * @param outcome as `outcomeOfError` or `completion` has it
 */
export function ended(
  found: ClaimRecord | undefined,
  asked: RunRequest,
  outcome: Outcome,
  rules: ClaimRules,
  now: number,
): ClaimRecord | 'applied' {
  // If its beginning was never written, both are written now.
  const began = begun(found, asked, rules, now);
  const base = began === 'applied' ? (found as ClaimRecord) : began.next;
  const before = observedIn(base);
  const own = before.runs.find(({ run }) => run === asked.run);
  if (own === undefined || own.end !== undefined) return 'applied';
  const end = endOf(outcome);
  const runs = before.runs.map((one) => (one === own ? { ...own, end, until: now } : one));
  const counts = own.other === true ? {} : { [end]: end === 'nothing' ? undefined : before[end] + 1 };
  const observed = textOf({ ...before, ...counts, runs });
  const draft =
    own.other === true || base.claimId !== observedToken ? base : endedDraft(base, runs, outcome, end, rules, now);
  return successor(found, { ...draft, observed });
}

function endOf(outcome: Outcome): ObservedEnd {
  if (outcome.status === 'completed') return 'done';
  return outcome.status === 'parked' || (outcome.status === 'released' && outcome.unknown === true)
    ? 'failed'
    : 'nothing';
}

function endedDraft(
  base: ClaimRecord,
  runs: readonly ObservedRun[],
  outcome: Outcome,
  end: ObservedEnd,
  rules: ClaimRules,
  now: number,
): Draft {
  if (outcome.status === 'completed') {
    // Of a claim that was parked meanwhile, it is the proof of its last holder.
    const status = base.status === 'released' ? 'in-flight' : base.status;
    return settledBy({ ...base, status }, outcome, rules, now);
  }
  const error = outcome.error;
  const isBusy = runsUnderWay({ runs }).some(({ until }) => until > now);
  const unknown = end === 'failed';
  if (base.status === 'in-flight') {
    if (isBusy) return unknown ? { ...base, unknownAt: now } : base;
    return settledBy(base, { status: 'released', error, unknown }, rules, now);
  }
  return base.status === 'released' && unknown ? { ...base, error, unknownAt: now } : base;
}

function settledBy(base: ClaimRecord, outcome: Outcome, rules: ClaimRules, now: number): Draft {
  const settled = settle(observedToken, base, outcome, rules, now);
  return typeof settled === 'string' ? base : settled;
}

function withRun(observed: Observed, run: ObservedRun, asked: RunRequest, now: number): Observed {
  const { deliveries, other, again, fields } = observed;
  const way = deliveries === 0 ? undefined : wayOf(observed, asked.delivered, now);
  const differing = run.other === true ? namesThatDiffer(fields, asked.fields, observed.differing) : observed.differing;
  return {
    ...shortened({ ...observed, runs: [...observed.runs, run] }, now),
    deliveries: deliveries + 1,
    other: other + (run.other === true ? 1 : 0),
    again: way === undefined ? again : { ...again, [way]: (again[way] ?? 0) + 1 },
    fields: fields ?? asked.fields,
    differing,
  };
}

/** Without the rows that say least. A run that was killed may have had its effect. */
function shortened(observed: Observed, now: number): Observed {
  const { runs, failed } = observed;
  if (runs.length <= mostRuns) return observed;
  const order: readonly (ObservedEnd | undefined)[] = ['nothing', 'done', 'failed', undefined];
  const oldest = runs.slice(0, -1);
  const end = order.find((one) => oldest.some((run) => run.end === one && (one !== undefined || run.until <= now)));
  const leaving = oldest.find((run) => run.end === end) ?? oldest[0];
  const isKilled = leaving?.end === undefined && leaving?.other === undefined;
  return { ...observed, failed: failed + (isKilled ? 1 : 0), runs: runs.filter((run) => run !== leaving) };
}

function wayOf({ runs }: Observed, { message, receives = 1, isRedriven }: Delivered, now: number): WayAgain {
  if (message === undefined) return 'called-again';
  if (isRedriven === true) return 'redriven';
  const before = runs.findLast((one) => one.message === message);
  if (before === undefined) return receives > 1 ? 'redelivered' : 'sent-twice';
  return before.end === undefined && before.until <= now ? 'redelivered-after-crash' : 'redelivered';
}

/** The most names that are kept. */
const mostNames = 20;

function namesThatDiffer(
  before: Observed['fields'] = {},
  after: Observed['fields'] = {},
  known: readonly string[] = [],
): readonly string[] {
  const names = Object.keys({ ...before, ...after }).filter((name) => before[name] !== after[name]);
  return [...new Set([...known, ...names])].slice(0, mostNames);
}

function textOf(observed: Observed): string {
  return JSON.stringify(observed);
}
