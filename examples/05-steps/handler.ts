import { RetryableError, step } from 'pawl';
import { dynamoStore } from 'pawl/dynamodb';
import { bodyField, deadLetterQueue, eachMessage } from 'pawl/sqs';

interface Order {
  readonly orderId: string;
}

const providers = {
  mailIsUp: false,
  async charge(orderId: string, { idempotencyKey }: { readonly idempotencyKey: string }) {
    console.log(`  the card is charged for ${orderId}`);
    return { charge: `ch_${idempotencyKey.length}` };
  },
  async mail(orderId: string) {
    if (!providers.mailIsUp) {
      console.log('  the mail server is down');
      providers.mailIsUp = true;
      throw new RetryableError('nothing was sent');
    }
    console.log(`  the receipt for ${orderId} goes out`);
  },
};

export const handler = eachMessage<Order>(
  {
    operation: 'check-out',
    store: dynamoStore({ tableName: process.env.CLAIMS_TABLE }),
    key: bodyField('orderId'),
    onAbandoned: 'retry', // each step has a policy of its own
    backoffSeconds: () => 1,
    deadLetters: deadLetterQueue(process.env.DEAD_LETTER_QUEUE_URL),
    onEvent: () => {},
  },
  async ({ body: { orderId }, receiveCount }, claim) => {
    console.log(`Delivery ${receiveCount}:`);
    await step(claim, 'charge', ({ effectKey }) => providers.charge(orderId, { idempotencyKey: effectKey }), {
      onAbandoned: 'retry', // the card's provider honours the key
    });
    await step(claim, 'receipt', () => providers.mail(orderId), { onAbandoned: 'park' });
  },
);
