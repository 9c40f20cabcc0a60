import type { SendMessageCommandInput } from '@aws-sdk/client-sqs';
import { type RecordedError, recordedError } from '../kernel/recorded-error.ts';
import { callSqs } from '../sqs/calls.ts';
import { deadLetterAttributes, isDeadLetterAttribute, tracedBy } from '../sqs/dead-letters.ts';
import type { DeadLetter } from './dead-letters.ts';
import type { Desk } from './desk.ts';
import { type Chosen, eachLetter } from './each-letter.ts';
import type { ActOptions } from './options.ts';
import { explainedCall, type Received } from './queue-calls.ts';
import { readRecord } from './read-record.ts';
import {
  holdsBack,
  isKeyedById,
  type PlannedRedrive,
  prospectOf,
  type RedrivePlan,
  type StayReason,
} from './redrive-plan.ts';

/** What became of one message of a redrive. */
export type RedriveResult = Pick<DeadLetter, 'messageId' | 'claimId'> &
  (
    | { readonly outcome: 'redriven'; readonly newMessageId: string }
    /** The copy is on its queue, and the dead letter could not be deleted. Another redrive sends another copy, which pawl recognises. */
    | { readonly outcome: 'copy-left'; readonly newMessageId: string; readonly error: RecordedError }
    /** Its effect is confirmed, so nothing was sent: the dead letter is deleted. */
    | { readonly outcome: 'deleted' }
    /** Nothing was sent. */
    | { readonly outcome: 'stays'; readonly whyNot: StayReason }
    /** SQS did not confirm the copy, which may be on its queue all the same. The dead letter stays. */
    | { readonly outcome: 'failed'; readonly error: RecordedError }
    /** SQS did not hand the message over: another receiver has it, or it is gone. */
    | { readonly outcome: 'not-seen' }
  );

/**
 * Carries a plan out.
 *
 * Invariants. A dead letter is deleted only after SQS has confirmed its copy. Every try has a deduplication id of its own: SQS would drop a copy with the
 * id of one that was sent less than five minutes ago, and the deletion would lose the message. On a FIFO queue, nothing of a group is sent after a message of
 * it that stays and may still run.
 *
 * @throws SQS's error when it hands no messages over
 */
export async function* redrive(
  desk: Desk,
  plan: RedrivePlan,
  { signal }: ActOptions,
): AsyncGenerator<RedriveResult, void, undefined> {
  const { from, to, hideSeconds } = plan;
  const items = plan.items.filter(({ will }) => will !== 'stay');
  const underWay: Redrive = { desk, plan, isFifo: to.endsWith('.fifo'), held: new Set(), signal };
  const chainOf = ({ group, messageId }: PlannedRedrive) => (underWay.isFifo ? group : messageId);
  const unseen = yield* eachLetter(
    desk,
    { from, hideSeconds, items, chainOf, signal },
    {
      carryOut: (chain) => redriveChain(underWay, chain),
      isGone: ({ outcome }) => outcome === 'redriven' || outcome === 'deleted',
    },
  );
  for (const { messageId, claimId } of unseen) yield { messageId, claimId, outcome: 'not-seen' };
}

/** A redrive under way. */
interface Redrive {
  readonly desk: Desk;
  readonly plan: RedrivePlan;
  readonly isFifo: boolean;
  /** The groups of which nothing more may be sent. */
  readonly held: Set<string | undefined>;
  readonly signal: AbortSignal | undefined;
}

/** One after the other: the messages of one group, or a message of a standard queue. */
async function redriveChain(
  underWay: Redrive,
  chain: readonly Chosen<PlannedRedrive>[],
): Promise<readonly RedriveResult[]> {
  const { isFifo, held, signal } = underWay;
  const results: RedriveResult[] = [];
  for (const chosen of chain) {
    if (signal?.aborted) break;
    const { messageId, claimId, group } = chosen.item;
    const result: RedriveResult =
      isFifo && held.has(group)
        ? { messageId, claimId, outcome: 'stays', whyNot: 'behind' }
        : await redriveOne(underWay, chosen);
    const isHeldBack = result.outcome === 'stays' ? holdsBack(result.whyNot) : result.outcome === 'failed';
    if (isHeldBack) held.add(group);
    results.push(result);
  }
  return results;
}

