import { logEvents, reconcile } from 'pawl';
import { allOf, metricEvents } from 'pawl/observe';
import { sweepOpenClaims } from 'pawl/sweep';
import { claims } from './claims.ts';
import { required } from './environment.ts';
import { giftCardProvider } from './gift-cards.ts';

const giftCards = giftCardProvider(required('GIFT_CARD_API_URL'));

/** Settles what no message comes for: a mail cannot be looked up, a gift card can. */
export const handler = sweepOpenClaims({
  store: claims,
  operations: {
    'issue-gift-card': {
      onAbandoned: reconcile({
        ask: async (doubt) => ({ verdict: (await giftCards.wasIssued(doubt)) ? 'applied' : 'not-applied' }),
        // As the consumer has it.
        settleMs: 1000,
      }),
    },
    'send-email': { onAbandoned: 'park' },
  },
  onEvent: allOf(logEvents, metricEvents()),
});
