import { SESv2Client } from '@aws-sdk/client-sesv2';
import { logEvents } from 'pawl';
import { allOf, metricEvents } from 'pawl/observe';
import { deadLetterQueue } from 'pawl/sqs';
import { claims } from './claims.ts';
import { emailConsumer } from './email-consumer.ts';
import { required } from './environment.ts';

export const handler = emailConsumer({
  // One try: SES has no idempotency key, so the SDK's own retry after a lost answer would send the mail twice.
  ses: new SESv2Client({ maxAttempts: 1 }),
  sender: required('SENDER_ADDRESS'),
  store: claims,
  deadLetters: deadLetterQueue(process.env['DEAD_LETTER_QUEUE_URL']),
  // The logs for a person, the metrics for the alarms.
  onEvent: allOf(logEvents, metricEvents()),
});
