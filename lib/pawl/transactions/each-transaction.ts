import type { Claim } from '../engine/claim.ts';
import { internalsOf } from '../engine/claim-internals.ts';
import { emit, requestMs } from '../engine/engine.ts';
import { factsOf } from '../engine/events.ts';
import { type HandlerUse, useOf } from '../engine/handlers.ts';
import { insideHandler } from '../engine/inside-step.ts';
import { type Policy, policyOf } from '../engine/policy.ts';
import { run } from '../engine/run.ts';
import { Work } from '../engine/work.ts';
import { expectFunction } from '../kernel/check.ts';
import { type ExactRows, transactionOptions } from '../kernel/door-options.ts';
import { expectKinds } from '../kernel/option-kinds.ts';
import { answeredBy } from '../kernel/request.ts';
import { expectOptions, ofObserve, ofOtherDoors } from '../kernel/take-options.ts';
import { decide } from '../rules/decide.ts';
import { completion } from '../rules/result.ts';
import { settle } from '../rules/settle.ts';
import { claimMessage } from '../sqs/claim-message.ts';
import type { Consumer } from '../sqs/consumer.ts';
import type { Runnable } from '../sqs/delivery.ts';
import { acknowledged, dispositionOfRun, isFoundDone } from '../sqs/disposition.ts';
import { eachBy, type SqsHandler } from '../sqs/each-by.ts';
import type { Message } from '../sqs/message.ts';
import { receiveCountOf } from '../sqs/message.ts';
import { type SqsOptions, sqsRows } from '../sqs/options.ts';
import { commit, expectRemembered } from './commit.ts';
import type { CommitWrite } from './deferred-write.ts';
import { type CommitRefusedError, isCommitRefused } from './refused.ts';
import type { TransactionalStore } from './store.ts';
import { expectTransactional, expectWrites, WriteCarrier } from './write-carrier.ts';

/**
 * The options of `eachTransaction`: those of `eachMessage` that a transaction has a use for.
 *
 * @example
 * import { RejectedError } from 'pawl';
 * import { bodyField } from 'pawl/sqs';
 *
 * const options: EachTransactionOptions<Order> = {
 *   operation: 'post-order',
 *   store,
 *   schema: Order,
 *   key: bodyField('id'),
 *   onRefused: (refused) => new RejectedError(refused.message),
 * };
 */
export interface EachTransactionOptions<Body>
  extends Omit<
    SqsOptions<Body>,
    'store' | 'onAbandoned' | 'lease' | 'marksEffect' | 'watched' | keyof typeof ofObserve
  > {
  /** Where the claims are kept: `transactionalStore(dynamoStore({ tableName }))`, which commits them with the writes. */
  readonly store: TransactionalStore;
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
const known = rows satisfies ExactRows<EachTransactionOptions<unknown> & Refused, typeof rows>;

/**
 * From a message to the writes that are its whole effect. May read; does nothing else: it can be called more than once.
 *
 * @example
 * const writesOf: TransactionHandler<Order> = ({ body }) => [
 *   { Put: { TableName: 'ledger', Item: { id: `${body.id}/debit`, cents: -body.amountCents } } },
 *   { Put: { TableName: 'ledger', Item: { id: `${body.id}/credit`, cents: body.amountCents } } },
 * ];
 */
export type TransactionHandler<Body> = (
  message: Message<Body>,
) => Promise<readonly CommitWrite[]> | readonly CommitWrite[];

/**
 * A Lambda handler for an SQS queue whose only effect is writes to DynamoDB. Claim, effect and completion are one transaction:
 * one request for a message that is new. There is no lease to outlive, and no attempt leaves anything in doubt.
 * What another door left in doubt, before its operation was deployed here, `onInheritedDoubt` decides: it is parked by default.
 *
 * A message that fails takes a claim as in `eachMessage`, so that its attempts are counted and it is rejected or parked like any other.
 *
 * @throws OptionError at once when an option is missing or out of range
 * @example
 * import { dynamoStore } from 'pawl/dynamodb';
 * import { bodyField } from 'pawl/sqs';
 *
 * const store = transactionalStore(dynamoStore({ tableName: process.env.CLAIMS_TABLE }));
 * export const handler = eachTransaction(
 *   { operation: 'post-order', store, schema: Order, key: bodyField('id') },
 *   ({ body }) => [{ Put: { TableName: 'ledger', Item: { id: body.id, cents: body.amountCents } } }],
 * );
 */
export function eachTransaction<Body>(
  given: EachTransactionOptions<Body>,
  writesOf: TransactionHandler<Body>,
): SqsHandler {
  expectOptions(given, {
    door: 'eachTransaction',
    known,
    refused: { ...refused, ...ofOtherDoors(known) },
    docs: 'docs/guides/transactions.md',
  });
  expectFunction(
    'the function of eachTransaction',
    'a function that returns writes, after the options',
    writesOf,
    'wrong-handler',
  );
  const { onRefused, onInheritedDoubt = known.onInheritedDoubt.default, ...options } = given;
  policyOf('onInheritedDoubt', onInheritedDoubt);
  expectKinds(transactionOptions, given);
  const commitMessage = async (message: Message<Body>, claim: Claim): Promise<void> => {
    expectRemembered(internalsOf(claim, 'eachTransaction'));
    const writes = expectWrites(await writesOf(message));
    if (writes.length === 0) return;
    try {
      await commit(claim, writes);
    } catch (error) {
      throw isCommitRefused(error) && onRefused !== undefined ? onRefused(error, message) : error;
    }
  };
  let use: HandlerUse | undefined;
  const handler = eachBy<Body>(
    { ...options, onAbandoned: onInheritedDoubt },
    async (consumer, one, deadline, mayTakeOver, { isNew }) => {
      use ??= useOf(options.store, options.operation, writesOf);
      const atOnce = await commitAtOnce(consumer, one, deadline, writesOf);
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
  expectTransactional(options.store);
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
  { engine }: Consumer<Body>,
  one: Runnable<Body>,
  deadline: number,
  writesOf: TransactionHandler<Body>,
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
  let carrier: WriteCarrier | undefined;
  try {
    const work = new Work();
    const handling = { work, id: one.identity.id, store: settings.store };
    const writes = await insideHandler(handling, () => writesOf(one.message));
    const hasForgotten = work.isUnderWay || work.unasked.length > 0;
    await work.rest(host, () => deadline - settings.marginMs - host.now());
    // What came of a call of `once` that was not awaited counts, and is said, under a claim.
    if (hasForgotten) return notTried;
    carrier = new WriteCarrier(settings.store, writes);
    // A request that hangs is left behind. Should it arrive after all, either it is found there, or the claim that is taken now keeps it out.
    const until = Math.min(deadline - settings.marginMs, host.now() + requestMs);
    const written = await answeredBy(host, until, carrier.write({ next, seen: undefined }));
    if (!written.applied) return { isCommitted: false, carrier };
  } catch {
    // Whatever it was, it comes again under a claim, where it is reported and counted. A transaction whose answer was lost is found there.
    return { isCommitted: false, carrier };
  }
  emit(engine, one.identity, { type: 'granted', ...factsOf(granted) });
  emit(engine, one.identity, { type: 'completed', ...factsOf(next) });
  return { isCommitted: true, carrier };
}
