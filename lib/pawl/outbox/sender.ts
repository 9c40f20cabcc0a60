import { type ClaimFact, reportTheUnusual } from '../engine/events.ts';
import { OptionError } from '../kernel/errors.ts';
import { callListener } from '../kernel/listener.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import { answeredBy } from '../kernel/request.ts';
import { isRefusal } from '../sqs/refusal.ts';
import { destinationOf, type Outbox, outboxOperation } from './outbox.ts';
import { nameOfPlace, type OutboxRecord } from './record.ts';

/**
 * Sends what lies in an outbox. The worker that has committed a message, the relay, the sweep and an operator all send by this.
 *
 * Owns: the order within a lane, and what becomes of a message that was not taken. Does not own: when it is tried (`relay.ts`, `sweep.ts`), and what a
 * refusal of a service looks like (`destination.ts`).
 *
 * 1. A message is removed only after its destination has confirmed it.
 * 2. Of a lane, a message is sent only by a sender that knows all earlier ones to be sent: they are not in the outbox, or it has sent them itself. So first
 *    copies are in order, however many senders there are.
 * 3. What a destination refuses of a message for good parks that message, and its lane waits behind it. Everything else is tried again: the network,
 *    throttling, and what an operator has to set right first, such as a permission.
 * 4. Nothing throws, and each request is given up in time.
 */

/** What became of a message. `gone`: it was refused, and has left the outbox meanwhile: another sender has sent it, or an operator has discarded it. */
export type Fate = 'sent' | 'gone' | 'parked' | 'left';

/** Sends a message, and removes it. @param until when nothing is waited for any more, in epoch milliseconds */
async function send(outbox: Outbox, record: OutboxRecord, until: number): Promise<Fate> {
  const { host, store } = outbox;
  if (host.now() >= until) return left(outbox, record);
  const giveUp = new AbortController();
  try {
    await answeredBy(host, until, sendTo(outbox, record, giveUp.signal));
  } catch (error) {
    giveUp.abort(error);
    return isRefusal(error) ? park(outbox, record, error, until) : notSent(outbox, record, error);
  }
  reportSending(outbox, record, { type: 'message-sent', to: record.to });
  // Sent, and still there: it is sent again, and its key is known.
  await answeredBy(host, until, store.remove(record)).catch((error: unknown) => notSent(outbox, record, error));
  return 'sent';
}

async function sendTo(outbox: Outbox, record: OutboxRecord, signal: AbortSignal): Promise<void> {
  const destination = destinationOf(outbox, record.to);
  if (destination !== undefined) return destination.send(record, signal);
  throw new OptionError(`destinations: expected one that takes ${record.to}; got ${namesOf(outbox)}`);
}

/** The destinations of an outbox, for a message. */
export function namesOf({ destinations }: Pick<Outbox, 'destinations'>): string {
  return destinations.map(({ name, address }) => `${name} (${address})`).join(', ');
}

async function park(outbox: Outbox, record: OutboxRecord, cause: unknown, until: number): Promise<Fate> {
  const error = recordedError(cause);
  try {
    if (!(await answeredBy(outbox.host, until, outbox.store.park(record, error)))) return 'gone';
  } catch (failure) {
    return notSent(outbox, record, failure);
  }
  reportSending(outbox, record, { type: 'message-parked', to: record.to, error });
  return 'parked';
}

function notSent(outbox: Outbox, record: OutboxRecord, error: unknown): 'left' {
  reportSending(outbox, record, { type: 'message-not-sent', to: record.to, error: recordedError(error) });
  return 'left';
}

/** A message that the relay sends. */
export function left(outbox: Outbox, record: OutboxRecord): 'left' {
  reportSending(outbox, record, { type: 'message-left', to: record.to });
  return 'left';
}

/** A lane could not be read: what is in it stays there. */
export function laneUnread(outbox: Outbox, lane: string, error: unknown): void {
  report(outbox, lane, { type: 'store-unavailable', error: recordedError(error) });
}

function reportSending(outbox: Outbox, record: OutboxRecord, fact: ClaimFact): void {
  report(outbox, nameOfPlace(record), fact);
}

function report({ host, onEvent = reportTheUnusual }: Outbox, id: string, fact: ClaimFact): void {
  callListener(onEvent, { operation: outboxOperation, id, at: host.now(), ...fact });
}

/** Sends some messages of a lane in their order, from the first on that is still there. @returns what became of each, up to the first that was not sent */
export async function sendInOrder(
  outbox: Outbox,
  records: readonly OutboxRecord[],
  until: number,
): Promise<readonly Fate[]> {
  const fates: Fate[] = [];
  for (const record of records) {
    const fate = record.parked === undefined ? await send(outbox, record, until) : 'parked';
    fates.push(fate);
    if (fate !== 'sent' && fate !== 'gone') break;
  }
  return fates;
}

/** What came of a lane. */
export interface Drained {
  readonly sent: number;
  /** The first message that was not sent, and what became of it; nothing where the lane is empty, or its time was over. */
  readonly head: { readonly record: OutboxRecord; readonly fate: Exclude<Fate, 'sent' | 'gone'> } | undefined;
  /** Whether the head was found parked, and not parked now. */
  readonly wasParked: boolean;
}

/** Sends all messages of a lane in their order. @throws what the store throws */
export async function drain(outbox: Outbox, lane: string, until: number, rests: Resting = noRest): Promise<Drained> {
  let sent = 0;
  let after = 0;
  for (;;) {
    // There is no time left to hear what lies there: it has its turn later.
    if (outbox.host.now() >= until) return { sent, head: undefined, wasParked: false };
    const records = await answeredBy(outbox.host, until, outbox.store.lane(lane, after));
    for (const record of records) {
      if (record.parked !== undefined) return { sent, head: { record, fate: 'parked' }, wasParked: true };
      const fate = rests.isResting(record.to) ? 'left' : await send(outbox, record, until);
      after = record.n;
      if (fate === 'gone') continue;
      if (fate !== 'sent') {
        if (fate === 'left') rests.failed(record.to);
        return { sent, head: { record, fate }, wasParked: false };
      }
      rests.succeeded(record.to);
      sent += 1;
    }
    if (records.length === 0) return { sent, head: undefined, wasParked: false };
  }
}

/** The addresses that failed again and again in one run. What goes to them waits for a later run: a run that waited for them would hold up all others. */
export interface Resting {
  isResting(to: string): boolean;
  failed(to: string): void;
  succeeded(to: string): void;
}

const noRest: Resting = { isResting: () => false, failed: () => undefined, succeeded: () => undefined };

/** How many failures in a row make an address rest. */
const mostFailures = 3;

export function restingAddresses(): Resting {
  const failures = new Map<string, number>();
  return {
    isResting: (to) => (failures.get(to) ?? 0) >= mostFailures,
    failed: (to) => void failures.set(to, (failures.get(to) ?? 0) + 1),
    succeeded: (to) => void failures.delete(to),
  };
}
