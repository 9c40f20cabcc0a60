import { expect } from '../kernel/check.ts';
import { expectOptions } from '../kernel/take-options.ts';
import { propertyOf } from '../kernel/unknown.ts';
import { type ResolutionVerdict, understood } from '../rules/record.ts';
import type { StepResolutions } from '../rules/resolve.ts';
import { type ClaimName, type ClaimView, claimView, idOf } from './claim-view.ts';
import { type DeadLettersQuery, type DeadLettersSeen, deadLetters } from './dead-letters.ts';
import { openDesk } from './desk.ts';
import { type DiscardResult, discard } from './discard.ts';
import { type DiscardPlan, type DiscardWanted, planDiscard } from './discard-plan.ts';
import { type ForgetResult, type ForgottenBy, forget } from './forget.ts';
import { type ObservedReport, observed } from './observed.ts';
import { type OpenClaimsPage, type OpenClaimsQuery, openClaims } from './open-claims.ts';
import { type ActOptions, knownOfActs, type OperatorOptions } from './options.ts';
import { readQueueState, sourcesOf } from './queue-calls.ts';
import { type RedriveResult, redrive } from './redrive.ts';
import { planRedrive, type RedrivePlan, type RedriveWanted } from './redrive-plan.ts';
import { planResolutions, type ResolutionPlan, type ResolutionsWanted, resolveAll } from './resolutions.ts';
import { type ResolvedByOperator, type ResolveResult, resolve } from './resolve.ts';
import { docs } from './words.ts';

/** What an operator can see and do. */
export interface Operator {
  /**
   * Lists open claims, a page at a time. Memory holds one page.
   *
   * @throws OptionError when the store has no index of open claims; the store's error
   * @example
   * for await (const { claims } of operate.openClaims({ operation: 'send-email', state: 'parked' })) {
   *   for (const claim of claims) console.log(claim.id, claim.reason);
   * }
   */
  openClaims(query?: OpenClaimsQuery): AsyncGenerator<OpenClaimsPage, void, undefined>;
  /**
   * All that is known of one claim, read strongly consistent.
   *
   * @returns undefined if the store has no such claim
   * @throws InvalidMessageError when the key is none; the store's error
   */
  readClaim(name: ClaimName, options?: { readonly results?: boolean }): Promise<ClaimView | undefined>;
  /**
   * What was seen of an operation under `mode: 'observe'`, and whether to enforce with its key. Reads each record that was only observed.
   *
   * @param options `most`: how many keys are listed of each kind, 20 by default
   * @throws OptionError when the store has no such index; the store's error
   */
  observed(operation: string, options?: { readonly most?: number }): Promise<ObservedReport>;
  /**
   * Stores an operator's decision about a claim in doubt, if the claim has not changed since it was read.
   *
   * A claim that is in doubt and not parked is parked first, as a worker under `'park'` would do. So no worker begins in between.
   *
   * @param verdict of the whole claim; or of each step in doubt, by its name
   * @throws OptionError when a verdict is none, or `by` or `note` is missing; the store's error
   */
  resolve(
    name: ClaimName,
    verdict: ResolutionVerdict | StepResolutions,
    resolved: ResolvedByOperator,
  ): Promise<ResolveResult>;
  /**
   * Erases what a claim keeps, once it is completed or rejected: result, attributes, error, steps, and what operators wrote. The effect still does
   * not repeat. The key stays, as the id of the record: where your key function hashes it, its hash.
   *
   * @throws OptionError when `by` or `note` is missing; the store's error
   */
  forget(name: ClaimName, acted: ForgottenBy): Promise<ForgetResult>;
  /** What one verdict for many claims would do. Reads each claim, and writes nothing. @throws OptionError; the store's error */
  planResolutions(wanted: ResolutionsWanted): Promise<ResolutionPlan>;
  /** Carries a plan out, a claim at a time. Each is read again, and resolved only if its doubt is the one that the plan has seen. */
  resolveAll(plan: ResolutionPlan, acting?: ActOptions): AsyncGenerator<ResolveResult, void, undefined>;
  /**
   * Looks at the messages of a dead-letter queue, and gives them back. While pawl looks, they are hidden, and on a FIFO queue their groups are blocked.
   *
   * @throws OptionError; SQS's error; the store's error
   */
  deadLetters(query: DeadLettersQuery): Promise<DeadLettersSeen>;
  /**
   * About how many messages a queue has, hidden and delayed ones with them. It receives none.
   *
   * @throws OptionError; SQS's error
   */
  queueDepth(queueUrl: string): Promise<number>;
  /** What a redrive of these messages would do. Reads their claims, and sends nothing. @throws OptionError; SQS's error; the store's error */
  planRedrive(wanted: RedriveWanted): Promise<RedrivePlan>;
  /**
   * Carries a redrive out. Each claim is read again before its message is sent. A dead letter is deleted only after SQS has confirmed its copy: a process that
   * dies in between leaves two copies, of which the consumer runs one.
   */
  redrive(plan: RedrivePlan, acting?: ActOptions): AsyncGenerator<RedriveResult, void, undefined>;
  /**
   * The queues whose redrive policy names a dead-letter queue.
   *
   * @throws OptionError; SQS's error
   */
  sourcesOf(deadLetterUrl: string): Promise<readonly string[]>;
  /** What would be deleted for good. Reads the claims of the letters, and deletes nothing. @throws OptionError; the store's error */
  planDiscard(wanted: DiscardWanted): Promise<DiscardPlan>;
  /**
   * Deletes dead letters for good, those that can never run. Each claim is read again, and keeps who discarded its letter and why. Its status stays: a discard
   * decides nothing about the effect.
   */
  discard(plan: DiscardPlan, acting?: ActOptions): AsyncGenerator<DiscardResult, void, undefined>;
}

