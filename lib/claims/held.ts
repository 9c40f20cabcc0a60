import type { Classification } from '../kernel/errors.ts';
import type { Host } from '../kernel/host.ts';
import type { Identity } from '../kernel/identity.ts';
import type { ClaimEvent, FactsOf } from './events.ts';
import type { Outcome } from './outcome.ts';
import type { Ran, Recorded } from './ran.ts';
import type { ClaimRecord } from './record.ts';
import type { Transition } from './settle.ts';
import type { ClaimStore } from './store.ts';

/** A claim that this worker holds. */
export interface Held {
  readonly identity: Identity;
  /** As it was last written by us; `leaseUntil` moves on with every renewal. */
  record: ClaimRecord;
  /** When the invocation ends, in epoch milliseconds; `undefined` where nothing ends it. */
  readonly deadline: number | undefined;
}

/** A lease that is shorter than the invocation, and is kept while the handler runs. */
export interface Lease {
  readonly leaseMs: number;
  /** @throws OptionError when it is no longer than `timeoutMs` and `marginMs` together */
  readonly check: (leastMs: number) => void;
  /** Keeps a claim's lease until the answered function is called. `lost` is told when the claim is somebody else's. */
  readonly keep: (engine: Engine, held: Held, lost: (why: string) => void) => () => void;
}

/** The policy to ask the provider, as `reconcile` makes it. */
export interface Reconcile<Input> {
  readonly settleMs: number;
  /** Settles the doubt about an earlier attempt, if there is one. Answers nothing when the handler may run. */
  readonly settleDoubt: <R>(engine: Engine, held: Held, input: Input) => Promise<Ran<R> | undefined>;
}

/** How long a change of a claim is tried. */
export interface ChangeOptions {
  /** When nothing is waited for any more, in epoch milliseconds: neither a request under way, nor the next try. */
  readonly until: number;
  /** @default true */
  readonly retries?: boolean;
  /** Writes in place of the store: a write that carries writes of the application's. */
  readonly write?: ClaimStore['write'] | undefined;
}

/** What those need of the engine that an author hands in as a value, so that a consumer without them does not bundle them. */
export interface Engine {
  readonly settings: {
    readonly host: Host;
    readonly operation: string;
    readonly marginMs: number;
    readonly skewMs: number;
    readonly maxAbandoned: number;
    readonly store: ClaimStore;
    readonly retentionSeconds: number;
    readonly maxResultBytes: number;
    readonly recordResult: boolean;
  };
  leaseOf(deadline: number | undefined): Lease | undefined;
  leaseEnd(deadline: number | undefined): number;
  change(
    held: Held,
    transition: (found: ClaimRecord | undefined) => Transition,
    how: ChangeOptions,
  ): Promise<'applied' | 'stale'>;
  /** What an error says about the effect, by its own account or by the author's. */
  kindOf(thrown: unknown): Classification | 'in-doubt' | undefined;
  succeed(held: Held, value: unknown): Promise<Recorded>;
  record(held: Held, outcome: Outcome): Promise<Recorded>;
  emit<T extends ClaimEvent['type']>(identity: Identity, type: T, facts: FactsOf<T>): void;
}
