import { type Host, sleep } from '../../kernel/host.ts';
import { type Pauses, pauseMs } from '../../kernel/retry.ts';
import { isConflict } from '../../stores/dynamodb/errors.ts';

/** How often a transaction that met another one is sent. Nothing was applied, so it is the same request. */
const mostConflicts = 12;

/** For so long that those who met come back at different times. A transaction takes some milliseconds. */
export const betweenConflicts: Pauses = { firstMs: 10, mostMs: 500 };

/** Sends again what met another transaction or was throttled in part, which the SDK does not do by itself. */
export async function despiteConflicts<T>(host: Pick<Host, 'after' | 'random'>, send: () => Promise<T>): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await send();
    } catch (error) {
      if (!isConflict(error) || failures >= mostConflicts) throw error;
    }
    await sleep(host, pauseMs(host, failures, betweenConflicts));
  }
}
