import type { ClaimEvent, FactsOf } from './events.ts';
import type { Host } from './host.ts';
import type { Identity } from './identity.ts';
import type { ClaimRecord } from './record.ts';
import type { Transition } from './settle.ts';

/** A claim that this worker holds. */
export interface Held {
  readonly identity: Identity;
  /** As it was last written by us; `leaseUntil` moves on with every renewal. */
  record: ClaimRecord;
  /** When the invocation ends, in epoch milliseconds; `undefined` where nothing ends it. */
  readonly deadline: number | undefined;
  /** An earlier attempt is in doubt, and the provider is to be asked before anything runs. */
  readonly inDoubt: boolean;
}

/** A lease that is shorter than the invocation, and is kept while the handler runs. */
export interface Lease {
  readonly leaseMs: number;
  /** Keeps a claim's lease until the answered function is called. `lost` is told when the claim is somebody else's. */
  readonly keep: (claims: LeaseKeeper, held: Held, lost: (why: string) => void) => () => Promise<void>;
}

/** What keeping a lease needs of the engine. */
export interface LeaseKeeper {
  readonly settings: { readonly host: Host };
  leaseEnd(deadline: number | undefined): number;
  change(
    held: Held,
    transition: (found: ClaimRecord | undefined) => Transition,
    until: number,
  ): Promise<'applied' | 'stale'>;
  emit<T extends ClaimEvent['type']>(identity: Identity, type: T, facts: FactsOf<T>): void;
}
