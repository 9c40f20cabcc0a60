import type { Claim } from '../engine/claim.ts';
import { internalsOf } from '../engine/claim-internals.ts';
import { emit } from '../engine/engine.ts';
import { factsOf } from '../engine/events.ts';
import { type HandlerUse, useOf } from '../engine/handlers.ts';
import { insideHandler } from '../engine/inside-step.ts';
import { type Policy, policyOf } from '../engine/policy.ts';
import { run } from '../engine/run.ts';
import { Work } from '../engine/work.ts';
import { expectFunction } from '../kernel/check.ts';
import { type ExactRows, transactionOptions } from '../kernel/door-options.ts';
import { explainedError } from '../kernel/errors.ts';
import { expectKinds } from '../kernel/option-kinds.ts';
import { answeredBy } from '../kernel/request.ts';
import { expectOptions, ofObserve, ofOtherDoors } from '../kernel/take-options.ts';
import { decide } from '../rules/decide.ts';
import { completion } from '../rules/result.ts';
import { settle } from '../rules/settle.ts';
import type { ClaimStore } from '../rules/store.ts';
import { claimMessage } from '../sqs/claim-message.ts';
import type { QueueDoor } from '../sqs/consumer.ts';
import type { Runnable } from '../sqs/delivery.ts';
import { acknowledged, dispositionOfRun, isFoundDone } from '../sqs/disposition.ts';
import { eachBy, type SqsHandler } from '../sqs/each-by.ts';
import type { Message } from '../sqs/message.ts';
import { receiveCountOf } from '../sqs/message.ts';
import { type SqsOptions, sqsRows } from '../sqs/options.ts';
import type { WriteCarrier } from './carrier.ts';
import { commitClaim, expectRemembered } from './commit-claim.ts';
import { type CommitRefusedError, isCommitRefused } from './refused.ts';

/*
 * A consumer whose only effect is in the database of its claims, over any such database.
 *
 * Owns: claim, effect and completion in one transaction, and what becomes of a message for which that fails. Does not own: the transaction
 * (`each-transaction.ts`, `postgres/`).
 */

/**
 * What the options of `eachTransaction` have in common, whatever the database.
 *
 * @example
 * import { bodyField } from 'pawl/sqs';
 *
 * const options: TransactionOptions<Order> = { operation: 'post-order', schema: Order, key: bodyField('id') };
 */
export interface TransactionOptions<Body>
  extends Omit<
    SqsOptions<Body>,
    'store' | 'onAbandoned' | 'lease' | 'marksEffect' | 'watched' | keyof typeof ofObserve
  > {
  /**
   * What becomes of a claim that another door left in doubt: its worker may have had the effect in its own way, before the operation was deployed as
   * `eachTransaction`. No attempt of `eachTransaction` itself leaves anything in doubt.
   *
   * - `'park'`: never twice. The claim waits for an operator's decision, and the message goes to the dead-letter queue.
   * - `'retry'`: commit the writes all the same.
   * - `reconcile({ ask, settleMs })`: ask the provider of the effect as it was.
   *
   * @default 'park'
   */
  readonly onInheritedDoubt?: Policy<Message<Body>>;
  /**
   * Returns the error to fail with when a condition among the writes fails, e.g. a `RejectedError`.
   * @default the CommitRefusedError itself, which has the message come again
   */
  readonly onRefused?: (refused: CommitRefusedError, message: Message<Body>) => unknown;
}

/** Why `eachTransaction` has no use for some options of other consumers. */
const nothingInDoubt = 'claim, effect and completion are one transaction, and nothing can be in doubt';
const refused = {
  onAbandoned: `${nothingInDoubt} but what another door left; onInheritedDoubt decides about that`,
  lease: nothingInDoubt,
  marksEffect: nothingInDoubt,
  watched: 'a new message is one transaction, and no claim is in flight',
  ...ofObserve,
};
const rows = { ...sqsRows, ...transactionOptions };
type Refused = Record<keyof typeof refused, unknown>;
type Given = TransactionOptions<unknown> & { readonly store: unknown };
const known = rows satisfies ExactRows<Given & Refused, typeof rows>;

/** Runs the author's function where it belongs to the handler of its message. */
type Around = <T>(run: () => Promise<T> | T) => Promise<T>;

/** How a database commits what a message means. */
interface Commits<Body> {
  /** The author's function. */
  readonly handler: unknown;
  /** What it does, for the message about one that is none. */
  readonly does: string;
  expectStore(store: ClaimStore): void;
  /** What carries the effect of a message; nothing, where it has none. */
  carrierOf(message: Message<Body>, around: Around, remainingMs: () => number): Promise<WriteCarrier | undefined>;
  /** How long a new message is waited for, in milliseconds. */
  readonly mostMs: number;
}

const asItIs: Around = async (run) => run();