const knownOfRead = { results: true } as const;
const knownOfObserved = { most: true } as const;

/**
 * What an operator can see and do: list open claims, resolve them, look at dead letters, and redrive them.
 *
 * @throws OptionError at once when an option is missing or out of range
 * @example
 * import { dynamoStore } from 'pawl/dynamodb';
 *
 * const operate = operator({ store: dynamoStore({ tableName: process.env.CLAIMS_TABLE }) });
 * const by = { by: 'maria', note: 'the mail is in the outbox' };
 * const { outcome } = await operate.resolve({ operation: 'send-email', key: 'order-17' }, 'applied', by);
 */
export function operator(options: OperatorOptions): Operator {
  const desk = openDesk(options);
  return {
    openClaims: (query = {}) => openClaims(desk, query),
    async readClaim(name, read = {}) {
      expectOptions(read, { door: 'readClaim', known: knownOfRead, docs });
      const found = understood(await desk.store.read(idOf(name, desk.host)));
      return found && claimView(found, desk.host, read.results);
    },
    async observed(operation, wanted = {}) {
      expectOptions(wanted, { door: 'observed', known: knownOfObserved, docs });
      return observed(desk, operation, wanted);
    },
    resolve: (name, verdict, resolved) => resolve(desk, name, verdict, resolved),
    forget: (name, acted) => forget(desk, name, acted),
    planResolutions: (wanted) => planResolutions(desk, wanted),
    resolveAll: (plan, acting = {}) =>
      resolveAll(desk, checkedPlan('planResolutions', plan), checkedActing('resolveAll', acting)),
    deadLetters: (query) => deadLetters(desk, query),
    async queueDepth(queueUrl) {
      expect(typeof queueUrl === 'string' && queueUrl !== '', 'queueUrl', "a queue's URL", queueUrl);
      return (await readQueueState(desk, queueUrl)).all;
    },
    planRedrive: (wanted) => planRedrive(desk, wanted),
    async sourcesOf(deadLetterUrl) {
      const isUrl = typeof deadLetterUrl === 'string' && deadLetterUrl !== '';
      expect(isUrl, 'deadLetterUrl', "a queue's URL", deadLetterUrl);
      return sourcesOf(desk, deadLetterUrl);
    },
    planDiscard: (wanted) => planDiscard(desk, wanted),
    discard: (plan, acting = {}) => discard(desk, checkedPlan('planDiscard', plan), checkedActing('discard', acting)),
    redrive: (plan, acting = {}) => redrive(desk, checkedPlan('planRedrive', plan), checkedActing('redrive', acting)),
  };
}

/** @throws OptionError for what is no plan, such as the promise of one */
function checkedPlan<Plan extends { readonly items: readonly unknown[] }>(planner: string, plan: Plan): Plan {
  expect(Array.isArray(propertyOf(plan, 'items')), 'plan', `the plan that ${planner} has made`, plan);
  return plan;
}

/** @throws OptionError */
function checkedActing(door: string, acting: ActOptions): ActOptions {
  expectOptions(acting, { door, known: knownOfActs, docs });
  return acting;
}
