import { logEvents, RejectedError, RetryableError } from '../lib/index.ts';
import { bodyField, eachMessage } from '../lib/sqs/index.ts';
import { dynamoStore } from '../lib/stores/dynamodb/index.ts';
import { required } from './environment.ts';
import { Order } from './order.ts';

const provider = required('GIFT_CARD_API_URL');

export const handler = eachMessage(
  {
    operation: 'issue-gift-card',
    store: dynamoStore({ tableName: process.env['CLAIMS_TABLE'] }),
    schema: Order,
    key: bodyField('orderId'),
    // The provider honours the effect key: asked again with the same one, it answers with the card it has issued.
    onAbandoned: 'retry',
    marksEffect: true,
    deadLetterQueueUrl: process.env['DEAD_LETTER_QUEUE_URL'],
    onEvent: logEvents,
  },
  async ({ body: order }, claim) => {
    await claim.effect(() => issueGiftCard(order, claim));
  },
);

/** @throws RejectedError when the provider says that it will never issue this card; RetryableError when it is busy */
async function issueGiftCard(order: Order, claim: { effectKey: string; signal: AbortSignal }): Promise<void> {
  const response = await fetch(new URL('/gift-cards', provider), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': claim.effectKey },
    body: JSON.stringify({
      orderId: order.orderId,
      amountCents: order.amountCents,
      currency: order.currency,
      recipient: order.customer.email,
    }),
    signal: claim.signal,
  });
  await response.arrayBuffer();
  if (response.ok) return;
  if (response.status === 429 || response.status === 503)
    throw new RetryableError(`the provider is busy (${response.status})`);
  if (response.status === 400 || response.status === 422)
    throw new RejectedError(`the provider refuses (${response.status})`);
  // Anything else says nothing about the card: it may have been issued before the error.
  throw new Error(`the gift card provider answered ${response.status}`);
}
