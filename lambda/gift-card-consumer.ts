import { reconcile } from 'pawl';
import { bodyField, eachMessage } from 'pawl/sqs';
import { backoffSeconds, type Wiring } from './environment.ts';
import type { GiftCardProvider } from './gift-cards.ts';
import { Order } from './order.ts';

interface GiftCardWiring extends Wiring {
  readonly giftCards: GiftCardProvider;
}

/** Issues one gift card for each order. */
export function giftCardConsumer({ giftCards, ...wiring }: GiftCardWiring) {
  return eachMessage(
    {
      ...wiring,
      operation: 'issue-gift-card',
      schema: Order,
      key: bodyField('orderId'),
      // A gift card is money, and the provider can be asked. Its look-up lags behind what it has issued.
      onAbandoned: reconcile({
        ask: async (doubt) => ({ verdict: (await giftCards.wasIssued(doubt)) ? 'applied' : 'not-applied' }),
        settleMs: 1000,
      }),
      marksEffect: true,
      backoffSeconds,
    },
    async ({ body: order }, claim) => {
      await claim.effect(() => giftCards.issue(order, claim));
    },
  );
}
