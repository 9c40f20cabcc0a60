import type { Host } from '../kernel/host.ts';
import { boundedName, extended, joined } from '../kernel/name.ts';
import type { RecordedError } from '../kernel/recorded-error.ts';

/**
 * The messages of an outbox.
 *
 * Owns: what a message is while it lies there, and in which lane. Does not own: how a store keeps it (`store.ts`), and how it is sent (`sender.ts`).
 *
 * 1. A message lies there from the commit that it was written in until a destination has taken it. There is no mark of what is sent.
 * 2. The messages of a lane are sent in the order of their numbers. A message group of a FIFO queue is a lane; any other message is a lane by itself.
 * 3. Whoever removes or parks a message names its `uid`: a number of a lane may come again, a `uid` does not.
 *
 * @example
 * const { messages } = await dynamoOutbox({ tableName: process.env.OUTBOX_TABLE, aws }).store.list();
 * console.log(messages.map(({ key, committedAt }: OutboxRecord) => `${key}: ${new Date(committedAt).toISOString()}`));
 */
export interface OutboxRecord {
  /** The lane. */
  readonly id: string;
  /** The place in the lane, from 1. */
  readonly n: number;
  /** Of this message alone, and the same for every copy of it: FIFO queues know a copy by it. */
  readonly uid: string;
  /** The URL of a queue, or the ARN of a topic or of an event bus. */
  readonly to: string;
  /** The idempotency key, which travels with every copy. */
  readonly key: string;
  /** As it is sent. */
  readonly body: string;
  /** How large the body is that the author gave, in bytes, where `body` is a pointer to it in S3. */
  readonly largeBytes?: number | undefined;
  /** The message group, of a FIFO queue or topic. */
  readonly group?: string | undefined;
  /** How long SQS hides it at first, in seconds. */
  readonly delaySeconds?: number | undefined;
  /** Attributes of the author's. */
  readonly attributes?: Readonly<Record<string, string>> | undefined;
  /** Of an event of EventBridge. */
  readonly source?: string | undefined;
  /** The kind of an event of EventBridge. */
  readonly detailType?: string | undefined;
  /** When it was written, in epoch milliseconds, by the clock of the worker that committed it. */
  readonly committedAt: number;
  /** Why a destination refuses it for good. It waits for an operator, and so does its lane behind it. */
  readonly parked?: RecordedError | undefined;
  /** The schema of the record. */
  readonly v: 1;
}

/** Where a message lies. */
export type Place = Pick<OutboxRecord, 'id' | 'n' | 'uid'>;

/** The lane of a message that keeps no order with any other. */
export function ownLane(uid: string): string {
  return joined(['message', uid]);
}

/** The lane of a message group. */
export function laneOfGroup(to: string, group: string, host: Pick<Host, 'sha256'>): string {
  return boundedName(['group'], [to, group], host);
}

/** A message as an operator reads and writes it: `message#1b4e…#1`, `group#…#maria#7#1b4e5a20`. A number of a group may come again: its name has the beginning of the `uid`. */
export function nameOfPlace({ id, n, uid }: Place): string {
  const place = extended(id, String(n));
  return id === ownLane(uid) ? place : extended(place, uid.slice(0, 8));
}

/** Where the message of a name would lie. Another one may lie there. @returns nothing where it is no such name */
export function placeOfName(name: string): Pick<Place, 'id' | 'n'> | undefined {
  const [, id, n] =
    /^(message#[^#]+)#([1-9][0-9]*)$/.exec(name) ?? /^(group#.+)#([1-9][0-9]*)#[^#]+$/s.exec(name) ?? [];
  return id === undefined ? undefined : { id, n: Number(n) };
}
