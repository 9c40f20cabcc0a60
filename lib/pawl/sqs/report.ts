import { type Engine, emit } from '../engine/engine.ts';
import type { ClaimFact } from '../engine/events.ts';
import { reportable, type Stage } from './author-error.ts';
import type { Delivery } from './delivery.ts';
import { dispositionOfAuthorError, type Returned } from './disposition.ts';

/** What is reported about a message, without its id. */
export type MessageFact = WithoutMessageId<Extract<ClaimFact, { readonly messageId: string }>>;

type WithoutMessageId<Fact> = Fact extends unknown ? Omit<Fact, 'messageId'> : never;

/** Reports what became of a message. Never throws. */
export function reportDelivery(engine: Engine, one: Delivery, fact: MessageFact): void {
  emit(engine, one.identity, { messageId: one.record.messageId, ...fact });
}

/** Reports a bug of the author's. Never throws. @returns what becomes of the message */
export function reportAuthorError(engine: Engine, one: Delivery, stage: Stage, thrown: unknown): Returned {
  const { error, stack } = reportable(thrown);
  reportDelivery(engine, one, { type: 'author-error', stage, error, stack });
  return dispositionOfAuthorError(error);
}
