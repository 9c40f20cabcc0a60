import { propertyOf } from 'pawl/kernel';
import type { Queued } from './queued.ts';
import type { InvocationResult } from './traffic.ts';

/** The messages of a batch that failed, as Lambda reads a response with `ReportBatchItemFailures`. */
export function failuresOf(batch: readonly Queued[], result: InvocationResult): readonly Queued[] {
  if (result.kind !== 'returned') return batch;
  const failures = propertyOf(result.value, 'batchItemFailures') ?? [];
  // Not a list, or one without ids: Lambda takes the batch for failed.
  if (!Array.isArray(failures)) return batch;
  const ids = failures.map((failure) => propertyOf(failure, 'itemIdentifier'));
  const known = new Set<unknown>(batch.map(({ messageId }) => messageId));
  // An id that Lambda does not know fails the whole batch.
  if (ids.some((id) => !known.has(id))) return batch;
  return batch.filter(({ messageId }) => ids.includes(messageId));
}
