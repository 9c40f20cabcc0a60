import type { RecordedError } from 'pawl/kernel';
import type { LockView, PlannedRelease, Progress, ReleaseResult } from 'pawl/locks';
import type {
  DeadLetter,
  DeadLettersSeen,
  DiscardResult,
  OpenClaimView,
  OpenState,
  PlannedDiscard,
  PlannedRedrive,
  PlannedResolution,
  RedriveResult,
  ResolveResult,
} from 'pawl/operate';
import type {
  AcceptResult,
  ApproveResult,
  ByHandResult,
  Finding,
  PlannedRemedy,
  RemedyAmounts,
  RemedyResult,
  StatementReport,
} from 'pawl/statements';
import type { RehearsalView, ReportView } from './rehearsal-view.ts';

/*
 * What the page and its server say to each other. It is internal: it changes with every version, and nothing but the page may use it.
 * For scripts there are `pawl/operate` and `pawl … --json`.
 */

export type * from './rehearsal-view.ts';

/** A rehearsal, as the program that runs it reports it. */
export interface RehearsalSource {
  /** `undefined` before the first run. */
  view(): RehearsalView | undefined;
  /** `undefined` until the run has ended. */
  report(): ReportView | undefined;
}

/** The header that every call of the page carries, beside the cookie. A form or an image of another page cannot set it. */
export const sessionHeader = 'x-pawl-session';

/** What does not change while the console runs; over a rehearsal, while one run is shown. */
export interface ConsoleState {
  readonly title: string;
  readonly write: boolean;
  /** The name that the page proposes for `by`. */
  readonly user: string;
  readonly queues: readonly QueueName[];
  /** Whether the program behind the console reports what happens, as it happens. */
  readonly live: boolean;
  /** The tables of claims, by name. The page shows one at a time. There is none if a rehearsed app has none, or before it is up. */
  readonly tables: readonly string[];
  /** Whether the console is over a rehearsal. */
  readonly rehearsal: boolean;
  /** Counts how often the tables and queues were replaced by others. */
  readonly version: number;
  /** The works under locks whose progress is shown. */
  readonly works: readonly string[];
  /** Whether the console has remedies for findings. */
  readonly remedies: boolean;
}

/** The parameter of a request that names the table of claims it is about. Without it, it is about the first one. */
export const tableParameter = 'table';

/** A dead-letter queue. */
export interface QueueName {
  readonly url: string;
  readonly name: string;
  /** Where its messages go back to, if that is known. */
  readonly to: string | undefined;
}

/** Where the messages of a dead-letter queue may go back to. */
export interface RedriveTargets {
  /** The queues whose redrive policy names it, and the one that the console knows. */
  readonly sources: readonly string[];
  /** Why SQS does not name them. */
  readonly error: string | undefined;
}

/** How many open claims an operation has, by state. */
export interface OperationNow extends Readonly<Record<OpenState, number>> {
  readonly operation: string;
  /** When the oldest was first seen, in epoch milliseconds. */
  readonly oldestAt: number;
}

export interface QueueNow extends QueueName {
  /** About how many messages; `undefined` if SQS did not say. */
  readonly depth: number | undefined;
  readonly error: string | undefined;
}

/** What is counted over time. */
export const countedKinds = ['done', 'suppressed', 'taken-over', 'parked'] as const;
export type Counted = (typeof countedKinds)[number];

/** Counts over time, oldest first: one number for each period, of every series. */
export interface History {
  readonly source: 'CloudWatch' | 'live' | 'none';
  /** Why there is no history, or not all of it. */
  readonly why: string | undefined;
  /** When the first period begins, in epoch milliseconds. */
  readonly from: number;
  readonly periodMs: number;
  readonly series: Readonly<Record<Counted, readonly number[]>>;
}

export interface Overview {
  readonly at: number;
  readonly operations: readonly OperationNow[];
  readonly queues: readonly QueueNow[];
  readonly locks: LocksNow;
  readonly truncated: boolean;
  readonly history: History;
}

/** How many locks stand. */
export interface LocksNow extends Readonly<Record<LockState, number>> {
  /** Since when the oldest without a worker has its resources, in epoch milliseconds; absent if there is none. */
  readonly oldestAt: number | undefined;
}

export const sorts = ['age', 'attempts', 'key', 'reason'] as const;
export type Sort = (typeof sorts)[number];

/** Which open claims a list or an act is about. */
export interface ClaimsFilter {
  readonly operation?: string | undefined;
  readonly state?: OpenState | undefined;
  readonly reason?: string | undefined;
  /** The whole message of its error. */
  readonly error?: string | undefined;
  /** A text that its id, its reason or its error contains. */
  readonly q?: string | undefined;
}

/** Open claims with the same operation, reason and error. */
export interface ClaimsGroup {
  readonly operation: string;
  readonly reason: string | undefined;
  readonly error: string | undefined;
  readonly count: number;
  readonly oldestAt: number;
}

export interface ClaimsList {
  readonly at: number;
  readonly total: number;
  readonly matching: number;
  readonly truncated: boolean;
  readonly operations: readonly string[];
  readonly reasons: readonly string[];
  readonly claims: readonly OpenClaimView[];
  /** The largest groups of what matches. */
  readonly groups: readonly ClaimsGroup[];
}

/** `lease-over`: it is held, and no worker may be at it any more. */
export const lockStates = ['kept', 'lease-over', 'held'] as const;
export type LockState = (typeof lockStates)[number];

/** How far a work is. */
interface WorkShown extends Progress {
  /** Its name. */
  readonly work: string;
}

