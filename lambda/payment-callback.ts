import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { canonicalValue, logEvents } from 'pawl';
import { type HttpEvent, onceOverHttp, type RequestContext } from 'pawl/http';
import { allOf, metricEvents } from 'pawl/observe';
import * as v from 'valibot';
import { claims } from './claims.ts';
import { required } from './environment.ts';
import { Payment } from './payment.ts';
import { bodyText, isSigned, type SignedRequest } from './processor.ts';

type CallbackEvent = SignedRequest & HttpEvent;

/** A callback whose signature and body are in order. */
interface PaymentEvent extends HttpEvent {
  readonly payment: Payment;
}

const QueueUrl = required('PAYMENTS_QUEUE_URL');
const publicKey = required('PROCESSOR_PUBLIC_KEY');
const sqs = new SQSClient({
  useQueueUrlAsEndpoint: false,
  // A queue that hangs must cost an attempt, and not its worker: one that is killed leaves the claim in flight.
  requestHandler: { connectionTimeout: 500, requestTimeout: 1000, throwOnRequestTimeout: true },
  maxAttempts: 1,
});

/** Takes a payment on, once. The processor has no idempotency key for us; the payment's own id is one. */
const takeOn = onceOverHttp(
  {
    operation: 'payment-callback',
    store: claims,
    caller: 'anyone',
    key: ({ event }: { readonly event: PaymentEvent }) => event.payment.paymentId,
    // All that is posted, and nothing else of the body: its attempt counter and its time stamps are noise. A callback that failed
    // keeps its fingerprint, and with the noise in it, none of its repetitions would be let in.
    fingerprint: ({ event }) => canonicalValue(event.payment),
    // A second message of the same payment is not posted again.
    onAbandoned: 'retry',
    // The processor decides how often it calls. A payment must not be parked because the queue was away for an hour.
    maxAttempts: 10_000,
    maxAbandoned: 10_000,
    // A payment is posted once, and not once in 30 days: a claim that is forgotten would post it again.
    retentionSeconds: 'forever',
    onEvent: allOf(logEvents, metricEvents()),
  },
  async ({ payment }: PaymentEvent, _context: RequestContext) => {
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(payment) }));
    return { statusCode: 200, body: JSON.stringify({ paymentId: payment.paymentId }) };
  },
);

export async function handler(event: CallbackEvent, context: RequestContext) {
  if (!isSigned(event, publicKey, Date.now()))
    return { statusCode: 401, body: 'the signature is missing, wrong, or old' };
  const payment = paymentIn(event);
  // Before the claim: a body that is refused must not bind the payment's id, or the corrected one would be another request.
  if (payment === undefined) return { statusCode: 400, body: 'this is no payment' };
  return takeOn({ ...event, payment }, context);
}

function paymentIn(event: CallbackEvent): Payment | undefined {
  try {
    const payment = v.safeParse(Payment, JSON.parse(bodyText(event)));
    return payment.success ? payment.output : undefined;
  } catch {
    return undefined;
  }
}
