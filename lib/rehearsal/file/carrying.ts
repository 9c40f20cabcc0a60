import type { TapCall } from '../engine/servers/tap.ts';
import type { Intents } from './intents.ts';
import type { Gone, Journal } from './journal.ts';
import type { Faults, Moment, Plan } from './plan.ts';

/*
 * What the places have in common at which a plan is carried out: who is at work on what, and what has happened already.
 */

export interface CarryOutOptions {
  readonly plan: Plan;
  readonly intents: Intents;
  readonly journal: Journal;
  /** Which intent a message is, by its id. */
  readonly messageIntent: (id: string) => string | undefined;
  readonly kill: (sandbox: string) => void;
  readonly stall: (sandbox: string, forMs: number) => boolean;
  /** How long a sandbox of a function is stalled. */
  readonly stallMs: (construct: string) => number;
  /** The names of the attributes that are the key of a table. */
  readonly keysOf: (table: string) => readonly string[];
  /** Lets as much time pass for an intent as the queue of a consumer keeps its message. Returns what is gone then. */
  readonly letTimePass: (past: PastMessage) => Promise<readonly { readonly gone: Gone; readonly text: string }[]>;
}

/** A message that a queue delivers again after a long time. */
export interface PastMessage {
  readonly construct: string;
  readonly intent: string;
  readonly messageId: string;
}

/** How often each kind of trouble really happened. The traffic itself counts what it sends again, and the journal the deployments. */
export type FaultStats = Record<Exclude<keyof Faults, 'duplicate' | 'deploy'>, number>;

/** What a sandbox is working on. */
export interface Work {
  readonly construct: string;
  readonly intents: readonly string[];
  readonly batch: number;
  /** How often the message that was received most often was received. */
  readonly receives: number;
  /** The intents of each message, or record of a stream, by the identifier that a response of a batch has for it. */
  readonly items: ReadonlyMap<string, readonly string[]>;
}

/** What is known of a request to DynamoDB, from its way there to its way back. */
export interface Seen {
  readonly sandbox: string;
  readonly construct: string;
  readonly intents: readonly string[];
  /** Of a write: which write of each of its intents it is. */
  readonly writes: ReadonlyMap<string, number> | undefined;
}

/** The carrying out, as each of its places sees it. */
export interface Carrying extends CarryOutOptions {
  readonly stats: FaultStats;
  /** How much of it was planned for the intents that have reached a function. */
  readonly planned: FaultStats;
  readonly working: Map<string, Work>;
  readonly seen: WeakMap<TapCall, Seen>;
  readonly counts: Map<string, number>;
  readonly spent: Set<string>;
  /** The sandboxes that something went wrong for in their invocation. */
  readonly disturbed: Set<string>;
  /** What is to be said of a sandbox when its provider kills it. */
  readonly dying: Map<string, { readonly intent: string; readonly moment: string }>;
}

/** Whether this is the first time. */
export function takes({ spent }: Carrying, ...what: readonly string[]): boolean {
  const name = what.join('\n');
  if (spent.has(name)) return false;
  spent.add(name);
  return true;
}

/** The number of this time, from 0. */
export function nth({ counts }: Carrying, ...what: readonly string[]): number {
  const name = what.join('\n');
  const before = counts.get(name) ?? 0;
  counts.set(name, before + 1);
  return before;
}

/** What is planned for the deliveries of an intent by a queue or a stream. It is drawn for the mapping, and not for its function, which may have several. */
export function countPlannedDelivery(
  state: Carrying,
  intent: string,
  construct: string,
  faults: readonly ('redeliver' | 'ttl')[],
): void {
  if (!takes(state, 'planned delivery', construct, intent)) return;
  const trouble = state.plan.trouble(intent, construct);
  for (const fault of faults) if (trouble[fault]) state.planned[fault] += 1;
}

function isSame(moment: Moment | undefined, other: Moment): boolean {
  if (moment?.at !== other.at) return false;
  if (moment.at === 'start' || other.at === 'start') return true;
  const sameWrite = moment.at !== 'store' || other.at !== 'store' || moment.write === other.write;
  return sameWrite && moment.when === other.when;
}

/** What comes back together is received together again. Each in such a batch would cost all others a receive, until they have none left. */
const mostReceives = 2;

function isSpared({ working }: Carrying, sandbox: string): boolean {
  return (working.get(sandbox)?.receives ?? 0) > mostReceives;
}

/** The intent whose worker is to die at this moment. */
export function victimAt(
  state: Carrying,
  { sandbox, construct, intents }: Omit<Seen, 'writes'>,
  moment: (intent: string) => Moment,
): string | undefined {
  if (isSpared(state, sandbox)) return undefined;
  const victim = intents.find((intent) => isSame(state.plan.trouble(intent, construct).kill, moment(intent)));
  if (victim === undefined || !takes(state, 'kill', construct, victim)) return undefined;
  state.stats.kill += 1;
  state.disturbed.add(sandbox);
  return victim;
}

/** Whether the worker of one of these intents is to die at this moment. Notes it. */
export function dies(
  state: Carrying,
  seen: Omit<Seen, 'writes'>,
  moment: (intent: string) => Moment,
  said: string,
): boolean {
  const victim = victimAt(state, seen, moment);
  if (victim === undefined) return false;
  state.journal.add([victim], { kind: 'killed', sandbox: seen.sandbox, moment: said });
  return true;
}

export function freezes(
  state: Carrying,
  { sandbox, construct, intents }: Omit<Seen, 'writes'>,
  moment: (intent: string) => Moment,
  said: string,
): void {
  if (isSpared(state, sandbox)) return;
  const victim = intents.find((intent) => isSame(state.plan.trouble(intent, construct).freeze, moment(intent)));
  if (victim === undefined || !takes(state, 'freeze', construct, victim)) return;
  const forMs = state.stallMs(construct);
  if (!state.stall(sandbox, forMs)) return;
  state.stats.freeze += 1;
  state.disturbed.add(sandbox);
  state.journal.add([victim], { kind: 'stalled', sandbox, moment: said, forMs });
}
