import type { RecordedError } from '../kernel/recorded-error.ts';
import type { OutboxRecord, Place } from './record.ts';

/**
 * Where the messages of an outbox lie, once they are committed. A store decides nothing. How a message gets there with the data is its own matter, because
 * each database has transactions of its own: `dynamoOutbox` makes writes for `commit`, `postgresOutbox` rows.
 */
export interface OutboxStore {
  /** The messages of a lane, in their order, from behind number `after`: some of them, and none only where there is none. As of now. */
  lane(id: string, after: number): Promise<readonly OutboxRecord[]>;
  /**
   * Some messages that were committed at `before` or earlier, in any order, for who sends them: of each lane the first at least. A store that can keeps
   * these lanes from another such sender for a while, and then answers at most `most` of them: a sender that dies keeps back no more lanes than it sends at
   * once. @param before in epoch milliseconds
   */
  due(before: number, most: number, cursor?: string): Promise<OutboxDue>;
  /** Some of all messages, in any order. A message that was written a moment ago may be missing. */
  list(cursor?: string): Promise<OutboxPage>;
  /** Removes a message that is sent. It may be gone already. */
  remove(place: Place): Promise<void>;
  /** Removes a message that is not to be sent. @returns whether it was there */
  discard(place: Place): Promise<boolean>;
  /** Parks a message, or ends that it is parked. @returns whether it was there */
  park(place: Place, error: RecordedError | undefined): Promise<boolean>;
}

/** How many messages of a lane are read at once. A message may have a megabyte, and a lane that waits behind a parked one is read for each new message of it. */
export const lanePage = 50;

/** Some messages that are due. */
export interface OutboxDue {
  readonly messages: readonly Pick<OutboxRecord, 'id' | 'committedAt'>[];
  /** Where they go on; nothing at their end. */
  readonly cursor: string | undefined;
}

/** Some messages of a list. */
export interface OutboxPage {
  readonly messages: readonly OutboxRecord[];
  /** Where the list goes on; nothing at its end. */
  readonly cursor: string | undefined;
}
