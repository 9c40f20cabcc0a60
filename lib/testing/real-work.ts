import process from 'node:process';
import { realTimers } from './ambient.ts';

/** How long a handler may wait for something real, such as a file, before the virtual clock goes on without it, in milliseconds. */
const patienceMs = 1000;

/**
 * Work of this process that the kit does not see: a file that is read, a request to a server, a timer of `node:timers/promises`.
 *
 * What was there at the start is no handler's, and what does not end in time is taken for something that stays, such as a connection
 * that is kept open.
 */
export function watchRealWork() {
  let usual = underWay();
  return {
    isUnderWay: () => underWay() > usual,
    /** Waits until none is under way, but not for ever. */
    async settle(): Promise<void> {
      if (underWay() <= usual) return;
      const from = performance.now();
      while (underWay() > usual && performance.now() - from < patienceMs) {
        await new Promise<void>((resolve) => realTimers.setTimeout(resolve, 1));
      }
      usual = Math.max(usual, underWay());
    },
  };
}

export type RealWork = ReturnType<typeof watchRealWork>;

/** How many things the process waits for, besides its next turn. */
function underWay(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind !== 'Immediate').length;
}
