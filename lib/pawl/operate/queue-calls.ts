import type { Message } from '@aws-sdk/client-sqs';
import { setupOf } from '../kernel/aws-error.ts';
import { pageAt } from '../kernel/error-code.ts';
import { OptionError, SetupError } from '../kernel/errors.ts';
import { propertyOf } from '../kernel/unknown.ts';
import { callSqs } from '../sqs/calls.ts';
import { withEach } from '../sqs/limit.ts';
import type { Desk } from './desk.ts';
import { inChunks } from './in-chunks.ts';
import { docs } from './words.ts';

/** SQS takes no more in one call. */
const mostEntries = 10;
/** Calls that are under way at once. */
const callsAtOnce = 10;

/** About how full a queue is, and what it is. */
export interface QueueState {
  readonly visible: number;
  /** With the messages that are hidden or delayed. */
  readonly all: number;
  readonly maxReceiveCount: number | undefined;
}

/**
 * The error of an operator's call to SQS. If the operator's role may not make it, the error says which grant it needs.
 *
 * @returns a SetupError, or the error as it is
 */
export function explainedCall(error: unknown, queueUrl: string): unknown {
  const setup = setupOf(error);
  if (setup?.kind !== 'denied') return error;
  const { action = 'a request' } = setup;
  return new SetupError(
    `the role of the operator may not perform ${action} on the queue ${queueUrl}. Grant it: consumer.grantOperate(role), or allow ${action} in a policy of the role`,
    'access-denied',
    { cause: error },
  );
}

/** @throws the call's error, explained */
async function asking<T>(queueUrl: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw explainedCall(error, queueUrl);
  }
}

/** @throws SQS's error */
export async function readQueueState({ sqs }: Desk, QueueUrl: string): Promise<QueueState> {
  const { Attributes = {} } = await asking(QueueUrl, () =>
    callSqs(sqs, 'GetQueueAttributes', { QueueUrl, AttributeNames: ['All'] }),
  );
  const visible = Number(Attributes.ApproximateNumberOfMessages ?? 0);
  const hidden = Number(Attributes.ApproximateNumberOfMessagesNotVisible ?? 0);
  const delayed = Number(Attributes.ApproximateNumberOfMessagesDelayed ?? 0);
  const policy = Attributes.RedrivePolicy;
  const maxReceiveCount = policy === undefined ? undefined : Number(JSON.parse(policy).maxReceiveCount);
  return { visible, all: visible + hidden + delayed, maxReceiveCount };
}

/**
 * Receives up to ten messages, and hides them.
 *
 * @param isMoreExpected a receive that does not wait asks some of SQS's servers only, and may find nothing although there is something
 * @throws SQS's error
 */
export async function receiveSome(
  { sqs }: Desk,
  QueueUrl: string,
  { hideSeconds, isMoreExpected }: { readonly hideSeconds: number; readonly isMoreExpected: boolean },
): Promise<readonly Received[]> {
  const { Messages = [] } = await asking(QueueUrl, () =>
    callSqs(sqs, 'ReceiveMessage', {
      QueueUrl,
      MaxNumberOfMessages: mostEntries,
      VisibilityTimeout: hideSeconds,
      WaitTimeSeconds: isMoreExpected ? 1 : 0,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    }),
  );
  return Messages.filter((message): message is Received => message.MessageId !== undefined);
}

export type Received = Message & { readonly MessageId: string };

/** Makes messages visible again, each by its last receipt handle. Never throws: what SQS did not hear of is visible when its time is over. */
export async function giveBack({ sqs }: Desk, QueueUrl: string, handles: Iterable<string | undefined>): Promise<void> {
  const calls: (readonly (string | undefined)[])[] = [];
  for await (const chunk of inChunks(handles, mostEntries)) calls.push(chunk);
  await withEach(calls, callsAtOnce, async (chunk) => {
    const Entries = chunk.map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle, VisibilityTimeout: 0 }));
    try {
      await callSqs(sqs, 'ChangeMessageVisibilityBatch', { QueueUrl, Entries });
    } catch {
      // They are only hidden for a while longer.
    }
  });
}

/** The URLs of the queues whose redrive policy names the dead-letter queue. @throws SQS's error */
export async function sourcesOf({ sqs }: Desk, QueueUrl: string): Promise<readonly string[]> {
  return asking(QueueUrl, async () => {
    const urls: string[] = [];
    let NextToken: string | undefined;
    do {
      const page = await callSqs(sqs, 'ListDeadLetterSourceQueues', { QueueUrl, NextToken });
      urls.push(...(page.queueUrls ?? []));
      NextToken = page.NextToken;
    } while (NextToken !== undefined);
    return urls;
  });
}

/** The queue whose dead letters these are. @throws OptionError unless there is exactly one; SQS's error */
export async function sourceOf(desk: Desk, queueUrl: string): Promise<string> {
  const urls = await sourcesOf(desk, queueUrl);
  const [url, ...more] = urls;
  if (url !== undefined && more.length === 0) return url;
  const found = urls.length === 0 ? 'no queue' : urls.join(', ');
  throw new OptionError(
    `to: expected the URL of a queue, because the redrive policy of exactly one must name the dead-letter queue otherwise; got ${found}. See ${pageAt(docs)}.`,
  );
}

/**
 * Whether SQS moves messages of a queue to a dead-letter queue.
 *
 * @returns undefined if the operator may not read it
 */
export async function feeds({ sqs }: Desk, queueUrl: string, deadLetterUrl: string): Promise<boolean | undefined> {
  try {
    const read = async (QueueUrl: string, name: 'RedrivePolicy' | 'QueueArn') =>
      (await callSqs(sqs, 'GetQueueAttributes', { QueueUrl, AttributeNames: [name] })).Attributes?.[name];
    const [policy, arn] = await Promise.all([read(queueUrl, 'RedrivePolicy'), read(deadLetterUrl, 'QueueArn')]);
    return policy !== undefined && propertyOf(JSON.parse(policy), 'deadLetterTargetArn') === arn;
  } catch {
    // A role needs no more than to send to it. What is not known is said as such.
    return undefined;
  }
}
