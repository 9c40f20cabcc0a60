import type { MessageKey } from '../sqs/keys.ts';
import type { ClaimView } from './claim-view.ts';

/** Which dead letters to look at. */
export interface DeadLettersQuery {
  /** The URL of the dead-letter queue. */
  readonly queueUrl: string;
  /**
   * The operation of the consumer. With `key`, it finds the claims of messages that say nothing of theirs: those that SQS moved by itself.
   */
  readonly operation?: string | undefined;
  /** The consumer's own `key`. Needs `operation`. */
  readonly key?: MessageKey<unknown> | undefined;
  /**
   * At most how many messages to look at: 1 to 10,000.
   * @default 1000
   */
  readonly most?: number | undefined;
  /**
   * For how long a message that is looked at stays hidden if this process dies, in seconds. Otherwise pawl gives it back at once.
   * @default 60
   */
  readonly hideSeconds?: number | undefined;
  /**
   * Whether to return the bodies.
   * @default false
   */
  readonly bodies?: boolean | undefined;
  /** Called after every receive. `of`: about how many messages the queue has. */
  readonly onProgress?: ((progress: { readonly seen: number; readonly of: number }) => void) | undefined;
}

/** One message of a dead-letter queue. */
export interface DeadLetter {
  readonly messageId: string;
  /** Why pawl put it there: `parked`, `rejected`, … `undefined` if SQS moved it after `maxReceiveCount` receives. */
  readonly reason: string | undefined;
  /** One line: `name: message`. */
  readonly error: string | undefined;
  /** The id that the message had on its own queue, where pawl put it here. */
  readonly sourceMessageId: string | undefined;
  /** Epoch milliseconds. */
  readonly sentAt: number;
  /** How often it was received here. */
  readonly receiveCount: number;
  /** Its message group. */
  readonly group: string | undefined;
  readonly bodyBytes: number;
  /** Only where bodies were asked for. */
  readonly body?: string | undefined;
  /** How its claim was found: pawl's attribute on the message, or the consumer's `key`. */
  readonly joinedBy: 'attribute' | 'key' | 'nothing';
  readonly claimId: string | undefined;
  /** `undefined` if there is none, or it is not known which. */
  readonly claim: ClaimView | undefined;
}

/** What a look at a dead-letter queue has seen, and what it could not see. */
export interface DeadLettersSeen {
  readonly queueUrl: string;
  readonly letters: readonly DeadLetter[];
  /** About how many messages the queue had, hidden ones with them, when the look began. */
  readonly approximateNumber: number;
  /** About how many of them the look did not see: other receivers have them, or `most` was reached, or their message group was blocked. */
  readonly unseen: number;
  readonly isFifo: boolean;
  /** On a FIFO queue, the groups that were blocked while pawl looked. They are open again. */
  readonly groups: readonly string[];
  /** The queue has a redrive policy of its own: every look counts as a receive, and SQS moves the message after so many. */
  readonly maxReceiveCount: number | undefined;
}