/** A lock, and what is known of the request that holds it. */
export interface LockShown extends LockView {
  readonly state: LockState | 'ended';
  /** What became of its holder's claim; absent if there is no claim of that name. */
  readonly claim?: string | undefined;
  /** The works of its holder that have begun, of those that the console was asked to show. */
  readonly works: readonly WorkShown[];
}

/** A lock as the operator has seen it. */
export type SeenLock = Pick<LockView, 'id' | 'fence'>;

export interface LocksList {
  readonly at: number;
  readonly total: number;
  readonly truncated: boolean;
  /** All that match, in the order of the page. */
  readonly matching: readonly SeenLock[];
  /** Those of the page. */
  readonly locks: readonly LockShown[];
}

export interface LettersList extends Omit<DeadLettersSeen, 'letters'> {
  readonly at: number;
  /** Never with a body. */
  readonly letters: readonly DeadLetter[];
}

export interface Body {
  readonly body: string;
  /** The body is longer: this is its beginning. */
  readonly cut: boolean;
}

/** What statements have found, and no operator has accepted. */
export interface FindingsList {
  readonly at: number;
  readonly findings: readonly Finding[];
  readonly truncated: boolean;
  readonly operations: readonly string[];
  /** The last run of each of these operations. */
  readonly reports: readonly StatementReport[];
}

/** What an operator does with findings that are named, without a remedy. */
export const findingActs = ['accept', 'approve', 'settle-by-hand'] as const;
export type FindingAct = (typeof findingActs)[number];

/** One finding of a plan. */
export type PlannedFinding = { readonly id: string } & (
  | { readonly will: Exclude<FindingAct, 'approve'> }
  /** `request`: the token of the request that is shown, with its remedy and its amount. */
  | { readonly will: 'approve'; readonly remedy: string; readonly amount: number; readonly request: string }
  | { readonly will: 'stay'; readonly whyNot: 'not-open' | 'not-asked' }
);

/** What became of one finding. */
export type FindingResult = { readonly id: string } & (
  | { readonly outcome: (AcceptResult | ApproveResult | ByHandResult)['outcome'] }
  | { readonly outcome: 'failed'; readonly error: RecordedError }
);

/** A claim as the operator has seen it. */
export type SeenClaim = Pick<OpenClaimView, 'id' | 'fence'>;

/** Which claims, messages, locks or findings an act is about. */
export type PlanWanted =
  | {
      readonly kind: 'resolve';
      readonly verdict: string;
      /** The claims, each with the fence that the operator has seen; without it, all that the filter finds. */
      readonly claims?: readonly SeenClaim[] | undefined;
      readonly filter?: ClaimsFilter | undefined;
    }
  /** `to`: where they go; without it, the queue that the console knows, or SQS names. */
  | {
      readonly kind: 'redrive';
      readonly queueUrl: string;
      readonly messageIds: readonly string[];
      readonly to?: string | undefined;
    }
  | {
      readonly kind: 'discard';
      readonly queueUrl: string;
      readonly messageIds: readonly string[];
      readonly evenInDoubt: boolean;
    }
  | { readonly kind: 'release'; readonly locks: readonly SeenLock[] }
  | FindingsWanted<'settle'>
  | FindingsWanted<FindingAct>;

/** Which findings an act is about. `settle`: by their remedies. */
export interface FindingsWanted<Kind extends FindingAct | 'settle'> {
  readonly kind: Kind;
  readonly ids: readonly string[];
}

/** One item of a plan. */
export type PlannedItem =
  | PlannedResolution
  | PlannedRedrive
  | PlannedDiscard
  | PlannedRelease
  | PlannedFinding
  | PlannedRemedy;

/** What became of one item. */
export type ItemResult = ResolveResult | RedriveResult | DiscardResult | ReleaseResult | FindingResult | RemedyResult;

/** A plan as the page shows it. The server keeps the whole. */
export interface PlanShown {
  readonly planId: string;
  readonly kind: PlanWanted['kind'];
  readonly count: number;
  readonly stay: number;
  /** Of `not-applied`: since when the youngest doubt stands, in epoch milliseconds. */
  readonly youngestDoubt?: number | undefined;
  /** Of a redrive: where the copies go. */
  readonly to?: string | undefined;
  /** Of a redrive: whether that queue feeds the dead-letter queue; absent if the operator may not read it. */
  readonly isSource?: boolean | undefined;
  /** Of remedies: what those that run cost, in the smallest unit of the currency. */
  readonly amount?: number | undefined;
  /** Of remedies: what is spent and reserved today, by all runs. */
  readonly taken?: RemedyAmounts | undefined;
  /** When the plan was made, in epoch milliseconds, by the clock of the server. */
  readonly at: number;
  /** What will happen, and to how many. */
  readonly summary: readonly { readonly will: string; readonly count: number }[];
  /** The first items. */
  readonly items: readonly PlannedItem[];
  readonly itemsInAll: number;
}

/** One line of an act's response. */
export type ActLine =
  | { readonly kind: 'result'; readonly result: ItemResult }
  /** The act ended before its plan did. */
  | { readonly kind: 'failed'; readonly error: string }
  | { readonly kind: 'end' };

/** Something that has just happened, as the program behind the console reports it. */
export interface LiveEvent {
  /** Epoch milliseconds. */
  readonly at: number;
  /** How the page shows it. */
  readonly tone: 'good' | 'bad' | 'plain';
  /** One or two words: `granted`, `killed`. */
  readonly what: string;
  /** What it happened to. */
  readonly text: string;
  /** The series that it counts in. */
  readonly counts?: Counted | undefined;
}