/** Never throws. */
async function redriveOne(
  { desk, plan, isFifo }: Redrive,
  { message, item }: Chosen<PlannedRedrive>,
): Promise<RedriveResult> {
  const { from, to, by, note } = plan;
  const { messageId, claimId } = item;
  const { host, sqs, emit } = desk;
  const act = () => ({ at: host.now(), by, note, id: claimId, from, to, messageId });
  let newMessageId: string;
  try {
    const prospect = prospectOf(item, await readRecord(desk, claimId), host.now());
    if (prospect.will === 'stay') return { messageId, claimId, outcome: 'stays', whyNot: prospect.whyNot };
    if (prospect.will === 'delete') {
      await callSqs(sqs, 'DeleteMessage', { QueueUrl: from, ReceiptHandle: message.ReceiptHandle });
      const { to: _, ...about } = act();
      const confirmed = { claim: 'completed', inDoubt: false, recorded: false } as const;
      emit({ type: 'discarded', ...about, reason: item.reason, ...confirmed });
      return { messageId, claimId, outcome: 'deleted' };
    }
    const isKeyed = claimId === undefined || isKeyedById(item);
    if (isKeyed && !hasRoom(message)) return { messageId, claimId, outcome: 'stays', whyNot: 'would-repeat' };
    const dedupId = isFifo ? `pawl-redrive-${host.randomId()}` : undefined;
    const { MessageId = '' } = await callSqs(sqs, 'SendMessage', copyOf(message, to, dedupId));
    newMessageId = MessageId;
  } catch (thrown) {
    const error = recordedError(explainedCall(thrown, to));
    emit({ type: 'redrive-failed', ...act(), error });
    return { messageId, claimId, outcome: 'failed', error };
  }
  try {
    await callSqs(sqs, 'DeleteMessage', { QueueUrl: from, ReceiptHandle: message.ReceiptHandle });
    emit({ type: 'redriven', ...act(), newMessageId, copyLeft: false });
    return { messageId, claimId, outcome: 'redriven', newMessageId };
  } catch (thrown) {
    emit({ type: 'redriven', ...act(), newMessageId, copyLeft: true });
    return { messageId, claimId, outcome: 'copy-left', newMessageId, error: recordedError(thrown) };
  }
}

/** SQS takes no more. */
const mostAttributes = 10;

function attributesOf({ MessageAttributes = {} }: Received) {
  return Object.entries(MessageAttributes).filter(([name]) => !isDeadLetterAttribute(name));
}

/** Whether a copy can say which message it was made of. */
function hasRoom(message: Received): boolean {
  return attributesOf(message).length < mostAttributes;
}

/** The message as it was, without what pawl has said of it; but with the id that its first key may be made of, through any number of copies. */
function copyOf(
  message: Received,
  QueueUrl: string,
  MessageDeduplicationId: string | undefined,
): SendMessageCommandInput {
  const { Body, Attributes = {}, MessageId } = message;
  const { sourceMessageId } = deadLetterAttributes;
  const source = message.MessageAttributes?.[sourceMessageId]?.StringValue ?? MessageId;
  const attributes = attributesOf(message);
  if (hasRoom(message)) attributes.push([sourceMessageId, { DataType: 'String', StringValue: source }]);
  const { AWSTraceHeader, MessageGroupId } = Attributes;
  return {
    QueueUrl,
    MessageBody: Body,
    MessageGroupId,
    MessageDeduplicationId,
    ...(attributes.length > 0 && { MessageAttributes: Object.fromEntries(attributes) }),
    ...tracedBy(AWSTraceHeader),
  };
}
