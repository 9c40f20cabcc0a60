import type { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { type Host, sleep } from '../../kernel/host.ts';

/** How often a transaction that met another one is sent. Nothing was applied, so it is the same request. */
const mostConflicts = 12;

const passing = ['None', 'TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'];
const busy = ['TransactionConflictException', 'TransactionInProgressException'];

/** Sends again what met another transaction or was throttled in part, which the SDK does not do by itself. */
export async function despiteConflicts<T>(host: Pick<Host, 'after' | 'random'>, send: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await send();
    } catch (error) {
      if (!isConflict(error) || tries >= mostConflicts) throw error;
    }
    await backOff(host, tries);
  }
}

function isConflict(error: unknown): boolean {
  const { name = '', CancellationReasons = [] } = Object(error) as Partial<TransactionCanceledException>;
  if (busy.includes(name)) return true;
  const isCanceled = name === 'TransactionCanceledException' && CancellationReasons.length > 0;
  return isCanceled && CancellationReasons.every(({ Code = 'None' }) => passing.includes(Code));
}

/** For so long that those who met come back at different times. */
export function backOff(host: Pick<Host, 'after' | 'random'>, tries: number): Promise<void> {
  return sleep(host as Host, (0.5 + host.random()) * Math.min(10 * 2 ** tries, 500));
}
