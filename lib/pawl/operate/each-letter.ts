import type { DeadLetter } from './dead-letters.ts';
import type { Desk } from './desk.ts';
import type { ActOptions } from './options.ts';
import { giveBack, type Received, receiveSome } from './queue-calls.ts';

/** Which dead letters an act is about. */
export interface Letters<Item> extends ActOptions {
  /** The URL of the dead-letter queue. */
  readonly from: string;
  readonly hideSeconds: number;
  readonly items: readonly Item[];
  /** Items with the same chain are carried out one after the other. */
  readonly chainOf: (item: Item) => string | undefined;
}

/** A letter of the plan that SQS has handed over. */
export interface Chosen<Item> {
  readonly message: Received;
  readonly item: Item;
}

/** What an act does with the letters. */
export interface LetterAct<Item, Result> {
  /** Never throws. Begins nothing once the signal is aborted. */
  readonly carryOut: (chain: readonly Chosen<Item>[]) => Promise<readonly Result[]>;
  /** Whether SQS has confirmed that the letter is deleted. */
  readonly isGone: (result: Result) => boolean;
}

/**
 * Receives the dead letters of a plan, and carries an act out on each.
 *
 * Owns: that every message which is hidden and not deleted becomes visible again, however the act ends. Only a killed process leaves some hidden, for
 * `hideSeconds`.
 *
 * @returns the items that SQS did not hand over; none if the signal has ended the act
 * @throws SQS's error when it hands no messages over
 */
export async function* eachLetter<
  Item extends Pick<DeadLetter, 'messageId'>,
  Result extends Pick<DeadLetter, 'messageId'>,
>(
  desk: Desk,
  { from, hideSeconds, items, chainOf, signal }: Letters<Item>,
  { carryOut, isGone }: LetterAct<Item, Result>,
): AsyncGenerator<Result, readonly Item[], undefined> {
  const wanted = new Map(items.map((item) => [item.messageId, item]));
  /** Messages that are hidden and stay. */
  const hidden = new Map<string, string | undefined>();
  try {
    while (wanted.size > 0 && !signal?.aborted) {
      const received = await receiveSome(desk, from, { hideSeconds, isMoreExpected: true });
      const isNew = received.some(({ MessageId }) => !hidden.has(MessageId));
      // Until SQS has confirmed its deletion, each message is one to give back.
      for (const { MessageId, ReceiptHandle } of received) hidden.set(MessageId, ReceiptHandle);
      if (!isNew) break;
      const chosen = received.flatMap((message) => {
        const item = wanted.get(message.MessageId);
        wanted.delete(message.MessageId);
        return item === undefined ? [] : [{ message, item }];
      });
      const chains = Map.groupBy(chosen, ({ item }) => chainOf(item));
      const results = (await Promise.all(Array.from(chains.values(), carryOut))).flat();
      for (const result of results) if (isGone(result)) hidden.delete(result.messageId);
      yield* results;
    }
  } finally {
    await giveBack(desk, from, hidden.values());
  }
  return signal?.aborted ? [] : [...wanted.values()];
}
