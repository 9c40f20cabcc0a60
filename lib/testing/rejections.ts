import process from 'node:process';

type Listener = (reason: unknown, promise: Promise<unknown>) => void;

/**
 * Listens to every rejection that is not handled, until the returned function is called. In Lambda such a rejection ends the worker; here it
 * would end the tests, or be held against them.
 */
export function listenToRejections(onRejection: (reason: unknown) => void): () => void {
  const others = process.listeners('unhandledRejection') as Listener[];
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', onRejection);
  return () => {
    process.off('unhandledRejection', onRejection);
    for (const listener of others) process.on('unhandledRejection', listener);
  };
}
