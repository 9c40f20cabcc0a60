import { createRandom, type Random } from '../engine/random.ts';
import type { ProviderFault } from '../provider.ts';

/*
 * What goes wrong where. Each choice is drawn from the seed and the names of what it is about, and from nothing else: the same seed
 * plans the same for an intent, whatever else is sent, and in whatever order it arrives.
 */

/**
 * What goes wrong in a rehearsal. Each number but `deploy` is a share of the intents, from 0 to 1. What is left out does not happen.
 */
export interface Faults {
  /** The sandbox is killed once: before, during or after an effect or a write, at each function that handles the intent. */
  readonly kill?: number;
  /** The producer sends twice: at once, or some seconds later. */
  readonly duplicate?: number;
  /** The queue delivers again: after the message was handled, or while it is being handled. */
  readonly redeliver?: number;
  /** DynamoDB carries a write out, and its response is lost. */
  readonly loseAnswer?: number;
  /** DynamoDB refuses a request as exceeding the throughput: once, or more often than the SDK tries. */
  readonly throttle?: number;
  /** The sandbox is stopped for longer than the visibility timeout, and goes on later. */
  readonly freeze?: number;
  /** A provider fails before or after it has applied the effect, hangs, or responds late or not at all. */
  readonly provider?: number;
  /**
   * The queue delivers the message again after as long as it keeps one: what expires in that time is gone, and so are the 5 minutes in which
   * FIFO queues recognise a deduplication id.
   */
  readonly ttl?: number;
  /** An index does not show yet what was written, and the queue delivers the message again meanwhile. */
  readonly indexLag?: number;
  /** How often all functions are deployed in mid-traffic. */
  readonly deploy?: number;
}

/** What goes wrong if the author names nothing. */
export const defaultFaults = {
  kill: 0.1,
  duplicate: 0.15,
  redeliver: 0.1,
  loseAnswer: 0.05,
  throttle: 0.05,
  freeze: 0.02,
  provider: 0.1,
  // Only some messages in an operator's life come back after days.
  ttl: 0,
  indexLag: 0.05,
  deploy: 1,
} as const satisfies Required<Faults>;

export const faultNames = Object.keys(defaultFaults) as readonly (keyof Faults)[];

/** A moment in the work on one intent. */
export type Moment =
  | { readonly at: 'start' }
  | { readonly at: 'store'; readonly write: number; readonly when: 'sent' | 'written' | 'answered' }
  | { readonly at: 'provider'; readonly when: 'before' | 'applied' | 'answered' };

/** What goes wrong with one intent at one function. */
export interface Trouble {
  readonly kill: Moment | undefined;
  readonly freeze: Moment | undefined;
  readonly redeliver: 'after-handled' | 'while-handled' | undefined;
  /** The ordinal of the write whose response is lost. */
  readonly loseAnswer: number | undefined;
  /** From which request on, and how many of them. */
  readonly throttle: { readonly from: number; readonly times: number } | undefined;
  /** It is delivered again when what has a time to live has expired. */
  readonly ttl: boolean;
  /** Indexes do not show it at first. */
  readonly indexLag: boolean;
}

export interface Plan {
  readonly seed: number;
  readonly faults: Required<Faults>;
  /** What goes wrong with an intent at a function. */
  trouble(intent: string, construct: string): Trouble;
  /** What goes wrong at a provider with the call for an intent. */
  provider(intent: string, provider: string): ProviderFault | undefined;
  /** How much later the producer sends it again, in milliseconds. */
  duplicateAfterMs(intent: string, target: string): number | undefined;
}

/** What an app has, at which things can go wrong. */
export interface Surface {
  readonly hasStore: boolean;
  readonly hasProvider: boolean;
}

export function createPlan(seed: number, faults: Faults, surface: Surface): Plan {
  const shares = { ...none, ...faults };
  const drawn = <Choice>(about: string, share: number, choose: (random: Random) => Choice): Choice | undefined => {
    const random = createRandom(seed ^ hash(about));
    return random.chance(share) ? choose(random) : undefined;
  };
  return {
    seed,
    faults: shares,
    trouble(intent, construct) {
      const at = `${construct}/${intent}`;
      const kill = drawn(`kill ${at}`, shares.kill, (random) => killMoment(random, surface));
      return {
        kill,
        // A dead sandbox does not go on.
        freeze: kill ? undefined : drawn(`freeze ${at}`, shares.freeze, (random) => freezeMoment(random, surface)),
        redeliver: drawn(`redeliver ${at}`, shares.redeliver, ({ pick }) => pick(['after-handled', 'while-handled'])),
        loseAnswer: drawn(`lose ${at}`, shares.loseAnswer, ({ below }) => below(2)),
        throttle: drawn(`throttle ${at}`, shares.throttle, ({ below, pick }) => ({
          from: below(3),
          times: pick([1, 1, 5]),
        })),
        ttl: drawn(`ttl ${at}`, shares.ttl, () => true) ?? false,
        indexLag: drawn(`index ${at}`, shares.indexLag, () => true) ?? false,
      };
    },
    provider: (intent, provider) => drawn(`provider ${provider}/${intent}`, shares.provider, providerFault),
    duplicateAfterMs: (intent, target) =>
      drawn(`duplicate ${target}/${intent}`, shares.duplicate, ({ pick }) => pick([0, 0, 1_000, 3_000])),
  };
}

const none = Object.fromEntries(faultNames.map((name) => [name, 0])) as Required<Faults>;

function killMoment(random: Random, { hasStore, hasProvider }: Surface): Moment {
  const luck = random.next();
  if (hasProvider && luck < (hasStore ? 0.5 : 0.85)) {
    // Applied most often: the worker dies between the effect and its record.
    return { at: 'provider', when: random.pick(['before', 'applied', 'applied', 'answered']) };
  }
  if (hasStore && luck < 0.9) {
    return { at: 'store', write: random.pick([0, 0, 1, 1, 2]), when: random.pick(['sent', 'written', 'answered']) };
  }
  return { at: 'start' };
}

function freezeMoment(random: Random, { hasStore, hasProvider }: Surface): Moment {
  const choices: [Moment, ...Moment[]] = [{ at: 'start' }];
  if (hasStore) choices.push({ at: 'store', write: 0, when: 'answered' });
  if (hasProvider) choices.push({ at: 'provider', when: 'applied' });
  return random.pick(choices);
}

function providerFault(random: Random): ProviderFault {
  const luck = random.next();
  const delayMs = 200 + random.below(1_000);
  const status = random.pick([500, 502, 503]);
  // Few that hang: each costs its batch the whole timeout of the function, and then a visibility timeout.
  if (luck < 0.05) return { kind: 'hang-before' };
  if (luck < 0.1) return { kind: 'hang-applied' };
  if (luck < 0.35) return { kind: 'error-before', status };
  if (luck < 0.6) return { kind: 'error-applied', status };
  if (luck < 0.8) return { kind: 'drop-applied' };
  return { kind: 'late', delayMs };
}

/** FNV-1a, mixed once more: names that differ in their last digit must not draw alike. */
function hash(text: string): number {
  let value = 0x81_1c_9d_c5;
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 0x01_00_01_93);
  value = Math.imul(value ^ (value >>> 16), 0x85_eb_ca_6b);
  return (value ^ (value >>> 13)) >>> 0;
}
