import middy from '@middy/core';
import { dynamoStore } from 'pawl/dynamodb';
import { sqsOnce } from 'pawl/middy';
import { bodyField, deadLetterQueue } from 'pawl/sqs';
import { sendMails } from './existing.ts';

export const handler = middy(sendMails, { timeoutEarlyInMillis: 0 }).use(
  sqsOnce({
    operation: 'send-email',
    store: dynamoStore({ tableName: process.env.CLAIMS_TABLE }),
    key: bodyField('orderId'),
    onAbandoned: 'retry',
    deadLetters: deadLetterQueue(process.env.DEAD_LETTER_QUEUE_URL),
  }),
);
