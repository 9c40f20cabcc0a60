import { dynamoStore } from 'pawl/dynamodb';
import { bodyField, deadLetterQueue, eachMessage } from 'pawl/sqs';

interface Order {
  readonly orderId: string;
}

/** A mail never goes out twice: if a worker dies in the middle of one, an operator decides. */
export const handler = eachMessage<Order>(
  {
    operation: 'send-email',
    store: dynamoStore({ tableName: process.env.CLAIMS_TABLE }),
    key: bodyField('orderId'),
    onAbandoned: 'park',
    deadLetters: deadLetterQueue(process.env.DEAD_LETTER_QUEUE_URL),
    onEvent: () => {},
  },
  ({ body }) => {
    console.log(`  a mail goes out for ${body.orderId}`);
    if (process.env.DIES) process.kill(process.pid, 'SIGKILL');
  },
);
