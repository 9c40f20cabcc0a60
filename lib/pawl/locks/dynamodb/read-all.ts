import { explainedError } from '../../kernel/errors.ts';
import { type Host, sleep } from '../../kernel/host.ts';
import { pauseMs } from '../../kernel/retry.ts';
import { betweenConflicts } from './conflicts.ts';

/** DynamoDB's limit for one request. */
const mostReads = 100;
/** How often in a row a read may leave all of its keys unread. */
const mostRounds = 12;

/** What one request has read, and the ids that DynamoDB left unread because the table is throttled. */
export interface ReadSome<T> {
  readonly items: Iterable<readonly [id: string, item: T]>;
  readonly unread: readonly string[];
}

/**
 * Reads any number of items, in requests of at most 100.
 *
 * @throws what `readSome` throws; Error when DynamoDB keeps leaving keys unread
 */
export async function readAll<T>(
  host: Pick<Host, 'after' | 'random'>,
  ids: readonly string[],
  readSome: (ids: readonly string[]) => Promise<ReadSome<T>>,
): Promise<ReadonlyMap<string, T>> {
  const found = new Map<string, T>();
  const waiting = [...new Set(ids)];
  for (let failures = 0; waiting.length > 0; ) {
    if (failures > mostRounds)
      throw explainedError(Error, 'DynamoDB left some keys unread: the table is throttled', 'store-unavailable');
    const now = waiting.splice(0, mostReads);
    const { items, unread } = await readSome(now);
    for (const [id, item] of items) found.set(id, item);
    // What was not read is not what is not there: taken for that, a lock that another worker holds would be given away.
    waiting.push(...unread);
    // Only a request that read nothing counts.
    failures = unread.length === now.length ? failures + 1 : 0;
    if (unread.length > 0) await sleep(host, pauseMs(host, failures, betweenConflicts));
  }
  return found;
}
