import type { RecordedError } from '../kernel/recorded-error.ts';
import { bytesOf } from '../kernel/text.ts';
import { nameOfPlace, type OutboxRecord, placeOfName } from './record.ts';
import type { OutboxStore } from './store.ts';

/**
 * What an operator can see of an outbox and do about it: the functions under `pawl outbox`.
 *
 * Owns: which message may be acted on. Does not own: the sending. A message that is parked no longer is sent by the next sweep.
 */

/** A message as an operator sees it: without its body, which is nobody's business here. */
export interface WaitingMessage {
  /** Its place in the outbox, by which it is named. */
  readonly id: string;
  readonly to: string;
  readonly key: string;
  readonly group: string | undefined;
  readonly bodyBytes: number;
  readonly committedAt: number;
  /** Why its destination refuses it for good; nothing where it only waits. */
  readonly parked: RecordedError | undefined;
}

/** What became of one message. */
export interface OutboxActResult {
  readonly id: string;
  readonly outcome: 'retried' | 'discarded' | 'not-found' | 'not-parked';
}

/** Which messages. */
export interface OutboxQuery {
  /** Only messages to this address. */
  readonly to?: string | undefined;
  /** Only messages that are parked. */
  readonly parked?: boolean | undefined;
}

/** Lists what lies in an outbox, in no order. @throws what the store throws */
export async function* waitingMessages(
  store: OutboxStore,
  { to, parked }: OutboxQuery,
): AsyncGenerator<WaitingMessage> {
  let cursor: string | undefined;
  do {
    const page = await store.list(cursor);
    for (const one of page.messages) {
      if ((to === undefined || one.to === to) && (parked !== true || one.parked !== undefined)) yield viewOf(one);
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
}

function viewOf(record: OutboxRecord): WaitingMessage {
  const { to, key, group, body, largeBytes = bytesOf(body), committedAt, parked } = record;
  return { id: nameOfPlace(record), to, key, group, bodyBytes: largeBytes, committedAt, parked };
}

/** Ends that a message is parked: the next sweep sends it. @throws what the store throws */
export async function retryMessage(store: OutboxStore, id: string): Promise<OutboxActResult> {
  const record = await messageOf(store, id);
  if (record === undefined) return { id, outcome: 'not-found' };
  if (record.parked === undefined) return { id, outcome: 'not-parked' };
  return { id, outcome: (await store.park(record, undefined)) ? 'retried' : 'not-found' };
}

/** Removes a message for good. Its group goes on behind it. @throws what the store throws */
export async function discardMessage(store: OutboxStore, id: string): Promise<OutboxActResult> {
  const record = await messageOf(store, id);
  if (record === undefined) return { id, outcome: 'not-found' };
  await store.remove(record);
  return { id, outcome: 'discarded' };
}

async function messageOf(store: OutboxStore, id: string): Promise<OutboxRecord | undefined> {
  const place = placeOfName(id);
  if (place === undefined) return undefined;
  const [record] = await store.lane(place.id, place.n - 1);
  return record?.n === place.n ? record : undefined;
}
