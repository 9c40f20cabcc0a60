import { acquire } from '../engine/acquire.ts';
import { emit } from '../engine/engine.ts';
import { tooLate } from '../engine/run.ts';
import type { Grant } from '../rules/grant.ts';
import { sourceOf } from '../rules/record.ts';
import type { QueueDoor } from './consumer.ts';
import type { Runnable } from './delivery.ts';
import { type Disposition, dispositionOfRefused, missedItsTurn } from './disposition.ts';
import { firstIdOf, receiveCountOf } from './message.ts';

/** Whether a message has its claim; if not, its disposition is known. */
export type ClaimAttempt =
  | { readonly kind: 'granted'; readonly grant: Grant }
  | { readonly kind: 'refused'; readonly disposition: Disposition };

/**
 * Asks for the claim of a message. If the store is down, nothing runs, and the message stays on its queue. Never throws.
 *
 * @param mayTakeOver if not, a message that was running when a worker died is only a suspect
 * @param claimsUntil how long the store is waited for, in epoch milliseconds. @default as late as a handler could still start
 */
export async function claimMessage<Body>(
  { engine, settings }: QueueDoor<Body>,
  one: Runnable<Body>,
  deadline: number,
  mayTakeOver: boolean,
  claimsUntil = Infinity,
): Promise<ClaimAttempt> {
  const late = tooLate(settings, deadline);
  if (late !== undefined) {
    emit(engine, one.identity, { type: 'not-started', remainingMs: late.remainingMs });
    return { kind: 'refused', disposition: missedItsTurn };
  }
  const { onInFlight, settleMs } = settings;
  const { identity, fingerprint, previousFingerprint, attributes, record, look } = one;
  // A copy that was redriven is the message that it was made of: there is no other one.
  const source = firstIdOf(record);
  const acquired = await acquire(engine, {
    identity,
    fingerprint,
    previousFingerprint,
    attributes,
    deadline,
    claimsUntil,
    waitsUntil: Math.min(claimsUntil, deadline - settings.marginMs - settings.timeoutMs),
    mayTakeOver,
    redelivered: receiveCountOf(record) > 1,
    look,
    source: onInFlight === 'discard' ? source : undefined,
  });
  if (acquired.grant !== undefined) {
    one.grant = acquired.grant;
    return { kind: 'granted', grant: acquired.grant };
  }
  // The claim may be held for this very message, which SQS delivers again: acknowledged now, its effect would be lost. The message id says so, and
  // no clock. A claim without a source is not taken for another message's.
  const holder = acquired.record && sourceOf(acquired.record);
  const isAnothers = holder !== undefined && holder !== source;
  return { kind: 'refused', disposition: dispositionOfRefused(acquired, isAnothers ? onInFlight : 'defer', settleMs) };
}
