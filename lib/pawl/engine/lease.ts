import type { Heartbeat } from '../kernel/heartbeat.ts';
import type { Host } from '../kernel/host.ts';

/** A lease that is shorter than the invocation, and is kept while the handler runs. `renewedLease` makes it. */
export interface Lease {
  readonly leaseMs: number;
  /** @throws OptionError when it is no longer than `timeoutMs` and `marginMs` together */
  readonly check: (leastMs: number) => void;
  /** Keeps a claim's lease until the returned function is called. */
  readonly keep: (host: Host, beat: Omit<Heartbeat, 'leaseMs'>) => () => void;
}
