import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { expect } from '../kernel/check.ts';
import { explainedError } from '../kernel/errors.ts';
import { deadLetterUrls } from './dead-letter-urls.ts';
import type { SqsRecord } from './event.ts';
import { isRefusal } from './refusal.ts';

/** Where messages go that can never run. */
export interface DeadLetters {
  /** Puts a copy there, with the reason. @throws when that failed: then the message must stay where it is */
  send(client: SQSClient, record: SqsRecord, reason: string, error: string): Promise<unknown>;
}

/**
 * A dead-letter queue. Each copy says in its message attributes why it is there: `pawl-reason`, `pawl-error`, and the id of
 * the message that it was made of, `pawl-source-message-id`.
 *
 * @param url of the queue; FIFO if the consumer's own queue is. For a function that several queues feed, what `Consumer` sets: the ARN of each
 * queue with its dead-letter queue's URL, as in `arn:…=https://… arn:…=https://…`
 * @throws OptionError when there is no URL, which is what a missing environment variable is
 * @example
 * deadLetters: deadLetterQueue(process.env.DEAD_LETTER_QUEUE_URL),
 */
export function deadLetterQueue(url: string | undefined): DeadLetters {
  const isUrl = typeof url === 'string' && url !== '' && (!url.startsWith('arn:') || url.includes('='));
  const variable = 'the variable DEAD_LETTER_QUEUE_URL, which Consumer sets';
  expect(isUrl, 'deadLetterQueue', `a queue's URL: https://sqs.… (${variable})`, url, 'wrong-dead-letters');
  const urlOf = deadLetterUrls(String(url));
  return {
    async send(client, { body, messageId, attributes, messageAttributes, eventSourceARN }, reason, error) {
      const QueueUrl = urlOf(eventSourceARN);
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
      const ours = { 'pawl-reason': reason, 'pawl-error': error, 'pawl-source-message-id': messageId };
      const added = Object.entries(ours).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]);
      const send = (attributesToSend: unknown[][]) =>
        client.send(
          new SendMessageCommand({
            QueueUrl,
            MessageBody: body,
            MessageAttributes: Object.fromEntries(attributesToSend),
            MessageGroupId: attributes.MessageGroupId,
            // The id of this copy: a second try to dead-letter it makes one message, while a redriven copy is another.
            MessageDeduplicationId: QueueUrl.endsWith('.fifo') ? messageId : undefined,
          }),
        );
      try {
        await send([...original, ...added]);
      } catch (failure) {
        // SQS refuses more than ten attributes, 1 MiB in all, and some characters. A message without its reason beats a lost one. But an
        // SQS that is only out of reach has not refused anything: the message stays, and its reason goes with the next try.
        if (!isRefusal(failure)) throw failure;
        // Nor with that of its last stay there, before a redrive: a wrong reason misleads the operator.
        await send(original.filter(([name]) => !Object.hasOwn(ours, String(name))));
      }
    },
  };
}
