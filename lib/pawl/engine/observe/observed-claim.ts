import { OptionError } from '../../kernel/errors.ts';
import type { Host } from '../../kernel/host.ts';
import { joined } from '../../kernel/name.ts';
import type { Identity } from '../../rules/identity.ts';
import type { Phase } from '../../rules/settle.ts';
import type { Claim } from '../claim.ts';
import { refuseInternals } from '../claim-internals.ts';

/** A claim that is none, for a handler that pawl only watches. */
export interface ObservedClaim {
  readonly claim: Claim;
  /** How far its handler has come with the effect that it marks. */
  readonly phase: (marksEffect: boolean) => Phase;
}

interface About {
  readonly operation: string;
  /** Nothing for an input without a usable key. */
  readonly identity: Identity | undefined;
  readonly attempt: number;
  readonly host: Host;
  /** Until when its handler has time, in epoch milliseconds. */
  readonly until: number;
}

/**
 * What a handler under `mode: 'observe'` is given: nothing about it depends on the table, and it stops nothing. Its signal is never aborted, its fence is 0, which is below that
 * of every grant.
 */
export function observedClaim({ operation, identity, attempt, host, until }: About): ObservedClaim {
  let effects = 0;
  let applied = 0;
  const claim: Claim = {
    operation,
    key: identity?.key ?? '',
    // Without a key, each run is another one to the provider, as without pawl.
    effectKey: identity?.effectKey ?? joined([operation, host.randomId()]),
    attempt,
    fence: 0,
    get signal() {
      const { signal } = new AbortController();
      Object.defineProperty(this, 'signal', { value: signal, enumerable: true });
      return signal;
    },
    remainingMs: () => Math.max(0, until - host.now()),
    async effect(start) {
      effects += 1;
      const value = await start();
      applied += 1;
      return value;
    },
  };
  refuseInternals(claim, refusedInObserve);
  return {
    claim,
    phase(marksEffect) {
      if (effects === 0) return marksEffect ? 'before' : 'unmarked';
      return applied === effects ? 'after' : 'during';
    },
  };
}

/** Why a handler that is only observed cannot have this. */
export function refusedInObserve(what: string): OptionError {
  const said = `${what}: not under mode: 'observe', where pawl writes nothing of the handler's. Enforce this operation, or do without it while you observe`;
  return new OptionError(said, 'only-observed');
}
