import { parkReleased } from '../engine/record-outcome.ts';
import type { QueueDoor } from './consumer.ts';
import { type Delivery, type Invocation, lastCallAt } from './delivery.ts';
import { receiveCountOf } from './message.ts';

/**
 * How long an SQS that does not answer may keep a message group waiting for its head to be set aside, in milliseconds. The rest of the group comes
 * again then. Waited for to the end, it would take the invocation from messages that have nothing to do with it.
 */
const makeWayMs = 5000;

/**
 * Sends the head of a message group to the dead-letter queue if it can never run, so that the group goes on in this batch. Every receive of a head that
 * keeps failing is a receive of those behind it as well: together with it, SQS would dead-letter them, without their having run. So the head has half of
 * the receives for itself. The other half is left to those behind it: for their turn, and for workers that are lost.
 *
 * @param behind how many messages of the group wait behind it
 * @param atLatest when SQS is not waited for any more, in epoch milliseconds
 */
export async function makeWay<Body>(
  consumer: QueueDoor<Body>,
  one: Delivery,
  behind: number,
  invocation: Invocation,
  atLatest = lastCallAt(invocation),
): Promise<void> {
  const { engine, settings, options, queue } = consumer;
  const { disposition, record } = one;
  const until = Math.min(atLatest, settings.host.now() + makeWayMs);
  if (disposition?.kind !== 'returned') return queue.deadLetter([one], until);
  const receives = receiveCountOf(record);
  const { error } = disposition;
  // After a first failure, it has not had its second chance.
  if (error === undefined || options.deadLetters === undefined || receives < 2) return;
  const maxReceives = await queue.maxReceiveCount(one, until);
  const kept = receivesKept(consumer, behind, invocation);
  if (maxReceives === undefined || receives < Math.min(Math.floor(maxReceives / 2), maxReceives - kept)) return;
  // A copy of it that comes later would run after those that are behind it now: it waits for an operator, as the message does.
  for (const { grant } of failedParts(one)) {
    if (grant !== undefined && !(await parkReleased(engine, grant, error, until))) return;
  }
  one.disposition = { kind: 'dead-lettered', reason: 'receives-used-up', error };
  await queue.deadLetter([one], until);
  if (!one.isInDeadLetterQueue) one.disposition = disposition;
}

/** What of a message has failed: itself, or those of its parts that come again. */
function failedParts(one: Delivery): readonly Delivery[] {
  return one.parts?.filter(({ disposition }) => disposition?.kind === 'returned') ?? [one];
}

/** How many receives those behind a head need, if each of them takes as long as it may. */
function receivesKept<Body>({ settings }: QueueDoor<Body>, behind: number, invocation: Invocation): number {
  const { timeoutMs, marginMs } = settings;
  const { startedAt, deadline } = invocation;
  const turns = timeoutMs === 0 ? behind : Math.max(1, Math.floor((deadline - startedAt - marginMs) / timeoutMs));
  return Math.ceil(behind / turns);
}
