import type { SqsTransport } from 'pawl/internal';
import { resendFaults } from './faults.ts';
import type { QueueCalls } from './queue.ts';
import type { Sandbox } from './sandbox.ts';

export const deadLetterQueueUrl = 'https://sqs.us-east-1.amazonaws.com/000000000000/swept-dead-letters';

/** How long a call to SQS takes, in milliseconds of the virtual clock. */
const takesMs = 10;

/** A call to SQS: about one message, or about several in entries. */
interface QueueCall extends QueueEntry {
  readonly QueueUrl?: string;
  readonly AttributeNames?: readonly string[];
  readonly Entries?: readonly QueueEntry[];
}

interface QueueEntry {
  readonly Id?: string;
  readonly ReceiptHandle?: string;
  readonly VisibilityTimeout?: number;
  readonly MessageBody?: string;
  readonly MessageAttributes?: Readonly<Record<string, { readonly StringValue?: string }>>;
}

interface QueueFailure {
  readonly Id: string | undefined;
  readonly Code: string;
  readonly SenderFault: boolean;
}

/**
 * The way to SQS of one sandbox.
 *
 * @param queue missing where callers are the traffic: then there is no queue
 * @param lateMs how long after the worker gave it up a request may still be applied, in milliseconds
 */
export function queueClientOf(sandbox: Sandbox, queue: QueueCalls | undefined, lateMs: number): SqsTransport {
  const how = { takesMs, lateMs, faults: resendFaults };
  async function send(input: QueueCall): Promise<object> {
    if (input.AttributeNames !== undefined) {
      const RedrivePolicy = JSON.stringify({ maxReceiveCount: queue?.maxReceiveCount });
      return sandbox.io('sqs.getQueueAttributes', () => ({ Attributes: { RedrivePolicy } }), how);
    }
    if (input.QueueUrl === deadLetterQueueUrl) {
      return sandbox.io('sqs.sendMessage', () => forEachEntry(input, (entry) => bury(queue, entry)), how);
    }
    const change = () => forEachEntry(input, (entry) => changeVisibility(queue, entry));
    return sandbox.io('sqs.changeMessageVisibility', change, how);
  }
  return { call: (_, input) => send(input) };
}

/**
 * Does something for each entry of a call.
 *
 * @param act returns the code of the failure, if it failed
 * @throws Error where a call about one message fails: it fails as a whole
 */
function forEachEntry(input: QueueCall, act: (entry: QueueEntry) => string | undefined): object {
  const failed: QueueFailure[] = [];
  const successful: { readonly Id: string | undefined }[] = [];
  for (const entry of input.Entries ?? [input]) {
    const Code = act(entry);
    if (Code === undefined) successful.push({ Id: entry.Id });
    else if (input.Entries === undefined) throw Object.assign(new Error(Code), { name: Code });
    else failed.push({ Id: entry.Id, Code, SenderFault: true });
  }
  return { Successful: successful, Failed: failed };
}

function changeVisibility(
  queue: QueueCalls | undefined,
  { ReceiptHandle, VisibilityTimeout = 0 }: QueueEntry,
): string | undefined {
  if (ReceiptHandle === undefined || queue === undefined) {
    throw new Error(
      "@pawl/testing: its way to SQS changes visibilities of the queue's messages, and sends to world.deadLetterQueueUrl",
    );
  }
  return queue.setVisibility(ReceiptHandle, VisibilityTimeout);
}

function bury(
  queue: QueueCalls | undefined,
  { MessageBody: body = '', MessageAttributes: about }: QueueEntry,
): undefined {
  const attribute = (name: string) => about?.[name]?.StringValue;
  queue?.deadLetter({ messageId: attribute('pawl-source-message-id'), body, reason: attribute('pawl-reason') });
}
