import type { RecordedError } from '../kernel/recorded-error.ts';
import type { OutboxRecord, Place } from './record.ts';

/**
 * Where the messages of an outbox lie, once they are committed. A store decides nothing. How a message gets there with the data is its own matter, because
 * each database has transactions of its own: `dynamoOutbox` makes writes for `commit`.
 */
export interface OutboxStore {
  /** The messages of a lane, in their order, from behind number `after`: some of them, and none only where there is none. As of now. */
  lane(id: string, after: number): Promise<readonly OutboxRecord[]>;
  /** Some of all messages, in any order. A message that was written a moment ago may be missing. */
  list(cursor?: string): Promise<OutboxPage>;
  /** Removes a message. It may be gone already. */
  remove(place: Place): Promise<void>;
  /** Parks a message, or ends that it is parked. @returns whether it was there */
  park(place: Place, error: RecordedError | undefined): Promise<boolean>;
}

/** Some messages of a list. */
export interface OutboxPage {
  readonly messages: readonly OutboxRecord[];
  /** Where the list goes on; nothing at its end. */
  readonly cursor: string | undefined;
}
