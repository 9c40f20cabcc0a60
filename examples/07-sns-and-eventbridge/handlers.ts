import { dynamoStore } from 'pawl/dynamodb';
import { bodyField, deadLetterQueue, eachMessage, eventBridgeEnvelope, snsEnvelope } from 'pawl/sqs';

interface Order {
  readonly orderId: string;
}

const common = {
  store: dynamoStore({ tableName: process.env.CLAIMS_TABLE }),
  key: bodyField('orderId'),
  onAbandoned: 'retry',
  deadLetters: deadLetterQueue(process.env.DEAD_LETTER_QUEUE_URL),
} as const;

/** Behind a topic: key, schema and fingerprint see the body inside the notification. */
export const fromTopic = eachMessage<Order>(
  { ...common, operation: 'issue-gift-card', envelope: snsEnvelope() },
  ({ body, metadata }) =>
    console.log(`  a gift card for ${body.orderId}, from ${metadata.sns?.topicArn.split(':').at(-1)}`),
);

/** Behind a rule: the body is the event's `detail`. */
export const fromBus = eachMessage<Order>(
  { ...common, operation: 'notify-warehouse', envelope: eventBridgeEnvelope() },
  ({ body, metadata }) => console.log(`  the warehouse hears of ${body.orderId}, from ${metadata.eventBridge?.source}`),
);
