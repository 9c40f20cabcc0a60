import { nodeHost } from '../host.ts';
import { expect, expectFunction } from '../kernel/check.ts';
import type { Host } from '../kernel/host.ts';
import { expectOptions } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import { expectOperation } from '../rules/identity.ts';
import type { KeepsNotes } from '../rules/notes.ts';
import { expectActedBy } from '../rules/resolve.ts';
import type { ClaimStore } from '../rules/store.ts';
import { type ApproveResult, approve } from './approve.ts';
import { type SettledReservation, settleReservations } from './end-remedy.ts';
import {
  endFinding,
  type Finding,
  type FindingKind,
  findingKinds,
  findingPrefix,
  openFindings,
  readFinding,
} from './finding.ts';
import { docs, withNotes } from './options.ts';
import { hasEnded, readRun } from './run-note.ts';
import { reportOf, type StatementReport } from './run-report.ts';
import { type ByHandResult, settleByHand } from './settle-by-hand.ts';

/**
 * The options of `findings`.
 *
 * @example
 * import { dynamoStore } from 'pawl/dynamodb';
 *
 * const options: FindingsOptions = { store: dynamoStore({ tableName: process.env.CLAIMS_TABLE }) };
 */
export interface FindingsOptions {
  /** The store of the consumers. It must keep notes. */
  readonly store: ClaimStore & Partial<KeepsNotes>;
  /**
   * Returns who calls, as AWS knows the caller: the `Arn` of `GetCallerIdentity`. `approve` needs it.
   * @default none: nothing can be approved
   */
  readonly identity?: (() => Promise<string>) | undefined;
  /**
   * The clock. Only tests set it.
   * @default that of Node
   */
  readonly host?: Host;
}

/**
 * Which findings to list.
 *
 * @example
 * const query: FindingsQuery = { operation: 'charge-order', kind: 'undecided' };
 * for await (const finding of findings({ store }).list(query)) console.log(finding.id);
 */
export interface FindingsQuery {
  /**
   * Only the findings of this operation.
   * @default every operation
   */
  readonly operation?: string | undefined;
  /**
   * Only the findings of this kind.
   * @default every kind but `undecided`
   */
  readonly kind?: FindingKind | undefined;
}

/**
 * Who accepts a finding, approves its remedy or has settled it, and why.
 *
 * @example
 * const accepted: AcceptedBy = { by: 'maria', note: 'a test charge of the bank' };
 * const found = findings({ store });
 * for await (const { id } of found.list({ operation: 'charge-order' })) await found.accept(id, accepted);
 */
export interface AcceptedBy {
  /** The name of the person or the job. */
  readonly by: string;
  /** In at most 2,000 characters. */
  readonly note: string;
}

/**
 * Who approves the remedy of a finding, and why.
 *
 * @example
 * const found = findings({ store });
 * for await (const { id, request } of found.list({ operation: 'charge-order' })) {
 *   const approved: ApprovedBy = { by: 'tom', note: 'seen at the bank', request: request?.id };
 *   if (request?.amount === 500) await found.approve(id, approved);
 * }
 */
export interface ApprovedBy extends AcceptedBy {
  /**
   * The `id` of the `request` that was looked at. If another one stands there by now, with another amount say, it is not approved.
   * @default the request that stands there
   */
  readonly request?: string | undefined;
}

/** What became of an acceptance. */
export type AcceptResult =
  | { readonly outcome: 'accepted'; readonly finding: Finding }
  /**
   * It was accepted or settled before, a remedy of it has begun, or it is `undecided`: the next run looks again. Nothing was changed.
   */
  | { readonly outcome: 'not-open'; readonly finding: Finding }
  | { readonly outcome: 'unknown-finding' };

