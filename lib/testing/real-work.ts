import { createHook } from 'node:async_hooks';
import { isSwept, realTimers } from './ambient.ts';

/** How long a handler may wait for something real before the virtual clock goes on without it, in milliseconds. */
const patienceMs = 1000;

/** What Node calls things that somebody waits for, and that end by themselves. */
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
  'ZLIB',
  'CIPHERREQUEST',
  'DERIVEBITSREQUEST',
  'HASHREQUEST',
  'PBKDF2REQUEST',
  'SCRYPTREQUEST',
  'SIGNREQUEST',
  'RANDOMBYTESREQUEST',
  'RANDOMPRIMEREQUEST',
  'CHECKPRIMEREQUEST',
  'KEYGENREQUEST',
  'KEYPAIRGENREQUEST',
  'KEYEXPORTREQUEST',
]);

export type RealWork = ReturnType<typeof watchRealWork>;

/**
 * Watches real work that a handler starts and the kit does not see: a file that is read, a request to a server, a timer of a function that
 * the handler's module made before the sweep.
 */
export function watchRealWork() {
  const underWay = new Set<number>();
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
      while (underWay.size > 0 && performance.now() - from < patienceMs) {
        await new Promise<void>((resolve) => realTimers.setTimeout(resolve, 1));
      }
      // What has not ended by now is not waited for again.
      underWay.clear();
    },
    stop(): void {
      hook.disable();
    },
  };
}
