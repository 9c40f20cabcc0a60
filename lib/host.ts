import { hash, randomUUID } from 'node:crypto';
import type { Host } from './core/host.ts';

/** The world as it is: the system's clock, its random source and its timers. */
export const nodeHost: Host = {
  now: () => Date.now(),
  random: () => Math.random(),
  randomId: () => randomUUID(),
  sha256: (text) => hash('sha256', text),
  after(ms, callback) {
    if (ms === 0) {
      const turn = setImmediate(callback);
      return () => clearImmediate(turn);
    }
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
