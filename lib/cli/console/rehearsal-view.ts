/*
 * What a page shows of a rehearsal.
 *
 * Owns: the shape of it. It is data, and it imports nothing: the server of the page and the page itself read it.
 *
 * 1. Nothing here says what a message, a request, a response or an item holds. It names intents, constructs, sandboxes and message ids.
 */

/** A run as it is now. */
export interface RehearsalView {
  /** Which run it is, from 1: with `--watch` there are many. */
  readonly run: number;
  /** The app. */
  readonly title: string;
  readonly seed: number;
  readonly state: 'starting' | 'running' | 'ended' | 'failed';
  /** A few words about what it does now; if it has failed, why. */
  readonly doing: string;
  /** When this was true, in epoch milliseconds. */
  readonly at: number;
  /** When the run began, in epoch milliseconds. */
  readonly startedAt: number;
  /** When the first thing was sent: the stories count from there. `undefined` before that. */
  readonly trafficAt: number | undefined;
  readonly messages: number;
  /** How many messages are still on their queues. */
  readonly left: number;
  readonly killed: number;
  readonly effects: readonly EffectOverTime[];
  /** The newest ones, oldest first. */
  readonly marks: readonly Mark[];
  readonly marksInAll: number;
}

/** One effect, against the deliveries that asked for it. */
export interface EffectOverTime {
  readonly effect: string;
  /** How many intents are to have it, as far as they are sent. */
  readonly owed: number;
  /** Whether it is counted while the rehearsal runs. A function of the rehearsal file counts at the end only. */
  readonly isLive: boolean;
  /** Oldest first. */
  readonly samples: readonly Sample[];
}

/** The counts of an effect at a moment. */
export interface Sample {
  /** Epoch milliseconds. */
  readonly at: number;
  /** How often an intent was delivered to a function that has the effect. */
  readonly deliveries: number;
  /** Intents that have the effect as often as they are to. */
  readonly done: number;
  /** Intents that have it more often. */
  readonly doubled: number;
  /** Intents that do not have it, and nothing is left that would make it happen. */
  readonly lost: number;
  /** Intents that no function has had yet. */
  readonly toCome: number;
}

/** What went wrong, by the name that the rehearsal file has for it; `other` is a rule of the program that runs the rehearsal. */
export type MarkedFault =
  | 'kill'
  | 'freeze'
  | 'redeliver'
  | 'loseAnswer'
  | 'throttle'
  | 'provider'
  | 'ttl'
  | 'indexLag'
  | 'duplicate'
  | 'deploy'
  | 'other';

/** A fault, when and where it struck. */
export interface Mark {
  /** Counts all marks of the run, from 0. */
  readonly id: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly fault: MarkedFault;
  readonly sandbox: string | undefined;
  /** The function that was at work, or whose message it is: its construct without the stack. */
  readonly construct: string | undefined;
  readonly intents: readonly string[];
  /** The beginning of the id of the message that was being handled. */
  readonly message: string | undefined;
  /** At which moment or request, and what was done to it. */
  readonly text: string;
}

/** What a run has found out, once it has ended. */
export interface ReportView {
  readonly run: number;
  readonly good: boolean;
  /** Why it is neither good nor bad. */
  readonly noVerdict: string | undefined;
  readonly seconds: number;
  readonly effects: readonly EffectFound[];
  /** Why the run shows nothing, although nothing went wrong. */
  readonly empty: readonly string[];
  /** Faults that were planned and have not struck: what the run shows nothing about, although it is good. */
  readonly untested: readonly string[];
  /** Effects that have not happened at all under a filter. */
  readonly notJudged: readonly string[];
  readonly harmed: readonly HarmedView[];
  /** What `check` of the rehearsal file returned. */
  readonly findings: readonly string[];
  readonly hints: readonly { readonly text: string; readonly intents: readonly string[] }[];
}

/** What became of an effect: how many intents. */
export interface EffectFound {
  readonly effect: string;
  readonly intents: number;
  readonly done: number;
  /** Those of the done that have not had it, and need not. */
  readonly absent: number;
  readonly doubled: number;
  readonly lost: number;
  readonly unfinished: number;
  readonly parked: number;
  readonly setAside: number;
  readonly notOwed: number;
  /** Those of which cannot be said whether they have had it: a call for them may have named no intent. */
  readonly uncounted: number;
  readonly unjudged: number;
}

/** An intent that came to harm, with its story. */
export interface HarmedView {
  readonly effect: string;
  readonly intent: string;
  readonly problem: 'doubled' | 'lost' | 'unfinished';
  readonly times: number;
  readonly story: readonly string[];
}
