import { expectRun } from '../../kernel/callable.ts';
import { expect } from '../../kernel/check.ts';
import { effectKind, explainedError, RetryableError } from '../../kernel/errors.ts';
import { recordedError } from '../../kernel/recorded-error.ts';
import type { ClaimStore } from '../../rules/store.ts';
import { sqlState, stated } from '../../stores/postgres/errors.ts';
import type { PostgresStore } from '../../stores/postgres/store.ts';
import { type Carried, WriteCarrier } from '../carrier.ts';
import { makerOf } from '../deferred-write.ts';
import { CommitRefusedError } from '../refused.ts';

/**
 * The statements of the author's, in a transaction of pawl's. What it returns is ignored; a message of an outbox is refused.
 *
 * @example
 * import type { PostgresClient } from 'pawl/postgres';
 *
 * const post: Statements<PostgresClient> = (tx) => tx.query('INSERT INTO ledger (payment) VALUES ($1)', [payment.id]);
 */
export type Statements<Tx> = (tx: Tx) => Promise<unknown> | unknown;

/** @throws OptionError for a store that cannot commit statements: before anything of a handler runs */
export function expectPostgres<Tx>(store: ClaimStore): asserts store is PostgresStore<Tx> {
  const transacts = 'transact' in store && typeof store.transact === 'function';
  expect(transacts, 'store', 'postgresStore({ pool }), which can commit', 'a store that cannot', 'wrong-store');
}

/**
 * Carries statements to PostgreSQL.
 *
 * @param remainingMs how long its worker has
 */
export function statementsCarrier<Tx>(
  store: ClaimStore,
  work: Statements<Tx>,
  remainingMs: () => number,
): WriteCarrier {
  expectPostgres<Tx>(store);
  let underWay: Promise<Carried> | undefined;
  return new WriteCarrier({
    carry(write) {
      // A transaction that is slow is waited for. A second one beside it would only wait for the same row.
      underWay ??= store
        .transact(write, async (tx: Tx) => expectNoMessage(await work(tx)), remainingMs())
        .then((done) => ('refusal' in done ? { applied: false as const, refusal: refusalOf(done.refusal) } : done))
        .finally(() => {
          underWay = undefined;
        });
      return underWay;
    },
  });
}

/**
 * What the author's function returned.
 *
 * @throws RetryableError when its statements have not run, or when it is a message of an outbox: it would never be sent
 */
function expectNoMessage(returned: unknown): void {
  expectRun(returned, 'the function of the transaction');
  const all: readonly unknown[] = Array.isArray(returned) ? returned : [returned];
  if (!all.some((one) => makerOf(one) !== undefined)) return;
  const said =
    'a message of an outbox was returned to a commit in PostgreSQL. The outbox keeps its messages in DynamoDB';
  const advice = 'Insert a row in this transaction and send it from there, or commit in DynamoDB';
  throw explainedError(RetryableError, `${said}. ${advice}`, 'not-committed');
}

/** What says something about the effect by itself, as a `RejectedError` does, stays as it is. */
function refusalOf(error: unknown): unknown {
  if (effectKind(error) !== undefined) return error;
  const said = stated(error);
  const { name, message } = recordedError(said);
  return new CommitRefusedError([{ index: -1, code: sqlState(said) ?? name, message }], { cause: error });
}
