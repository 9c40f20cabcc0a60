import { hash, randomUUID } from 'node:crypto';
import type { Host } from './kernel/host.ts';

/** What Node's timers hold, in milliseconds: 24.8 days. */
const longestTimer = 2 ** 31 - 1;

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
    // A longer time would overflow, and the timer fire at once: a heartbeat of a hundred days wrote without a pause. Code that waits for
    // the end of a lease looks at the clock when it wakes up.
    const timer = setTimeout(callback, Math.min(ms, longestTimer));
    return () => clearTimeout(timer);
  },
  // Looked at once: Lambda sets it before the process starts, and Node asks the system for a variable of the environment each time.
  outlivesInvocations: isManagedInstance(process.env),
};

/**
 * Whether this process is an execution environment of Lambda Managed Instances. Lambda sets both variables there, and an author can set neither. One of
 * them is enough: a process that is wrongly taken for an ordinary one gives its claims up while its handlers run on.
 */
function isManagedInstance(env: NodeJS.ProcessEnv): boolean {
  const { AWS_LAMBDA_INITIALIZATION_TYPE: type, AWS_LAMBDA_MAX_CONCURRENCY: concurrency } = env;
  return type === 'lambda-managed-instances' || concurrency !== undefined;
}
