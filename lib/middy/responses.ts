/** What a batch handler said of one of its messages. */
interface Said {
  /** `running`: nothing yet, and it is still at it. */
  readonly status: 'fulfilled' | 'rejected' | 'running';
  readonly value?: unknown;
  readonly reason?: unknown;
}

/** What it said of each, by index: nothing, where it did not mention one. */
export type Told = (index: number) => Said | undefined;

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
export function understand(response: unknown, messageIds: readonly string[]): Told {
  const misunderstood = (what: string) => failed(new Error(`the handler answered ${what}`));

  if (Array.isArray(response) && response.some((result) => /^(fulfilled|rejected)$/.test(result?.status))) {
    const results: readonly (Said | undefined)[] = [...response];
    const { length } = messageIds;
    if (results.length !== length) return misunderstood(`${results.length} results for ${length} messages`);
    return (index) => results[index];
  }
  const failures = Object(response).batchItemFailures ?? [];
  if (!Array.isArray(failures)) return misunderstood('batchItemFailures that are no list');
  const listed = new Set<unknown>(Array.from(failures, (failure) => Object(failure).itemIdentifier));
  const known = new Set<unknown>(messageIds);
  for (const id of listed) {
    if (!known.has(id)) return misunderstood('an itemIdentifier of none of its messages');
  }
  const reason = new Error('the handler listed this message in batchItemFailures');
  return (index) => ({ status: listed.has(messageIds[index]) ? 'rejected' : 'fulfilled', reason });
}

/** All of the batch failed: none of its messages is known to be done, or not to be. */
export function failed(reason: unknown): Told {
  return () => ({ status: 'rejected', reason });
}
