import type { NamesOf } from 'pawl/kernel';

/** What a sweep sends: a message of a queue, or with `callers` the request of one. */
export interface SweptMessage {
  /** Sent as JSON, unless it is a text. A caller sends it as it is, unless `callers.event` makes an event of it. */
  readonly body: unknown;
  /** String attributes of the message. */
  readonly messageAttributes?: Readonly<Record<string, string>>;
  /** With a group, the queue is a FIFO queue. */
  readonly messageGroupId?: string;
  /**
   * What its producer gave a FIFO queue, to drop repetitions that come within five minutes.
   * @default another one for each message
   */
  readonly messageDeduplicationId?: string;
  /** The X-Ray trace that it belongs to. @default none */
  readonly awsTraceHeader?: string;
}

export const sweptMessageNames = {
  body: true,
  messageAttributes: true,
  messageGroupId: true,
  messageDeduplicationId: true,
  awsTraceHeader: true,
} as const satisfies NamesOf<SweptMessage>;

/**
 * What became of a message. `acknowledged`: it is done; a caller was told so. `dead-lettered`: it is in the dead-letter queue; a caller was
 * refused. `stuck`: nothing, for as long as a queue keeps it, or for as often as a caller asks.
 */
export type SweptFate = 'acknowledged' | 'dead-lettered' | 'stuck';

/** A message or a request, on its way. */
export interface Sent {
  /** From 1. */
  readonly number: number;
  readonly message: SweptMessage;
  /** How often it was handed to a worker. */
  receives: number;
  /** Whether the handler has looked at its body, or was given nothing else. */
  wasSeen: boolean;
  fate?: SweptFate;
  /** Why it is in the dead-letter queue, or was refused. */
  deadLetterReason?: string;
}

/** Its receives are used up: the queue's own redrive policy has moved it. */
export const usedUp = 'receives used up';

/** Its consumer has put it into the dead-letter queue, and does not say why. */
export const noReason = 'without a reason';

/** What is handed to a worker at once. */
export interface Delivered {
  readonly all: readonly Sent[];
  readonly event: unknown;
  readonly story: string;
  /** Which attempt of a caller this is. */
  readonly attempt?: number;
}

/** How an invocation ended. `died`: its worker did not live to respond. */
export type InvocationResult =
  | { readonly kind: 'returned'; readonly value: unknown }
  | { readonly kind: 'threw'; readonly error: unknown }
  | { readonly kind: 'died' };

/** A queue, or callers: hands work to a function, again and again until each message has its fate. */
export interface Traffic {
  readonly all: readonly Sent[];
  /** What can be handed over now, if anything can. */
  receive(): Delivered | undefined;
  /** When the next thing can be handed over. */
  nextAt(): number;
  isEmpty(): boolean;
  /** @returns what is to be told of it, if anything is */
  conclude(delivered: Delivered, result: InvocationResult): string | undefined;
}

export function settle(one: Sent, fate: SweptFate, reason?: string): void {
  one.fate = fate;
  if (reason !== undefined) one.deadLetterReason = reason;
}

/**
 * How the traffic comes.
 *
 * `together`: in batches as large as they may be; of callers, all at once. `apart`: each message alone, all at once; what comes
 * again comes in batches. `regrouped`: in batches, and what comes again comes alone. `in-turn`: each alone, and the next when it
 * has ended; a repetition just before a late request of the one before it is applied. `reversed`: together, the last first; never of a FIFO queue. `long-wait`: a repetition, or else the last, waits for
 * as long as a queue keeps it (`longestWaitMs`).
 */
export type Delivery = 'together' | 'apart' | 'regrouped' | 'in-turn' | 'reversed' | 'long-wait';

/** Those that wait for long: repetitions, or else the last. */
export function waitingLong(messages: readonly SweptMessage[]): ReadonlySet<SweptMessage> {
  const seen = new Set<string>();
  const repeated = messages.filter(({ body }) => {
    const text = JSON.stringify(body);
    const repeats = seen.has(text);
    seen.add(text);
    return repeats;
  });
  return new Set(repeated.length > 0 ? repeated : messages.slice(-1));
}
