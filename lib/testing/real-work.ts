import process from 'node:process';
import { realTimers } from './ambient.ts';

/** How long a handler may wait for something real before the virtual clock goes on without it, in milliseconds. */
const patienceMs = 1000;

/** What a process has open for as long as it likes. What it has besides are requests, such as a file that is read: they end. */
const lasting: ReadonlySet<string> = new Set([
  'Timeout',
  'Immediate',
  'MessagePort',
  'PipeWrap',
  'PipeServerWrap',
  'TTYWrap',
  'SignalWrap',
  'ProcessWrap',
  'TCPServerWrap',
  'UDPWrap',
  'FSEventWrap',
  'StatWatcher',
]);

const socket = 'TCPSocketWrap';

/**
 * Real work of this process that the kit does not see: a file that is read, a request to a server. Timers are none: those of a handler go
 * by the clock of its run.
 *
 * Sockets that were there at the start are no handler's, and one that does not close in time is taken for a connection that is kept open.
 */
export function watchRealWork() {
  let usualSockets = sockets();

  const isUnderWay = () => kinds().some((kind) => kind !== socket && !lasting.has(kind)) || sockets() > usualSockets;

  return {
    /** Waits until none is under way, but not for ever. */
    async settle(): Promise<void> {
      if (!isUnderWay()) return;
      const from = performance.now();
      while (isUnderWay() && performance.now() - from < patienceMs) {
        await new Promise<void>((resolve) => realTimers.setTimeout(resolve, 1));
      }
      usualSockets = sockets();
    },
  };
}

export type RealWork = ReturnType<typeof watchRealWork>;

const kinds = () => process.getActiveResourcesInfo();

function sockets(): number {
  return kinds().filter((kind) => kind === socket).length;
}
