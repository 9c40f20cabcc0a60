import type { SqsTransport } from '../aws/aws.ts';
import { environmentName, expect } from '../kernel/check.ts';
import { explainedError, type OptionError } from '../kernel/errors.ts';
import { callSqs } from './calls.ts';
import { deadLetterUrls } from './dead-letter-urls.ts';
import type { SqsRecord } from './event.ts';
import { firstIdOf, sourceAttribute } from './message.ts';
import { isRefusal } from './refusal.ts';

/** Where messages go that can never run. */
export interface DeadLetters {
  /** What keeps it from working at all, such as a missing URL. A consumer looks at it before it reads a message, and returns the whole batch. */
  readonly setupError?: OptionError | undefined;
  /**
   * Puts a copy there, with the reason. @param transport the way to SQS @param claimId the id of the message's claim, if it has a key
   * @throws when that failed: then the message must stay where it is
   */
  send(transport: SqsTransport, record: SqsRecord, reason: string, error: string, claimId?: string): Promise<unknown>;
}

/** What pawl says of a dead letter, in its message attributes. */
export const deadLetterAttributes = {
  reason: 'pawl-reason',
  error: 'pawl-error',
  sourceMessageId: sourceAttribute,
  claim: 'pawl-claim',
} as const;

const ours: readonly string[] = Object.values(deadLetterAttributes);

/** Whether a message attribute is pawl's own. A redriven copy must not carry it: a wrong reason misleads the operator. */
export function isDeadLetterAttribute(name: string): boolean {
  return ours.includes(name);
}

/** What a copy of a message carries on, so that it stays in the trace of its sender. */
export function tracedBy(AWSTraceHeader: string | undefined) {
  if (AWSTraceHeader === undefined) return {};
  return { MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: AWSTraceHeader } } };
}

/**
 * A dead-letter queue. Each copy says in its message attributes why it is there: `pawl-reason`, `pawl-error`, the id of
 * the message that it was made of, `pawl-source-message-id`, and the id of its claim, `pawl-claim`.
 *
 * @param url of the queue; FIFO if the consumer's own queue is. For a function that several queues feed, what `Consumer` sets: the ARN of each
 * queue with its dead-letter queue's URL, as in `arn:…=https://… arn:…=https://…`
 * @throws OptionError when the URL is given, and is no text. A missing one, `undefined` or an empty text, is reported at the first call: then nothing
 *   runs, and all messages come again
 * @example
 * const deadLetters = deadLetterQueue(process.env.DEAD_LETTER_QUEUE_URL);
 */
export function deadLetterQueue(url: string | undefined): DeadLetters {
  const isUrl = typeof url !== 'string' || !url.startsWith('arn:') || url.includes('=');
  const variable = 'the variable DEAD_LETTER_QUEUE_URL, which Consumer sets';
  expect(isUrl, 'deadLetterQueue', `a queue's URL: https://sqs.… (${variable})`, url, 'wrong-dead-letters');
  const { read, setupError } = environmentName('deadLetterQueue', {
    value: url,
    expected: "a queue's URL",
    variable:
      'The construct Consumer sets the environment variable DEAD_LETTER_QUEUE_URL. For a function without a Consumer, set it, and pass ' +
      'process.env.DEAD_LETTER_QUEUE_URL.',
  });
  return {
    setupError,
    async send(transport, record, reason, error, claimId) {
      const { body, messageId, attributes, messageAttributes, eventSourceARN } = record;
      const QueueUrl = deadLetterUrls(read())(eventSourceARN);
      if (QueueUrl === undefined) {
        const said = `deadLetterQueue names no dead-letter queue for ${eventSourceARN}; add it to DEAD_LETTER_QUEUE_URL`;
        throw explainedError(Error, said, 'wrong-dead-letters');
      }
      const original = Object.entries(messageAttributes).map(([name, { dataType, stringValue, binaryValue }]) => [
        name,
        {
          DataType: dataType,
          StringValue: stringValue,
          BinaryValue: binaryValue && Buffer.from(binaryValue, 'base64'),
        },
      ]);
      // Without those of its last stay there, before a redrive.
      const kept = original.filter(([name]) => !isDeadLetterAttribute(String(name)));
      const text = (name: string, StringValue: string) => [name, { DataType: 'String', StringValue }];
      const { claim, ...named } = deadLetterAttributes;
      const source = text(named.sourceMessageId, firstIdOf(record));
      const added = [text(named.reason, reason), text(named.error, error), source];
      const send = (attributesToSend: unknown[][]) =>
        callSqs(transport, 'SendMessage', {
          QueueUrl,
          MessageBody: body,
          MessageAttributes: Object.fromEntries(attributesToSend),
          MessageGroupId: attributes.MessageGroupId,
          ...tracedBy(attributes.AWSTraceHeader),
          // The id of this copy: a second try to dead-letter it makes one message, while a redriven copy is another.
          MessageDeduplicationId: QueueUrl.endsWith('.fifo') ? messageId : undefined,
        });
      // SQS refuses more than ten attributes, 1 MiB in all, and some characters. A message without its reason beats a lost one.
      const tries = [
        ...(claimId === undefined ? [] : [[...kept, ...added, text(claim, claimId)]]),
        [...kept, ...added],
        // The id that its key may be made of.
        [...kept, source],
      ];
      for (const attributesToSend of tries) {
        try {
          return await send(attributesToSend);
        } catch (failure) {
          // An SQS that is only out of reach has not refused anything: the message stays, and its reason goes with the next try.
          if (!isRefusal(failure)) throw failure;
        }
      }
      return await send(kept);
    },
  };
}
