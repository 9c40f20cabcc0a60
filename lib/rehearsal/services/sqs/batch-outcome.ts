import type { Outcome } from '../../engine/lambda/sandbox.ts';

/**
 * What becomes of one message of a batch. `return` means that Lambda does nothing: the message comes back when its
 * visibility timeout ends.
 */
export type Disposition = 'delete' | 'return';

/**
 * What Lambda does with each message of a batch, given how the invocation ended.
 *
 * If Lambda does not understand a response, the whole batch comes back, so that a typing error in a consumer never deletes a message.
 */
export function dispositionsOf(
  outcome: Outcome,
  messageIds: readonly string[],
  reportsBatchItemFailures: boolean,
): ReadonlyMap<string, Disposition> {
  const all = (disposition: Disposition) => new Map(messageIds.map((id) => [id, disposition]));
  if (outcome.kind !== 'response') return all('return');
  if (!reportsBatchItemFailures) return all('delete');
  const failed = failedIds(outcome.value);
  if (failed === undefined || failed.some((id) => !messageIds.includes(id))) return all('return');
  return new Map(messageIds.map((id) => [id, failed.includes(id) ? 'return' : 'delete']));
}

/** The identifiers in a batch response, or `undefined` if it is not a batch response. An empty response means that no message failed. */
function failedIds(value: unknown): readonly string[] | undefined {
  if (value === null || value === undefined || value === '') return [];
  if (typeof value !== 'object' || Array.isArray(value)) return undefined;
  const failures = 'batchItemFailures' in value ? value.batchItemFailures : null;
  if (failures === null) return [];
  if (!Array.isArray(failures)) return undefined;
  const ids: string[] = [];
  for (const failure of failures) {
    const id: unknown = failure?.itemIdentifier;
    if (typeof id !== 'string' || id === '') return undefined;
    ids.push(id);
  }
  return ids;
}