/** The findings of statements, for operators. */
export interface Findings {
  /** Reads the open findings, the first found first. Memory holds a page. @throws OptionError; the store's error */
  list(query?: FindingsQuery): AsyncGenerator<Finding, void, undefined>;
  /** Ends a finding: no later run reports it again. @throws OptionError; the store's error */
  accept(id: string, accepted: AcceptedBy): Promise<AcceptResult>;
  /** Approves, as a second person, the remedy that was asked for. Whoever asked cannot. @throws OptionError; what `identity` throws; the store's error */
  approve(id: string, approved: ApprovedBy): Promise<ApproveResult>;
  /** Records that a person has settled a finding outside of pawl: no remedy of it happens any more. @throws OptionError; the store's error */
  settleByHand(id: string, settled: AcceptedBy): Promise<ByHandResult>;
  /**
   * The reservations of remedies that are neither confirmed nor given back. Those whose remedy is decided are settled first: a run may have died before.
   *
   * @throws OptionError; the store's error
   */
  settleReservations(operation: string): Promise<readonly SettledReservation[]>;
  /** The report of the last run of an operation that has ended. @throws OptionError; the store's error */
  report(operation: string): Promise<StatementReport | undefined>;
}

const known = { store: true, identity: true, host: true } as const satisfies NamesOf<FindingsOptions>;
const knownOfQuery = { operation: true, kind: true } as const satisfies NamesOf<FindingsQuery>;
const knownOfAccepted = { by: true, note: true } as const satisfies NamesOf<AcceptedBy>;
const knownOfApproved = { ...knownOfAccepted, request: true } as const satisfies NamesOf<ApprovedBy>;

/**
 * What runs of `reconcileStatements` have found, and how an operator accepts it.
 *
 * @throws OptionError at once when the store keeps no notes
 * @example
 * const found = findings({ store });
 * for await (const { kind, claimId } of found.list({ operation: 'charge-order' })) console.log(kind, claimId);
 */
export function findings(options: FindingsOptions): Findings {
  expectOptions(options, { door: 'findings', known, docs });
  const { store: given, identity, host = nodeHost } = options;
  const store = withNotes(given);
  if (identity !== undefined) expectFunction('identity', 'a function that returns the ARN of its caller', identity);
  const desk = { store, host };
  return {
    async *list(query = {}) {
      expectOptions(query, { door: 'findings.list', known: knownOfQuery, docs });
      const { operation, kind } = query;
      if (operation !== undefined) expectOperation(operation);
      expect(kind === undefined || findingKinds.includes(kind), 'kind', findingKinds.join(', '), kind);
      for await (const finding of openFindings(store, operation)) {
        if (kind === undefined ? finding.kind !== 'undecided' : finding.kind === kind) yield finding;
      }
    },
    async accept(id, accepted) {
      expectAct('findings.accept', id, accepted);
      const { by, note } = accepted;
      const at = host.now();
      const found = await readFinding(store, id);
      // A run decides nothing by absence beside a line that is undecided. Accepted, it would be out of sight.
      if (found?.kind === 'undecided') return { outcome: 'not-open', finding: found };
      const finding = await endFinding(store, id, { accepted: { by, note, at } }, at);
      if (finding === undefined) return { outcome: 'unknown-finding' };
      const { accepted: stored } = finding;
      const isOurs = stored?.by === by && stored.note === note && stored.at === at;
      return { outcome: isOurs ? 'accepted' : 'not-open', finding };
    },
    async approve(id, approved) {
      expectAct('findings.approve', id, approved, knownOfApproved);
      return approve(desk, id, approved, identity);
    },
    async settleByHand(id, settled) {
      expectAct('findings.settleByHand', id, settled);
      return settleByHand(desk, id, settled);
    },
    async settleReservations(operation) {
      expectOperation(operation);
      return settleReservations({ ...desk, operation });
    },
    async report(operation) {
      expectOperation(operation);
      const run = (await readRun(store, operation))?.run;
      return run !== undefined && hasEnded(run) ? reportOf(run) : undefined;
    },
  };
}

/** @throws OptionError */
function expectAct(
  door: string,
  id: string,
  acted: AcceptedBy,
  known: Readonly<Record<string, true>> = knownOfAccepted,
): void {
  expectOptions(acted, { door, known, docs });
  expectActedBy(acted.by, acted.note);
  expect(typeof id === 'string' && id.startsWith(findingPrefix()), 'id', "a finding's id, from list", id);
}
