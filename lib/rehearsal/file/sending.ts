import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { OptionError } from 'pawl/kernel';
import type { Rehearsal } from '../rehearsal.ts';
import type { Intended } from './app.ts';
import type { Intents } from './intents.ts';
import type { Journal } from './journal.ts';
import type { Plan } from './plan.ts';

/*
 * What everything that is sent has in common.
 *
 * Owns: what is owed (each intent, with the effects that it is to have), how many sends are under way, and what is sent again.
 * Does not own: how each is sent.
 */

/** One send of an intent, and what became of it. An intent may be sent several times, for several effects. */
export interface Sent {
  readonly intent: string;
  /** `undefined`: all. */
  readonly effects: readonly string[] | undefined;
  /** The client of an API was refused, so that nothing is owed; or never had a response, so that it does not know. */
  ended: 'sent' | 'refused' | 'no-response';
}

export interface TrafficOptions {
  readonly rehearsal: Rehearsal;
  readonly intents: Intents;
  readonly journal: Journal;
  readonly plan: Plan;
  /** The names of the effects that are counted. */
  readonly effects: readonly string[];
  /** Whether only some of the consumers run. What feeds none of them is not sent. */
  readonly isFiltered: boolean;
}

/** The traffic while it is sent. */
export interface Sending extends TrafficOptions {
  readonly documents: DynamoDBDocumentClient;
  /** The sends of each intent. */
  readonly sent: Map<string, Sent[]>;
  readonly messageIntents: Map<string, string>;
  readonly pending: Set<Promise<unknown>>;
  /** What the sends have returned to the author. */
  readonly returned: WeakSet<Promise<unknown>>;
  readonly errors: unknown[];
  readonly waiting: (() => void)[];
  readonly stats: { messages: number; duplicates: number };
  free: number;
  stopped: boolean;
}

export const docs = 'docs/guides/rehearsal.md';

/**
 * Begins a send, and takes note of it first. The author may forget the promise, so it is never rejected unheard: that would end the process in
 * the middle of a rehearsal. What is wrong with the send itself is kept, and ends the rehearsal.
 *
 * @param take checks the send and takes note of it
 */
export function begin<Taken, Made>(
  state: Sending,
  take: () => Taken,
  go: (taken: Taken) => Promise<Made>,
): Promise<Made> {
  const begun = (async () => go(accepted(state, take)))();
  begun.catch(() => undefined);
  state.returned.add(begun);
  return begun;
}

function accepted<Taken>({ errors }: Sending, take: () => Taken): Taken {
  try {
    return take();
  } catch (error) {
    errors.push(error);
    throw error;
  }
}

/** Takes note of a send. @throws TypeError if it names no intent; OptionError if it names an effect that is not counted */
export function intend(state: Sending, { intent, effects }: Intended, how: string): Sent {
  const { sent, intents } = state;
  if (typeof intent !== 'string' || intent === '') {
    throw new TypeError(`${how}: expected an intent, a text that names what is to happen once; got ${typeof intent}`);
  }
  checkEffects(state, effects, how);
  intents.add(intent);
  const made: Sent = { intent, effects, ended: 'sent' };
  const known = sent.get(intent);
  if (known === undefined) sent.set(intent, [made]);
  else known.push(made);
  return made;
}

/** An effect that is misspelt is owed by no intent: the rehearsal would pass without it. */
function checkEffects({ effects: known }: Sending, effects: Intended['effects'], how: string): void {
  if (effects === undefined) return;
  if (!Array.isArray(effects))
    throw new OptionError(`${how}: effects: expected a list of names; got ${typeof effects}`);
  for (const name of effects) {
    if (known.includes(name)) continue;
    throw new OptionError(`${how}: there is no effect '${String(name).slice(0, 64)}'; there are ${known.join(', ')}`);
  }
}

/** Does it when there is room, and remembers it until it is done. */
export function enqueue<Made>(state: Sending, work: () => Promise<Made>, fallback: Made): Promise<Made> {
  const done = (async () => {
    if (state.free > 0) state.free -= 1;
    else await new Promise<void>((resolve) => state.waiting.push(resolve));
    try {
      return state.stopped ? fallback : await work();
    } finally {
      const next = state.waiting.shift();
      if (next === undefined) state.free += 1;
      else next();
    }
  })();
  const watched = done.catch((error: unknown) => {
    if (!state.stopped) state.errors.push(error);
  });
  state.pending.add(watched);
  void watched.then(() => state.pending.delete(watched));
  // The author may not wait for it. Its error is kept above.
  done.catch(() => undefined);
  return done;
}

/** Does something again after a while, if the plan says so. */
export function again(state: Sending, intent: string, target: string, work: () => Promise<unknown>): void {
  const afterMs = state.plan.duplicateAfterMs(intent, target);
  if (afterMs === undefined) return;
  state.stats.duplicates += 1;
  const later = (async () => {
    await sleep(afterMs, undefined, { ref: false });
    if (state.stopped) return;
    const text = `goes to ${target} again, ${afterMs} ms after the first time`;
    state.journal.add([intent], { kind: 'struck', fault: 'duplicate', sandbox: undefined, text });
    await work();
  })().catch(() => undefined);
  state.pending.add(later);
  void later.then(() => state.pending.delete(later));
}
