import type { Look } from '../engine/acquire.ts';
import type { Grant } from '../rules/grant.ts';
import type { Identity } from '../rules/identity.ts';
import type { Attributes } from '../rules/record.ts';
import type { Disposition } from './disposition.ts';
import type { SqsRecord } from './event.ts';
import type { Message } from './message.ts';

/** A message on its way through a batch. */
export interface Delivery {
  readonly record: SqsRecord;
  identity?: Identity | undefined;
  /** What the store held for it, where that was looked at ahead of its turn. */
  look?: Look | undefined;
  /** The claim under which it ran. */
  grant?: Grant | undefined;
  /** What becomes of it, once that is known. A message that has none in the end did not get its turn. */
  disposition?: Disposition | undefined;
  /** An earlier message of the batch with the same key and intent, whose disposition is not known yet: it shares that one. */
  original?: Delivery;
  /** Where its envelope holds several bodies: one delivery for each of them, of the same record. Its disposition follows from theirs. */
  parts?: readonly Delivery[];
  /** A copy of it is safe in the dead-letter queue. */
  isInDeadLetterQueue?: boolean;
}

/** A message that may ask for a claim. */
export interface Runnable<Body> extends Delivery {
  readonly identity: Identity;
  readonly message: Message<Body>;
  readonly fingerprint?: string | undefined;
  /** By the rule before, while that is accepted. */
  readonly previousFingerprint?: string | undefined;
  /** What the author keeps beside the key. */
  readonly attributes?: Attributes | undefined;
}

/** When a batch was handed to this worker, and when the worker will be stopped, in epoch milliseconds. */
export interface Invocation {
  readonly startedAt: number;
  readonly deadline: number;
}

/** Kept back at the end of an invocation for the batch response itself: a call to SQS that has not ended by then is given up. */
const responseMs = 200;

/** When SQS is not waited for any more, in epoch milliseconds. */
export function lastCallAt({ deadline }: Invocation): number {
  return deadline - responseMs;
}
