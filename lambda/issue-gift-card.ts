import { logEvents } from 'pawl';
import { allOf, metricEvents } from 'pawl/observe';
import { deadLetterQueue } from 'pawl/sqs';
import { claims } from './claims.ts';
import { required } from './environment.ts';
import { giftCardConsumer } from './gift-card-consumer.ts';
import { giftCardProvider } from './gift-cards.ts';

export const handler = giftCardConsumer({
  giftCards: giftCardProvider(required('GIFT_CARD_API_URL')),
  store: claims,
  deadLetters: deadLetterQueue(process.env['DEAD_LETTER_QUEUE_URL']),
  // The logs for a person, the metrics for the alarms.
  onEvent: allOf(logEvents, metricEvents()),
});
