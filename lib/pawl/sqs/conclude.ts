import { returnedSeconds } from './author-error.ts';
import { batchResponse } from './batch-response.ts';
import type { QueueDoor } from './consumer.ts';
import { type Delivery, type Invocation, lastCallAt } from './delivery.ts';
import { isAsItIs, missedItsTurn } from './disposition.ts';
import type { SqsBatchResponse } from './event.ts';
import { groupOf } from './in-order.ts';
import { receiveCountOf } from './message.ts';
import type { Delayed } from './queue.ts';
import { reportAuthorError, reportDelivery } from './report.ts';

/** The longest that a message which did not get its turn waits for its next one. */
const longestTurnSeconds = 900;

/**
 * Carries out the dispositions of a batch.
 *
 * @returns the response to Lambda: every message that is not finished comes again
 * @throws SetupError when nothing of the batch can run before an operator has changed something: the invocation fails, and Lambda polls less
 */
export async function conclude<Body>(
  consumer: QueueDoor<Body>,
  batch: readonly Delivery[],
  invocation: Invocation,
): Promise<SqsBatchResponse> {
  const { queue, settings } = consumer;
  const until = lastCallAt(invocation);
  await queue.deadLetter(batch, until);
  const unfinished = batch.filter((one) => !isFinished(one));
  const idle = unfinished.filter(missedItsTurnUnordered);
  const placeOf = new Map(idle.map((one, place) => [one, place]));
  const turns = batch.length - idle.length;
  const elapsedMs = settings.host.now() - invocation.startedAt;
  const delayed: Delayed[] = [];
  for (const one of unfinished) {
    const place = placeOf.get(one);
    const seconds = place === undefined ? secondsToWait(consumer, one) : secondsToTurn(place, turns, elapsedMs);
    if (seconds !== undefined) delayed.push({ one, seconds: Math.ceil(seconds) });
  }
  reportWaiting(consumer, unfinished, delayed);
  failAtOnce(batch);
  await queue.setVisibility(delayed, until);
  return batchResponse(batch, unfinished);
}

/** Reports the oldest of the messages that wait. A batch has one such event, however many messages wait: it is a metric, and each has a price. */
function reportWaiting<Body>(
  { engine, settings }: QueueDoor<Body>,
  unfinished: readonly Delivery[],
  delayed: readonly Delayed[],
): void {
  const now = settings.host.now();
  const hiddenFor = new Map(delayed.map(({ one, seconds }) => [one, seconds * 1000]));
  let oldest: { readonly one: Delivery; readonly oldestMs: number } | undefined;
  for (const one of unfinished) {
    const sentAt = Number(one.record.attributes?.SentTimestamp);
    const oldestMs = Math.max(0, now - sentAt) + (hiddenFor.get(one) ?? 0);
    if (Number.isFinite(oldestMs) && !(oldest && oldest.oldestMs >= oldestMs)) oldest = { one, oldestMs };
  }
  if (oldest === undefined) return;
  reportDelivery(engine, oldest.one, { type: 'waiting', messages: unfinished.length, oldestMs: oldest.oldestMs });
}

/**
 * Only if no message has got anywhere: an invocation that fails brings back also what is done. The messages stay on their queue, for its own visibility
 * timeout: an earlier retry is wasted.
 *
 * @throws SetupError
 */
function failAtOnce(batch: readonly Delivery[]): void {
  for (const { disposition } of batch) {
    const setup = disposition?.kind === 'returned' ? disposition.setup : undefined;
    if (setup !== undefined && !batch.some(gotSomewhere)) throw setup;
  }
}

/** Whether a message was granted its claim, or one of its parts was; or whether it leaves its queue. */
function gotSomewhere(one: Delivery): boolean {
  return one.grant !== undefined || isFinished(one) || (one.parts?.some(gotSomewhere) ?? false);
}

function isFinished({ disposition, isInDeadLetterQueue }: Delivery): boolean {
  return disposition?.kind === 'acknowledged' || isInDeadLetterQueue === true;
}

/** Whether a message did not get its turn, and is in no message group of a FIFO queue: there SQS keeps the order. */
function missedItsTurnUnordered(one: Delivery): boolean {
  const { disposition = missedItsTurn } = one;
  return disposition.kind === 'returned' && disposition.missedItsTurn === true && groupOf(one) === undefined;
}

/**
 * Seconds until this worker could have come to a message that did not get its turn. If all of them came again at once, most would lose another receive.
 *
 * @param place of the message among those without a turn
 * @param turns how many messages had their turn, in `elapsedMs`
 */
function secondsToTurn(place: number, turns: number, elapsedMs: number): number {
  const rounds = turns === 0 ? 0 : Math.floor(place / turns);
  return Math.min(longestTurnSeconds, (rounds * elapsedMs) / 1000);
}

/**
 * Seconds until a message is to come again. They are spread out, or all messages that wait for one lease would meet at its end.
 *
 * @returns nothing if the visibility timeout stays as it is
 */
function secondsToWait<Body>(consumer: QueueDoor<Body>, one: Delivery): number | undefined {
  const { host, backoffSeconds } = consumer.settings;
  const { record, disposition = missedItsTurn } = one;
  if (disposition.kind !== 'returned' || isAsItIs(disposition)) return undefined;
  const { delayMs, atLeastMs = 0 } = disposition;
  if (delayMs === 0) return 0;
  if (delayMs !== undefined) return (delayMs + host.random() * (500 + delayMs / 10)) / 1000;
  try {
    const seconds = returnedSeconds(backoffSeconds(receiveCountOf(record)));
    // 0 is the author's word for "at once".
    if (seconds === undefined || seconds === 0) return seconds;
    return Math.max(seconds * (0.75 + host.random() / 2), atLeastMs / 1000);
  } catch (error) {
    // Whatever the author's back-off does, the batch has its response.
    reportAuthorError(consumer.engine, one, 'backoffSeconds', error);
    return undefined;
  }
}
