import { dynamoStore } from 'pawl/dynamodb';
import { bodyField, deadLetterQueue, eachMessage } from 'pawl/sqs';

interface Order {
  readonly orderId: string;
}

export const handler = eachMessage<Order>(
  {
    operation: 'send-email',
    store: dynamoStore({ tableName: process.env.CLAIMS_TABLE }),
    key: bodyField('orderId'),
    onAbandoned: 'park',
    deadLetters: deadLetterQueue(process.env.DEAD_LETTER_QUEUE_URL),
  },
  ({ body }) => console.log(`  a mail goes out for ${body.orderId}`),
);
