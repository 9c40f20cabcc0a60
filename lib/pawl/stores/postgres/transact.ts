import { explainedError } from '../../kernel/errors.ts';
import { type ClaimWrite, claimState, type WriteResult } from '../../rules/store.ts';
import { endsConnection, isHopeless, isToRepeat, setupErrorOf, stated } from './errors.ts';
import { guarded } from './guard.ts';
import { parametersOf } from './row.ts';
import { type Connection, type PostgresClient, withConnection } from './sql.ts';
import type { PostgresTable } from './table.ts';

/**
 * The write of a claim, and the author's statements, in one transaction.
 *
 * Owns: the transaction, and whether it is known what became of it. Does not own: what a refusal means for the claim.
 *
 * 1. The write of the claim comes first. It locks the row until the end, so the statements of two workers never run beside each other, and those of a
 *    worker whose claim is another one's never run.
 * 2. A transaction that may have been committed is settled by the same write again, and never by a read. The write waits for the row, or for the insert of
 *    it, until that transaction has ended, and a read would not. Refused, it shows the record of the earlier commit; applied, the earlier one was undone.
 * 3. A worker that stands still keeps the row no longer than it has time: the server ends a transaction that waits for its client.
 */

/** What became of it. `refusal`: what the author's statements failed with; or the commit. Nothing was applied, and the claim is as before. */
export type Transacted = WriteResult | { readonly applied: false; readonly refusal: unknown };

/** The longest time that PostgreSQL takes, in milliseconds. */
const longestMs = 2 ** 31 - 1;

/** How a transaction ended. `lost`: the claim is no longer as it was seen. `again`: it was undone, and may pass at the next try. */
type Ended =
  | { readonly kind: 'over'; readonly result: Exclude<Transacted, { readonly found: unknown }> }
  | { readonly kind: 'lost' }
  | { readonly kind: 'again'; readonly error: unknown };

/**
 * @param remainingMs how long the worker has
 * @throws what the driver throws: then it is not known whether it was applied, and the same call again finds out
 */
export async function transact(
  table: PostgresTable,
  write: ClaimWrite,
  work: (client: PostgresClient) => unknown,
  remainingMs: number,
): Promise<Exclude<Ended, { readonly kind: 'again' }>> {
  try {
    const ended = await withConnection(table.pool, table.host, (connection) =>
      inTransaction(table, connection, write, work, remainingMs),
    );
    if (ended.kind === 'again') throw ended.error;
    return ended;
  } catch (error) {
    const explained = setupErrorOf(error, table.name);
    if (isHopeless(explained)) return endRefused(explained);
    throw explained;
  }
}

async function inTransaction(
  { statements }: PostgresTable,
  { client, run }: Connection<PostgresClient>,
  { next, seen }: ClaimWrite,
  work: (client: PostgresClient) => unknown,
  remainingMs: number,
): Promise<Ended> {
  const undone = async (ended: Ended): Promise<Ended> => {
    // On a connection that is dead this fails, and the server has undone it.
    await run('ROLLBACK');
    return ended;
  };
  const idleMs = Math.ceil(Math.max(1000, Math.min(remainingMs, longestMs)));
  await run(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${idleMs}`);
  let isStill: boolean;
  try {
    const write = { next, state: claimState(next), seen: seen && claimState(seen) };
    const { rows } = await run(statements.write, parametersOf([write]));
    isStill = rows.length > 0;
  } catch (error) {
    if (endsConnection(error)) throw error;
    return undone({ kind: 'again', error });
  }
  if (!isStill) return undone({ kind: 'lost' });
  const failed = await failureOf(client, work);
  if (failed !== undefined) {
    const { error } = failed;
    return undone(isToRepeat(error) ? { kind: 'again', error: stated(error) } : endRefused(error));
  }
  try {
    const { command } = await run('COMMIT');
    if (command !== 'ROLLBACK') return { kind: 'over', result: { applied: true } };
    const said = 'a statement failed, and the function of the transaction did not let its error through';
    return endRefused(explainedError(Error, said, 'not-committed'));
  } catch (error) {
    if (endsConnection(error)) throw error;
    return isToRepeat(error) ? { kind: 'again', error } : endRefused(error);
  }
}

function endRefused(refusal: unknown): Extract<Ended, { readonly kind: 'over' }> {
  return { kind: 'over', result: { applied: false, refusal } };
}

/** Runs the author's statements. What comes after them is in no transaction, and is refused. */
async function failureOf(
  client: PostgresClient,
  work: (client: PostgresClient) => unknown,
): Promise<{ readonly error: unknown } | undefined> {
  const guard = guarded(client);
  try {
    await work(guard.client);
    return undefined;
  } catch (error) {
    return { error };
  } finally {
    guard.end();
  }
}
