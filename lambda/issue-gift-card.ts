import { logEvents, reconcile } from '../lib/index.ts';
import { bodyField, deadLetterQueue, eachMessage } from '../lib/sqs/index.ts';
import { dynamoStore } from '../lib/stores/dynamodb/index.ts';
import { backoffSeconds, required } from './environment.ts';
import { giftCardProvider } from './gift-cards.ts';
import { Order } from './order.ts';

const giftCards = giftCardProvider(required('GIFT_CARD_API_URL'));

export const handler = eachMessage(
  {
    operation: 'issue-gift-card',
    store: dynamoStore({ tableName: process.env['CLAIMS_TABLE'] }),
    schema: Order,
    key: bodyField('orderId'),
    // A gift card is money, and the provider can be asked. Its look-up lags behind what it has issued.
    onAbandoned: reconcile({
      ask: async (_, doubt) => ({ verdict: (await giftCards.wasIssued(doubt)) ? 'applied' : 'not-applied' }),
      settleMs: 1000,
    }),
    marksEffect: true,
    backoffSeconds,
    deadLetters: deadLetterQueue(process.env['DEAD_LETTER_QUEUE_URL']),
    onEvent: logEvents,
  },
  async ({ body: order }, claim) => {
    await claim.effect(() => giftCards.issue(order, claim));
  },
);
