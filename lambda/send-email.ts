import { SESv2Client, SESv2ServiceException, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { logEvents } from '../lib/index.ts';
import { allOf, metricEvents } from '../lib/observe/index.ts';
import { bodyField, eachMessage } from '../lib/sqs/index.ts';
import { dynamoStore } from '../lib/stores/dynamodb/index.ts';
import { backoffSeconds, required } from './environment.ts';
import { Order } from './order.ts';

// One try: SES has no idempotency key, so the SDK's own retry after a lost answer would send the mail twice.
const ses = new SESv2Client({ maxAttempts: 1 });
const sender = required('SENDER_ADDRESS');

export const handler = eachMessage(
  {
    operation: 'send-email',
    store: dynamoStore({ tableName: process.env['CLAIMS_TABLE'] }),
    schema: Order,
    key: bodyField('orderId'),
    // SES cannot be asked whether it sent a mail, and a customer who gets two is worse off than one whose mail a person
    // looks into: never twice.
    onAbandoned: 'park',
    classify: refusedBySes,
    marksEffect: true,
    // One at a time: a worker that dies leaves one mail in doubt, and not its whole batch.
    concurrency: 1,
    backoffSeconds,
    deadLetterQueueUrl: process.env['DEAD_LETTER_QUEUE_URL'],
    // The logs for a person, the metrics for the alarms.
    onEvent: allOf(logEvents, metricEvents()),
  },
  async ({ body: order }, claim) => {
    const mail = new SendEmailCommand({
      FromEmailAddress: sender,
      Destination: { ToAddresses: [order.customer.email] },
      EmailTags: [{ Name: 'orderId', Value: order.orderId }],
      Content: {
        Simple: {
          Subject: { Data: `Your order ${order.orderId}` },
          Body: { Text: { Data: `Dear ${order.customer.name},\n\nthank you for your order. It is on its way.\n` } },
        },
      },
    });
    await claim.effect(() => ses.send(mail, { abortSignal: claim.signal }));
  },
);

/** A request that SES refused as the client's fault has sent nothing. All else (its own faults, time-outs) is unknown. */
function refusedBySes(error: unknown): 'retryable' | 'rejected' | 'unknown' {
  if (!(error instanceof SESv2ServiceException) || error.$fault !== 'client') return 'unknown';
  const forGood = error.name === 'MessageRejected' || error.name === 'BadRequestException';
  return forGood ? 'rejected' : 'retryable';
}
