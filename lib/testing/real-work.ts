import { createHook } from 'node:async_hooks';
import { isSwept, realTimers } from './ambient.ts';

/**
 * How long a handler may wait for something real before the virtual clock goes on without it, in milliseconds. Half of it each time that it
 * was in vain: a handler that leaves something behind at every run must not make a sweep last for minutes.
 */
const patienceMs = { first: 1000, least: 10 } as const;

/** What Node calls the things that a caller waits for. Not those that it makes for synchronous calls as well, such as `ZLIB`. */
const requests: ReadonlySet<string> = new Set([
  'Timeout',
  'FSREQCALLBACK',
  'FSREQPROMISE',
  'FILEHANDLECLOSEREQ',
  'GETADDRINFOREQWRAP',
  'QUERYWRAP',
  'TCPCONNECTWRAP',
  'PIPECONNECTWRAP',
  'HTTPCLIENTREQUEST',
  'PROCESSWRAP',
  'PBKDF2REQUEST',
  'SCRYPTREQUEST',
]);

export type RealWork = ReturnType<typeof watchRealWork>;

/**
 * Watches real work that a handler starts and the kit does not see: a file that is read, a request to a server, a timer of a function that
 * the handler's module made before the sweep.
 */
export function watchRealWork() {
  const underWay = new Set<number>();
  let patience: number = patienceMs.first;
  const end = (id: number) => void underWay.delete(id);
  const hook = createHook({
    init(id, kind) {
      if (requests.has(kind) && isSwept()) underWay.add(id);
    },
    after: end,
    destroy: end,
    // Unknown to older versions of Node, which are slower then.
    ...{ trackPromises: false },
  });
  hook.enable();
  return {
    /** Waits until none is under way, but not for ever. */
    async settle(): Promise<void> {
      const from = performance.now();
      while (underWay.size > 0 && performance.now() - from < patience) {
        await new Promise<void>((resolve) => realTimers.setTimeout(resolve, 1));
      }
      if (underWay.size === 0) return;
      // What has not ended by now is not waited for again.
      patience = Math.max(patienceMs.least, patience / 2);
      underWay.clear();
    },
    stop(): void {
      hook.disable();
    },
  };
}