/** The handler of `eachTransaction`. @throws OptionError when an option is missing or out of range */
export function consumeTransactions<Body>(
  given: TransactionOptions<Body> & { readonly store: ClaimStore },
  commits: Commits<Body>,
): SqsHandler {
  expectOptions(given, {
    door: 'eachTransaction',
    known,
    refused: { ...refused, ...ofOtherDoors(known) },
    docs: 'docs/guides/transactions.md',
  });
  expectFunction(
    'the function of eachTransaction',
    `a function that ${commits.does}, after the options`,
    commits.handler,
    'wrong-handler',
  );
  const { onRefused, onInheritedDoubt = known.onInheritedDoubt.default, ...options } = given;
  policyOf('onInheritedDoubt', onInheritedDoubt);
  expectKinds(transactionOptions, given);
  const commitMessage = async (message: Message<Body>, claim: Claim): Promise<void> => {
    expectRemembered(internalsOf(claim, 'eachTransaction'));
    const carrier = await commits.carrierOf(message, asItIs, () => claim.remainingMs());
    if (carrier === undefined) return;
    try {
      await commitClaim(claim, () => carrier, {});
    } catch (error) {
      throw isCommitRefused(error) && onRefused !== undefined ? onRefused(error, message) : error;
    }
  };
  let use: HandlerUse | undefined;
  const handler = eachBy<Body>(
    { ...options, onAbandoned: onInheritedDoubt },
    async (consumer, one, deadline, mayTakeOver, { isNew }) => {
      use ??= useOf(options.store, options.operation, commits.handler);
      const atOnce = await commitAtOnce(consumer, one, deadline, commits);
      const until = deadline - consumer.settings.marginMs;
      if (atOnce.isCommitted) {
        use.hasRun();
        isNew();
        await atOnce.carrier?.follow(until);
        return acknowledged;
      }
      const attempt = await claimMessage(consumer, one, deadline, mayTakeOver);
      if (attempt.kind === 'refused') {
        if (isFoundDone(attempt.disposition)) {
          use.foundDone();
          // Perhaps by the request of this very attempt, whose answer was lost.
          await atOnce.carrier?.follow(until, false);
        }
        return attempt.disposition;
      }
      use.hasRun();
      isNew();
      return dispositionOfRun(await run(consumer.engine, attempt.grant, commitMessage, one.message));
    },
    { atomic: true, stepless: true },
  );
  // Found out later, each message would run up to its commit, and fail there.
  commits.expectStore(options.store);
  return handler;
}

/** What came of the try to do all about a message in one request. `carrier`: of what was sent. */
interface AtOnce {
  readonly isCommitted: boolean;
  readonly carrier?: WriteCarrier | undefined;
}

const notTried: AtOnce = { isCommitted: false };

/** Commits a message that is new in one request. If it is not committed, it is as if it had not been tried. */
async function commitAtOnce<Body>(
  { engine }: QueueDoor<Body>,
  one: Runnable<Body>,
  deadline: number,
  { carrierOf, mostMs }: Commits<Body>,
): Promise<AtOnce> {
  const { settings } = engine;
  const { host } = settings;
  // A message that was received before probably has a record, and its failures are to be counted.
  if (receiveCountOf(one.record) > 1) return notTried;
  // Refused, the transaction would cost as many write units as an applied one.
  if (one.look?.kind === 'seen' && one.look.found !== undefined) return notTried;
  const claimId = host.randomId();
  const { fingerprint, attributes } = one;
  const request = { ...one.identity, claimId, fingerprint, attributes, leaseUntil: deadline };
  const granted = decide(undefined, request, settings, host.now()).record;
  const next = settle(claimId, granted, completion(undefined, 0, false), settings, host.now());
  if (typeof next === 'string') return notTried;
  const remainingMs = () => deadline - settings.marginMs - host.now();
  const around: Around = async (run) => {
    const work = new Work();
    const result = await insideHandler({ work, id: one.identity.id, store: settings.store }, run);
    const hasForgotten = work.isUnderWay || work.unasked.length > 0;
    await work.rest(host, remainingMs);
    // What came of a call of `once` that was not awaited counts, and is said, under a claim.
    if (hasForgotten) throw explainedError(Error, 'a call of once was not awaited', 'not-awaited');
    return result;
  };
  let carrier: WriteCarrier | undefined;
  try {
    carrier = await carrierOf(one.message, around, remainingMs);
    if (carrier === undefined) return notTried;
    // A request that hangs is left behind. Should it arrive after all, either it is found there, or the claim that is taken now keeps it out.
    const now = host.now();
    const until = now + Math.min(remainingMs(), mostMs);
    const written = await answeredBy(host, until, carrier.write({ next, seen: undefined }), { now });
    if (!written.applied) return { isCommitted: false, carrier };
  } catch {
    // Whatever it was, it comes again under a claim, where it is reported and counted. A transaction whose answer was lost is found there.
    return { isCommitted: false, carrier };
  }
  emit(engine, one.identity, { type: 'granted', ...factsOf(granted) });
  emit(engine, one.identity, { type: 'completed', ...factsOf(next) });
  return { isCommitted: true, carrier };
}
