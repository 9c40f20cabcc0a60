import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { type Destination, keepsOrder } from '../destination.ts';
import { attributesFor, bytesOfAttributes, problemOfAttributes } from './attributes.ts';
import { explainedDestination } from './explained.ts';
import { problemOfDelayed, problemOfEvent, problemOfGroup } from './problems.ts';

export type { Destination, Problem, Sendable } from '../destination.ts';

/** What SNS takes in a message. */
const mostBytes = 2 ** 18;

/**
 * Topics of SNS, for the `destinations` of an outbox. A consumer behind a topic finds the key by `sentKey()`, inside `snsEnvelope()` or with raw delivery.
 *
 * @param client a client of your own for SNS
 * @default the SDK's client, made when it is first needed
 * @example
 * const { message } = dynamoOutbox({ tableName: process.env.OUTBOX_TABLE, destinations: [topics()] });
 */
export function topics(client?: SNSClient): Destination {
  let sns = client;
  return {
    name: 'topics()',
    address: 'the ARN of a topic',
    takes: (to) => /^arn:[^:]+:sns:/.test(to),
    problem: (message) =>
      problemOfGroup(message) ?? problemOfDelayed(message) ?? problemOfEvent(message) ?? problemOfAttributes(message),
    mostBytes,
    takesPointers: true,
    bytesBeside: bytesOfAttributes,
    async send(message, abortSignal) {
      sns ??= new SNSClient({});
      const { to, body, uid, group } = message;
      const publish = new PublishCommand({
        TopicArn: to,
        Message: body,
        MessageAttributes: attributesFor(message),
        MessageGroupId: group,
        MessageDeduplicationId: keepsOrder(to) ? uid : undefined,
      });
      try {
        await sns.send(publish, { abortSignal });
      } catch (error) {
        throw explainedDestination(error, 'sns:Publish', to);
      }
    },
  };
}
