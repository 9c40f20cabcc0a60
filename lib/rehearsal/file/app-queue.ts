import { type MessageAttributeValue, SendMessageCommand } from '@aws-sdk/client-sqs';
import { expectOptions, type NamesOf } from 'pawl/kernel';
import type { ProvisionedQueue } from '../services/sqs/create-queues.ts';
import type { AppQueue, SendOptions } from './app.ts';
import { again, begin, docs, enqueue, intend, type Sending } from './sending.ts';

const sendOptions: NamesOf<SendOptions> = {
  intent: true,
  effects: true,
  groupId: true,
  deduplicationId: true,
  attributes: true,
  delaySeconds: true,
};

/** A queue, for the producer. */
export function queueOf(state: Sending, queue: ProvisionedQueue): AppQueue {
  const isFifo = queue.name.endsWith('.fifo');
  const consumed = state.rehearsal.stacks.some(({ consumers }) => consumers.some((one) => one.queue.arn === queue.arn));
  return {
    name: queue.name,
    url: queue.url,
    send(body, options) {
      const where = queue.construct;
      const take = () => {
        expectOptions(options, { door: 'send', known: sendOptions, docs });
        if (state.isFiltered && !consumed) return 'not-sent';
        intend(state, options, `send to ${where}`);
        return 'taken';
      };
      return begin(state, take, async (taken) => {
        if (taken === 'not-sent') return;
        const text = typeof body === 'string' ? body : JSON.stringify(body);
        const once = (copy: 'first' | 'again') => send(state, queue, text, options, copy, isFifo);
        await enqueue(state, () => once('first'), undefined);
        again(state, options.intent, where, () => once('again'));
      });
    },
  };
}

async function send(
  { rehearsal, journal, messageIntents, stats }: Sending,
  { url, construct }: ProvisionedQueue,
  text: string,
  { intent, groupId, deduplicationId, attributes, delaySeconds }: Parameters<AppQueue['send']>[1],
  copy: 'first' | 'again',
  isFifo: boolean,
): Promise<void> {
  // Five minutes later, a FIFO queue takes the same deduplication id again. A rehearsal does not wait so long.
  const id = `${deduplicationId ?? intent}${copy === 'again' ? '-after-the-window' : ''}`.slice(-128);
  const group = groupId ?? (isFifo ? intent : undefined);
  const { MessageId = '' } = await rehearsal.sqs.client.send(
    new SendMessageCommand({
      QueueUrl: url,
      MessageBody: text,
      ...(group === undefined ? {} : { MessageGroupId: group }),
      ...(isFifo ? { MessageDeduplicationId: id } : {}),
      ...(attributes === undefined ? {} : { MessageAttributes: attributesOf(attributes) }),
      ...(delaySeconds === undefined ? {} : { DelaySeconds: delaySeconds }),
    }),
  );
  stats.messages += 1;
  messageIntents.set(MessageId, intent);
  const how =
    copy === 'first'
      ? `sent to ${construct}`
      : `sent to ${construct} AGAIN${isFifo ? ', as after the deduplication window' : ''}`;
  journal.add([intent], { kind: 'asked', how: `${how}, message ${MessageId.slice(0, 8)}` });
}

function attributesOf(
  given: Readonly<Record<string, string | MessageAttributeValue>>,
): Record<string, MessageAttributeValue> {
  const attributes: Record<string, MessageAttributeValue> = {};
  for (const [name, value] of Object.entries(given)) {
    attributes[name] = typeof value === 'string' ? { DataType: 'String', StringValue: value } : value;
  }
  return attributes;
}
