import type { Outcome } from './sandbox.ts';

/** What becomes of one message of a batch. */
export type Fate = 'delete' | 'return';

/**
 * What Lambda does with each message of a batch, given how the invocation ended.
 *
 * `return` means that nothing is done: the message comes back when its visibility timeout ends. An answer that Lambda
 * cannot make sense of fails the whole batch, so that a typing error in a consumer never deletes a message.
 */
export function fatesOf(
  outcome: Outcome,
  messageIds: readonly string[],
  reportsBatchItemFailures: boolean,
): ReadonlyMap<string, Fate> {
  const all = (fate: Fate) => new Map(messageIds.map((id) => [id, fate]));
  if (outcome.kind !== 'response') return all('return');
  if (!reportsBatchItemFailures) return all('delete');
  const failed = failedIds(outcome.value);
  if (failed === undefined || failed.some((id) => !messageIds.includes(id))) return all('return');
  return new Map(messageIds.map((id) => [id, failed.includes(id) ? 'return' : 'delete']));
}

/** The identifiers in a batch response, or `undefined` when it is not one. Nothing at all means that nothing failed. */
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
