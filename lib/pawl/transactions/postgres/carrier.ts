import { forgetNoted, noting } from '../../engine/made-inside.ts';
import { expectRun } from '../../kernel/callable.ts';
import { expect } from '../../kernel/check.ts';
import { effectKind } from '../../kernel/error-kind.ts';
import { explainedError, RetryableError } from '../../kernel/errors.ts';
import { recordedError } from '../../kernel/recorded-error.ts';
import type { ClaimStore } from '../../rules/store.ts';
import { sqlState, stated } from '../../stores/postgres/errors.ts';
import type { PostgresClient } from '../../stores/postgres/sql.ts';
import type { PostgresStore } from '../../stores/postgres/store.ts';
import { type Carried, WriteCarrier } from '../carrier.ts';
import { type DeferredRow, type FollowsCommit, makerOf } from '../deferred-write.ts';
import { expectReturned } from '../made-messages.ts';
import { CommitRefusedError } from '../refused.ts';

/**
 * The statements of the author's, in a transaction of pawl's. A message of a `postgresOutbox` that it returns, by itself or in a list, is committed with them.
 * What else it returns is ignored.
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
  /** Of the run of the function that was the last. Where the transaction is known to be applied, it was that of this run. */
  let made: readonly FollowsCommit[] = [];
  const run = async (tx: Tx, connection: PostgresClient) => {
    const left = new Set<object>();
    const returned = await noting(left, () => work(tx));
    made = await insertMessages(connection, returned, left);
  };
  return new WriteCarrier({
    carry(write) {
      // A transaction that is slow is waited for. A second one beside it would only wait for the same row.
      underWay ??= store
        .transact(write, run, remainingMs())
        .then((done) => ('refusal' in done ? { applied: false as const, refusal: refusalOf(done.refusal) } : done))
        .finally(() => {
          underWay = undefined;
        });
      return underWay;
    },
    follow: async (until, isKnown) => void (await Promise.all(made.map((one) => one.follow(until, isKnown)))),
  });
}

/**
 * Writes the messages that the author's function returned, behind its statements: the counter of a group is locked for a moment only.
 *
 * @param left the messages that it has made: one that it does not return would be lost without a word
 * @throws RetryableError when its statements have not run, or when a message cannot be committed here
 */
async function insertMessages(
  connection: PostgresClient,
  returned: unknown,
  left: Set<object>,
): Promise<readonly FollowsCommit[]> {
  expectRun(returned, 'the function of the transaction');
  const all: readonly unknown[] = Array.isArray(returned) ? returned : [returned];
  expectReturned(left, all);
  // Inside of another function of a commit: that one needs not return what is committed here.
  forgetNoted(all as readonly object[]);
  const rows = Map.groupBy(all, makerOf);
  const made: FollowsCommit[] = [];
  for (const [maker, theirs] of rows) {
    if (maker === undefined) continue;
    if (maker.kind === 'dynamodb') {
      const said = 'a message of dynamoOutbox was returned to a commit in PostgreSQL';
      throw explainedError(RetryableError, `${said}. Use postgresOutbox, or commit in DynamoDB`, 'not-committed');
    }
    try {
      made.push(await maker.insert(connection, theirs as readonly DeferredRow[]));
    } catch (cause) {
      // Not of the author's statements: what onRefused makes of those would reject the message for it.
      const said = `the message was not committed: ${recordedError(cause).message}`;
      throw explainedError(RetryableError, said, 'not-committed', { cause });
    }
  }
  return made;
}

/** What says something about the effect by itself, as a `RejectedError` does, stays as it is. */
function refusalOf(error: unknown): unknown {
  if (effectKind(error) !== undefined) return error;
  const said = stated(error);
  const { name, message } = recordedError(said);
  return new CommitRefusedError([{ index: -1, code: sqlState(said) ?? name, message }], { cause: error });
}
