import { SESv2Client } from '@aws-sdk/client-sesv2';
import { logEvents } from 'pawl';
import { dynamoStore } from 'pawl/dynamodb';
import { deadLetterQueue } from 'pawl/sqs';
import { emailConsumer } from '../../lambda/email-consumer.ts';

/** The handler of a printed template: it reads the two variables that every template sets, and no other. */
export const handler = emailConsumer({
  ses: new SESv2Client({ maxAttempts: 1 }),
  sender: 'shop@example.com',
  store: dynamoStore({ tableName: process.env['CLAIMS_TABLE'] }),
  deadLetters: deadLetterQueue(process.env['DEAD_LETTER_QUEUE_URL']),
  onEvent: logEvents,
});
