/** What a batch handler said of one of its messages. */
export type Said = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: unknown };

const succeeded: Said = { ok: true, value: undefined };

/**
 * Understands what existing batch handlers return, for each of the messages that were handed on:
 *
 * - `PromiseSettledResult[]` in the order of the records, Middy's convention;
 * - `{ batchItemFailures }`, Lambda's own;
 * - nothing, or anything else: all are done, as Lambda sees it.
 *
 * An answer that Lambda would take for a failure of the whole batch is one here: every message failed, and what the
 * handler did to it is unknown.
 */
export function understand(response: unknown, messageIds: readonly string[]): readonly Said[] {
  if (isSettledResults(response)) {
    if (response.length !== messageIds.length) {
      return failAll(messageIds, `the handler answered ${response.length} results for ${messageIds.length} messages`);
    }
    // By index: a hole in the list is a message that the handler said nothing of, and `map` would pass over it.
    return Array.from(response, (result) => {
      if (result?.status === 'fulfilled') return { ok: true, value: result.value };
      return { ok: false, error: result?.reason ?? new Error('the handler answered nothing for this message') };
    });
  }
  const failures = batchItemFailuresOf(response);
  if (failures === undefined) return messageIds.map(() => succeeded);
  if (!Array.isArray(failures)) return failAll(messageIds, 'the handler answered batchItemFailures that are no list');

  const known = new Set(messageIds);
  const failed = new Set<string>();
  for (const failure of failures) {
    const id = (failure as { itemIdentifier?: unknown } | null)?.itemIdentifier;
    if (typeof id !== 'string' || !known.has(id)) {
      return failAll(messageIds, 'the handler answered an itemIdentifier that is none of its messages');
    }
    failed.add(id);
  }
  const error = new Error('the handler named this message in batchItemFailures');
  return messageIds.map((id) => (failed.has(id) ? { ok: false, error } : succeeded));
}

/** A failure of the batch as a whole: none of the messages is known to be done, or not to be. */
export function failAll(messageIds: readonly string[], message: string, cause?: unknown): readonly Said[] {
  const error = new Error(message, cause === undefined ? undefined : { cause });
  return messageIds.map(() => ({ ok: false, error }));
}

function isSettledResults(response: unknown): response is readonly (PromiseSettledResult<unknown> | undefined)[] {
  return (
    Array.isArray(response) &&
    response.length > 0 &&
    response.some((result) => result?.status === 'fulfilled' || result?.status === 'rejected')
  );
}

function batchItemFailuresOf(response: unknown): unknown {
  if (typeof response !== 'object' || response === null || !('batchItemFailures' in response)) return undefined;
  return response.batchItemFailures ?? undefined;
}
