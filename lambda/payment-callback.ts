import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import * as v from 'valibot';
import { bodyField, onceOverHttp, type RequestContext } from '../lib/http/index.ts';
import { logEvents } from '../lib/index.ts';
import { allOf, metricEvents } from '../lib/observe/index.ts';
import { dynamoStore } from '../lib/stores/dynamodb/index.ts';
import { required } from './environment.ts';
import { Payment } from './payment.ts';
import { isSigned, type SignedRequest } from './processor.ts';

interface CallbackEvent extends SignedRequest {
  readonly rawPath?: string;
}

const QueueUrl = required('PAYMENTS_QUEUE_URL');
const publicKey = required('PROCESSOR_PUBLIC_KEY');
const sqs = new SQSClient({ useQueueUrlAsEndpoint: false });

/** Takes a payment on, once. The processor has no idempotency key for us; the payment's own id is one. */
const takeOn = onceOverHttp(
  {
    operation: 'payment-callback',
    store: dynamoStore({ tableName: process.env['CLAIMS_TABLE'] }),
    caller: 'anyone',
    key: bodyField('paymentId'),
    // A second message of the same payment is not posted again.
    onAbandoned: 'retry',
    onEvent: allOf(logEvents, metricEvents()),
  },
  async (event: CallbackEvent, _context: RequestContext) => {
    const text = event.isBase64Encoded ? Buffer.from(event.body ?? '', 'base64').toString('utf8') : (event.body ?? '');
    const payment = v.safeParse(Payment, JSON.parse(text));
    if (!payment.success) return { statusCode: 400, body: 'this is no payment' };
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(payment.output) }));
    return { statusCode: 200, body: JSON.stringify({ paymentId: payment.output.paymentId }) };
  },
);

export async function handler(event: CallbackEvent, context: RequestContext) {
  if (!isSigned(event, publicKey, Date.now()))
    return { statusCode: 401, body: 'the signature is missing, wrong, or old' };
  return takeOn(event, context);
}
