import { RetryableError } from 'pawl';
import type { Lock } from 'pawl/locks';
import type { PoolClient } from 'pg';

/**
 * Repays what is still open among these debts, under a lock. The fence of the lock comes first: it keeps the rows until the end of the transaction, and
 * after it, a worker that stood still until another one has taken the lock over changes none of them.
 */
export async function repay(
  tx: PoolClient,
  debts: readonly string[],
  { lock, request }: { readonly lock: Pick<Lock, 'fence'>; readonly request: string },
): Promise<void> {
  const fences = debts.map((debt) => lock.fence(['debt', debt]));
  const { rowCount } = await tx.query(
    `UPDATE debts SET lock_fence = given.fence FROM unnest($1::text[], $2::bigint[]) AS given (debt_id, fence)
     WHERE debts.debt_id = given.debt_id AND debts.lock_fence <= given.fence`,
    [debts, fences],
  );
  if (rowCount !== debts.length) throw new RetryableError('another request has taken the lock of these debts over');
  await tx.query(
    'UPDATE debts SET repaid = repaid + 1, repaid_by = $2 WHERE debt_id = ANY($1::text[]) AND repaid = 0',
    [debts, request],
  );
}
