import { DeleteMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { type RecordedError, recordedError } from '../kernel/recorded-error.ts';
import { isDeadLetterAttribute } from '../sqs/dead-letters.ts';
import type { DeadLetter } from './dead-letters.ts';
import type { Desk } from './desk.ts';
import { giveBack, type Received, receiveSome } from './queue-calls.ts';
import { readRecord } from './read-record.ts';
import { holdsBack, type PlannedRedrive, prospectOf, type RedrivePlan, type StayReason } from './redrive-plan.ts';

/** What became of one message of a redrive. */
export type RedriveResult = Pick<DeadLetter, 'messageId' | 'claimId'> &
  (
    | { readonly outcome: 'redriven'; readonly newMessageId: string }
    /** The copy is on its queue, and the dead letter could not be deleted. Another redrive sends another copy, which pawl recognises. */
    | { readonly outcome: 'copy-left'; readonly newMessageId: string; readonly error: RecordedError }
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
export async function* redrive(desk: Desk, plan: RedrivePlan): AsyncGenerator<RedriveResult, void, undefined> {
  const { from, to, hideSeconds } = plan;
  const wanted = new Map(plan.items.filter(({ will }) => will !== 'stay').map((item) => [item.messageId, item]));
  const underWay: Redrive = { desk, plan, isFifo: to.endsWith('.fifo'), held: new Set() };
  /** Messages that are hidden and stay. */
  const hidden = new Map<string, string | undefined>();
  try {
    while (wanted.size > 0) {
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
      const chains = Map.groupBy(chosen, ({ item }) => (underWay.isFifo ? item.group : item.messageId));
      const results = await Promise.all(Array.from(chains.values(), (chain) => redriveChain(underWay, chain)));
      for (const result of results.flat()) {
        if (result.outcome === 'redriven') hidden.delete(result.messageId);
        yield result;
      }
    }
  } finally {
    await giveBack(desk, from, hidden.values());
  }
  for (const { messageId, claimId } of wanted.values()) yield { messageId, claimId, outcome: 'not-seen' };
}

/** A redrive under way. */
interface Redrive {
  readonly desk: Desk;
  readonly plan: RedrivePlan;
  readonly isFifo: boolean;
  /** The groups of which nothing more may be sent. */
  readonly held: Set<string | undefined>;
}

interface Chosen {
  readonly message: Received;
  readonly item: PlannedRedrive;
}

/** One after the other: the messages of one group, or a message of a standard queue. */
async function redriveChain(underWay: Redrive, chain: readonly Chosen[]): Promise<readonly RedriveResult[]> {
  const { isFifo, held } = underWay;
  const results: RedriveResult[] = [];
  for (const chosen of chain) {
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
async function redriveOne({ desk, plan, isFifo }: Redrive, { message, item }: Chosen): Promise<RedriveResult> {
  const { from, to, by, note } = plan;
  const { messageId, claimId } = item;
  const { host, sqs, emit } = desk;
  const act = () => ({ at: host.now(), by, note, id: claimId, from, to, messageId });
  let newMessageId: string;
  try {
    const prospect = prospectOf(item, await readRecord(desk, claimId), host.now());
    if (prospect.will === 'stay') return { messageId, claimId, outcome: 'stays', whyNot: prospect.whyNot };
    const dedupId = isFifo ? `pawl-redrive-${host.randomId()}` : undefined;
    const { MessageId = '' } = await sqs().send(copyOf(message, to, dedupId));
    newMessageId = MessageId;
  } catch (thrown) {
    const error = recordedError(thrown);
    emit({ type: 'redrive-failed', ...act(), error });
    return { messageId, claimId, outcome: 'failed', error };
  }
  try {
    await sqs().send(new DeleteMessageCommand({ QueueUrl: from, ReceiptHandle: message.ReceiptHandle }));
    emit({ type: 'redriven', ...act(), newMessageId, copyLeft: false });
    return { messageId, claimId, outcome: 'redriven', newMessageId };
  } catch (thrown) {
    emit({ type: 'redriven', ...act(), newMessageId, copyLeft: true });
    return { messageId, claimId, outcome: 'copy-left', newMessageId, error: recordedError(thrown) };
  }
}

/** The message as it was, without what pawl has said of it. */
function copyOf(
  { Body, Attributes = {}, MessageAttributes = {} }: Received,
  QueueUrl: string,
  MessageDeduplicationId: string | undefined,
): SendMessageCommand {
  const attributes = Object.entries(MessageAttributes).filter(([name]) => !isDeadLetterAttribute(name));
  const { AWSTraceHeader, MessageGroupId } = Attributes;
  return new SendMessageCommand({
    QueueUrl,
    MessageBody: Body,
    MessageGroupId,
    MessageDeduplicationId,
    ...(attributes.length > 0 && { MessageAttributes: Object.fromEntries(attributes) }),
    ...(AWSTraceHeader !== undefined && {
      MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: AWSTraceHeader } },
    }),
  });
}
