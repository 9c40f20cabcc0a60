import { type RecordedError, recordedError } from '../kernel/recorded-error.ts';
import type { Discarded } from '../rules/record.ts';
import { understood } from '../rules/record.ts';
import { successor } from '../rules/successor.ts';
import { callSqs } from '../sqs/calls.ts';
import type { DeadLetter } from './dead-letters.ts';
import type { Desk } from './desk.ts';
import { type DiscardPlan, fateOf, type KeepReason, type PlannedDiscard } from './discard-plan.ts';
import { type Chosen, eachLetter } from './each-letter.ts';
import type { ActOptions } from './options.ts';
import { explainedCall } from './queue-calls.ts';
import { readRecord } from './read-record.ts';

/** What became of one letter. */
export type DiscardResult = Pick<DeadLetter, 'messageId' | 'claimId'> &
  /** It is deleted. `recorded`: its claim says so; `false` where it has none, and the event alone does. */
  (
    | { readonly outcome: 'discarded'; readonly recorded: boolean }
    /** Nothing was changed. */
    | { readonly outcome: 'stays'; readonly whyNot: KeepReason }
    /** The store or SQS has failed. The letter may be deleted or not; its claim may say that it is. Do it again. */
    | { readonly outcome: 'failed'; readonly error: RecordedError }
    /** SQS did not hand the message over: another receiver has it, or it is gone. */
    | { readonly outcome: 'not-seen' }
  );

/**
 * Deletes dead letters for good.
 *
 * 1. The claim is read again, and the reason is written on it, before the letter is deleted. The write is conditional on the claim's being the one that was
 *    read. So a worker that has begun meanwhile keeps its message, and a process that is killed in between leaves a letter that the next discard deletes.
 * 2. The claim's status stays as it is. A discard decides nothing about the effect: a claim that is open stays open.
 * 3. A letter without a claim leaves an event alone.
 *
 * @throws SQS's error when it hands no messages over
 */
export async function* discard(
  desk: Desk,
  plan: DiscardPlan,
  { signal }: ActOptions,
): AsyncGenerator<DiscardResult, void, undefined> {
  const { from, hideSeconds } = plan;
  const items = plan.items.filter(({ will }) => will === 'discard');
  const chainOf = ({ messageId }: PlannedDiscard) => messageId;
  const unseen = yield* eachLetter<PlannedDiscard, DiscardResult>(
    desk,
    { from, hideSeconds, items, chainOf, signal },
    {
      async carryOut(chain) {
        const results: DiscardResult[] = [];
        for (const chosen of chain) if (!signal?.aborted) results.push(await discardOne(desk, plan, chosen));
        return results;
      },
      isGone: ({ outcome }) => outcome === 'discarded',
    },
  );
  for (const { messageId, claimId } of unseen) yield { messageId, claimId, outcome: 'not-seen' };
}

/** Never throws. */
async function discardOne(
  desk: Desk,
  { from, by, note, evenInDoubt }: DiscardPlan,
  { message, item }: Chosen<PlannedDiscard>,
): Promise<DiscardResult> {
  const { messageId, claimId } = item;
  const { host, sqs, emit } = desk;
  const act = () => ({ at: host.now(), by, note, id: claimId, from, messageId });
  try {
    const noted = await noteOn(
      desk,
      item,
      { messageId, by, note, at: new Date(host.now()).toISOString() },
      evenInDoubt,
    );
    if (noted.kind === 'stays') return { messageId, claimId, outcome: 'stays', whyNot: noted.whyNot };
    await callSqs(sqs, 'DeleteMessage', { QueueUrl: from, ReceiptHandle: message.ReceiptHandle });
    const { claim, inDoubt, recorded } = noted;
    emit({ type: 'discarded', ...act(), reason: item.reason, claim, inDoubt, recorded });
    return { messageId, claimId, outcome: 'discarded', recorded };
  } catch (thrown) {
    const error = recordedError(explainedCall(thrown, from));
    emit({ type: 'discard-failed', ...act(), error });
    return { messageId, claimId, outcome: 'failed', error };
  }
}

type Noted =
  | { readonly kind: 'stays'; readonly whyNot: KeepReason }
  | {
      readonly kind: 'noted';
      readonly recorded: boolean;
      readonly claim: Extract<PlannedDiscard, { readonly will: 'discard' }>['claim'];
      readonly inDoubt: boolean;
    };

/** Writes on the claim that its letter is discarded, unless it may not be. @throws the store's error */
async function noteOn(desk: Desk, item: PlannedDiscard, discarded: Discarded, evenInDoubt: boolean): Promise<Noted> {
  const { host, store } = desk;
  let read = await readRecord(desk, item.claimId);
  for (;;) {
    const fate = fateOf(item, read, evenInDoubt, host.now());
    if (fate.will === 'stay') return { kind: 'stays', whyNot: fate.whyNot };
    const { claim, inDoubt } = fate;
    const record = read.kind === 'read' ? read.record : undefined;
    // A claim of another intent, or none: there is no record of this message to write on.
    if (record === undefined || claim === 'none') return { kind: 'noted', recorded: false, claim, inDoubt };
    // By a process that was killed before it deleted the letter; or by this very write, whose answer was lost.
    if (record.discarded?.messageId === discarded.messageId) return { kind: 'noted', recorded: true, claim, inDoubt };
    const written = await store.write({ next: successor(record, { ...record, discarded }), seen: record });
    if (written.applied) return { kind: 'noted', recorded: true, claim, inDoubt };
    read = { kind: 'read', record: understood(written.found) };
  }
}
