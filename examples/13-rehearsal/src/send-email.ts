import { dynamoStore } from 'pawl/dynamodb';
import { bodyField, deadLetterQueue, eachMessage } from 'pawl/sqs';
import { type Order, sendMail } from './mailer.ts';

export const handler = eachMessage<Order>(
  {
    operation: 'send-email',
    store: dynamoStore({ tableName: process.env.CLAIMS_TABLE }),
    key: bodyField('orderId'),
    onAbandoned: 'retry',
    backoffSeconds: () => 1, // so that you need not wait
    deadLetters: deadLetterQueue(process.env.DEAD_LETTER_QUEUE_URL),
  },
  ({ body }, claim) => sendMail(body, claim.effectKey),
);
