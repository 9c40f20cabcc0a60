import { propertyOf } from '../../kernel/unknown.ts';
import { documentIn, type Envelope, type MessageAttribute, unexpected } from './envelope.ts';
import { isSnsNotification, textOf } from './shapes.ts';

/** What SNS sends besides notifications, to a queue of another account. */
const confirmations = ['SubscriptionConfirmation', 'UnsubscribeConfirmation'];

/**
 * Opens a notification of SNS: the body is what was published, and the attributes are those of the publication. Not for a subscription with raw
 * message delivery: its messages have no envelope, and their attributes are attributes of SQS already.
 *
 * The handler finds `topicArn`, `messageId`, `subject` and `timestamp` in `message.metadata.sns`. The signature is not checked: the policy of the queue
 * says who may send.
 *
 * @example
 * export const handler = eachMessage(
 *   { operation: 'send-email', store, envelope: snsEnvelope(), schema: Order, key: bodyField('id'), onAbandoned: 'park' },
 *   ({ body }) => mailer.send(body),
 * );
 */
export function snsEnvelope(): Envelope {
  return {
    name: 'snsEnvelope()',
    several: false,
    open({ content, messageAttributes, metadata }) {
      const expected = 'an SNS notification';
      const { json } = documentIn(content, expected);
      if (!isSnsNotification(json)) {
        const type = confirmations.find((one) => one === textOf(json, 'Type'));
        throw unexpected(
          expected,
          type === undefined ? 'JSON without its Type, TopicArn and Message' : `a ${type} of SNS`,
        );
      }
      const sns = {
        topicArn: json.TopicArn,
        messageId: textOf(json, 'MessageId'),
        subject: textOf(json, 'Subject'),
        timestamp: textOf(json, 'Timestamp'),
      };
      return [
        {
          content: { kind: 'text', text: json.Message },
          messageAttributes: { ...messageAttributes, ...attributesIn(json) },
          metadata: { ...metadata, sns },
        },
      ];
    },
  };
}

/** The attributes of a publication, as SQS has them. */
function attributesIn(json: unknown): Record<string, MessageAttribute> {
  const sent = propertyOf(json, 'MessageAttributes');
  if (typeof sent !== 'object' || sent === null) return {};
  return Object.fromEntries(
    Object.entries(sent).flatMap(([name, attribute]) => {
      const [dataType, value] = [textOf(attribute, 'Type'), textOf(attribute, 'Value')];
      if (dataType === undefined || value === undefined) return [];
      return [[name, dataType === 'Binary' ? { dataType, binaryValue: value } : { dataType, stringValue: value }]];
    }),
  );
}
