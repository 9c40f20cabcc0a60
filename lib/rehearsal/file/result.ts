import type { NotRun } from '../engine/not-run.ts';
import type { FaultStats } from './carrying.ts';
import type { EffectVerdict } from './judge.ts';
import type { Faults } from './plan.ts';
import type { Shortened } from './shorten.ts';

/** A cause that is known, and what to do about it. */
export interface Hint {
  readonly name: string;
  readonly text: string;
  /** Those that came to harm by it; none, if it is about the app as it is. */
  readonly intents: readonly string[];
}

/** An intent that came to harm, and how. */
export interface Harmed {
  readonly effect: string;
  readonly intent: string;
  readonly problem: 'doubled' | 'lost' | 'unfinished';
  /** How often the effect happened. */
  readonly times: number;
  readonly story: readonly string[];
}

/** Everything that a rehearsal found out. */
export interface RehearsalResult {
  readonly seed: number;
  readonly good: boolean;
  /** Why it is neither good nor bad, and what to do. `undefined` if it can be judged. */
  readonly noVerdict: string | undefined;
  readonly effects: readonly EffectVerdict[];
  /** Why the run shows nothing of an effect, although nothing went wrong. Each fails the rehearsal. */
  readonly empty: readonly string[];
  /** What the run shows nothing about, although it is good: faults that were planned and could not strike. Each is a sentence. */
  readonly untested: readonly string[];
  /** Effects that have not happened at all under a filter: they may be those of another consumer. */
  readonly notJudged: readonly string[];
  readonly harmed: readonly Harmed[];
  /** The story that was asked for. */
  readonly story: { readonly intent: string; readonly lines: readonly string[] } | undefined;
  /** What `check` returned. */
  readonly findings: readonly string[];
  readonly hints: readonly Hint[];
  readonly intents: number;
  readonly messages: number;
  readonly duplicates: number;
  readonly deliveries: number;
  readonly redeliveries: number;
  readonly faults: Readonly<FaultStats>;
  readonly planned: Required<Faults>;
  /** How many faults of a kind were planned for the intents that have reached a function, or a provider. */
  readonly due: Readonly<FaultStats>;
  readonly deployments: number;
  readonly sandboxes: {
    readonly started: number;
    readonly killed: number;
    readonly timedOut: number;
    readonly invocations: number;
  };
  /** Calls of providers that name no intent, by provider. */
  readonly unattributed: Readonly<Record<string, number>>;
  /** Calls with an idempotency key that the provider had seen before, by provider. */
  readonly repeatedKeys: Readonly<Record<string, number>>;
  /** Messages in dead-letter queues. */
  readonly deadLettered: number;
  /** Claims that wait for an operator. */
  readonly parkedClaims: number;
  readonly hasClaims: boolean;
  /** Messages that were still on their queues when the time was up. */
  readonly left: number;
  /** Why it was waited no longer for these messages, before the time was up: a function has only failed. */
  readonly gaveUp?: string;
  /** The addresses of other machines that functions asked for, and how often. None was reached. */
  readonly refused: Readonly<Record<string, number>>;
  /** What of the app did not run. */
  readonly notRun: readonly NotRun[];
  readonly shortened: readonly Shortened[];
  /** The constructs whose timeouts stay as they are, since a rehearsal does not know what their templates say. */
  readonly unread: readonly string[];
  readonly seconds: number;
}

/** 0: all is well. 1: the app doubled, lost or did not finish something, or the run shows nothing. 2: it cannot be judged. */
export function exitCodeOf({ good, noVerdict }: Pick<RehearsalResult, 'good' | 'noVerdict'>): 0 | 1 | 2 {
  if (good) return 0;
  return noVerdict === undefined ? 1 : 2;
}
