import type { OutboxRecord } from './record.ts';

/**
 * Where messages go. One for each service: `queues()` of SQS, `topics()` of SNS, `eventBuses()` of EventBridge.
 *
 * Owns: what a service takes, how it is asked, and what its refusals mean. Does not own: when a message is sent, and what becomes of it after that.
 */
export interface Destination {
  /** The function that made it, as its caller writes it. */
  readonly name: string;
  /** What an address of it looks like, for messages. */
  readonly address: string;
  /** Whether this text is an address of it. */
  takes(to: string): boolean;
  /** What is wrong with a message, by its option; nothing where the service takes such a one. */
  problem(message: Sendable): Problem | undefined;
  /** The most that it takes, in bytes: the body, and what goes beside it. */
  readonly mostBytes: number;
  /** Whether a pointer to a body in S3 can stand in place of the body. */
  readonly takesPointers: boolean;
  /** What goes beside the body, in bytes. */
  bytesBeside(message: Sendable): number;
  /** @throws the error of its service, or a SetupError that says what to change */
  send(message: OutboxRecord, signal: AbortSignal): Promise<void>;
}

/**
 * A message as its destination looks at it before it is committed.
 *
 * @example
 * const isLarge = ({ body }: Sendable) => body.length > 200_000;
 */
export type Sendable = Pick<
  OutboxRecord,
  'to' | 'key' | 'body' | 'group' | 'delaySeconds' | 'attributes' | 'source' | 'detailType'
>;

/** What is wrong with an option. */
export interface Problem {
  readonly option: string;
  readonly expected: string;
  readonly came: unknown;
}

/** A FIFO queue or a FIFO topic: it keeps the order of a message group. */
export function keepsOrder(to: string): boolean {
  return to.endsWith('.fifo');
}
