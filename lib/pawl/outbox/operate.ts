import { expect } from '../kernel/check.ts';
import type { RecordedError } from '../kernel/recorded-error.ts';
import { expectOptions } from '../kernel/take-options.ts';
import { bytesOf } from '../kernel/text.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import type { Outbox } from './outbox.ts';
import { nameOfPlace, type OutboxRecord, placeOfName } from './record.ts';

/**
 * What an operator can see of an outbox and do about it: the functions under `pawl outbox`.
 *
 * Owns: which message may be acted on. Does not own: the sending. A message that is no longer parked is sent by the next sweep.
 */

/**
 * The options of `outboxOperator`.
 *
 * @example
 * const options: OutboxOperatorOptions = { outbox: dynamoOutbox({ tableName: process.env.OUTBOX_TABLE, aws }) };
 */
export interface OutboxOperatorOptions {
  /** The outbox, as the workers have it. */
  readonly outbox: Pick<Outbox, 'store'>;
}

/** A message as an operator sees it. Its body is not shown. */
export interface WaitingMessage {
  /** Its name, of this message alone: `message#1b4e…#1`, `group#…#maria#7#1b4e5a20`. */
  readonly id: string;
  readonly to: string;
  readonly key: string;
  readonly group: string | undefined;
  readonly bodyBytes: number;
  /** When it was committed, in epoch milliseconds. */
  readonly committedAt: number;
  /** Why its destination refuses it for good; nothing where it only waits. */
  readonly parked: RecordedError | undefined;
}

/** What became of one message. */
export interface OutboxActResult {
  readonly id: string;
  readonly outcome: 'retried' | 'discarded' | 'not-found' | 'not-parked';
}

/**
 * Which messages to list.
 *
 * @example
 * const query: OutboxQuery = { parked: true };
 * const outbox = dynamoOutbox({ tableName: process.env.OUTBOX_TABLE, aws });
 * for await (const { key, parked } of outboxOperator({ outbox }).list(query)) console.log(key, parked?.name);
 */
export interface OutboxQuery {
  /**
   * Only messages to this address.
   * @default every address
   */
  readonly to?: string | undefined;
  /**
   * Only messages that are parked.
   * @default false
   */
  readonly parked?: boolean | undefined;
}

/** The messages of an outbox, for operators. */
export interface OutboxOperator {
  /** Reads what lies in the outbox, in no order. Memory holds a page. @throws OptionError; the store's error */
  list(query?: OutboxQuery): AsyncGenerator<WaitingMessage, void, undefined>;
  /** Ends that a message is parked: the next sweep sends it. @throws the store's error */
  retry(id: string): Promise<OutboxActResult>;
  /**
   * Removes a message for good. Its group goes on behind it. A message that is not parked may be under way to its destination at this very moment: then it
   * arrives nevertheless.
   *
   * @throws the store's error
   */
  discard(id: string): Promise<OutboxActResult>;
}

const known = { outbox: true } as const satisfies NamesOf<OutboxOperatorOptions>;
const knownOfQuery = { to: true, parked: true } as const satisfies NamesOf<OutboxQuery>;
const docs = 'docs/guides/outbox.md';

/**
 * What lies in an outbox, and what an operator does about it.
 *
 * @throws OptionError at once when `outbox` is no outbox
 * @example
 * const { list, retry } = outboxOperator({ outbox: dynamoOutbox({ tableName: process.env.OUTBOX_TABLE, aws }) });
 * for await (const { id } of list({ parked: true })) await retry(id);
 */
export function outboxOperator(options: OutboxOperatorOptions): OutboxOperator {
  expectOptions(options, { door: 'outboxOperator', known, docs });
  const store = options.outbox?.store;
  expect(typeof store?.lane === 'function', 'outbox', 'dynamoOutbox({ tableName, aws })', options.outbox);

  async function messageOf(id: string): Promise<OutboxRecord | undefined> {
    const place = placeOfName(id);
    if (place === undefined) return undefined;
    const [record] = await store.lane(place.id, place.n - 1);
    // Of this name, and not another one in its place: once a group was idle, its numbers begin anew.
    return record !== undefined && nameOfPlace(record) === id ? record : undefined;
  }

  return {
    async *list(query = {}) {
      expectOptions(query, { door: 'outboxOperator.list', known: knownOfQuery, docs });
      const { to, parked } = query;
      let cursor: string | undefined;
      do {
        const page = await store.list(cursor);
        for (const one of page.messages) {
          if ((to === undefined || one.to === to) && (parked !== true || one.parked !== undefined)) yield viewOf(one);
        }
        cursor = page.cursor;
      } while (cursor !== undefined);
    },
    async retry(id) {
      const record = await messageOf(id);
      if (record === undefined) return { id, outcome: 'not-found' };
      if (record.parked === undefined) return { id, outcome: 'not-parked' };
      return { id, outcome: (await store.park(record, undefined)) ? 'retried' : 'not-found' };
    },
    async discard(id) {
      const record = await messageOf(id);
      if (record === undefined) return { id, outcome: 'not-found' };
      return { id, outcome: (await store.discard(record)) ? 'discarded' : 'not-found' };
    },
  };
}

function viewOf(record: OutboxRecord): WaitingMessage {
  const { to, key, group, body, largeBytes = bytesOf(body), committedAt, parked } = record;
  return { id: nameOfPlace(record), to, key, group, bodyBytes: largeBytes, committedAt, parked };
}
