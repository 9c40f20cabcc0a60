import { logEvents } from '../lib/index.ts';
import { allOf, metricEvents } from '../lib/observe/index.ts';
import { bodyField, eachMessage } from '../lib/sqs/index.ts';
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
    onAbandoned: {
      reconcile: async (_, doubt) => ({ verdict: (await giftCards.wasIssued(doubt)) ? 'applied' : 'not-applied' }),
      settleMs: 1000,
    },
    marksEffect: true,
    backoffSeconds,
    deadLetterQueueUrl: process.env['DEAD_LETTER_QUEUE_URL'],
    // The logs for a person, the metrics for the alarms.
    onEvent: allOf(logEvents, metricEvents()),
  },
  async ({ body: order }, claim) => {
    await claim.effect(() => giftCards.issue(order, claim));
  },
);
