import { reconcile } from 'pawl';
import { dynamoStore } from 'pawl/dynamodb';
import { bodyField, deadLetterQueue, eachMessage } from 'pawl/sqs';

interface Order {
  readonly orderId: string;
}

const mailsOf = (orderId: string) => `${process.env.PROVIDER_URL}/mails?order=${orderId}`;

export const handler = eachMessage<Order>(
  {
    operation: 'send-email',
    store: dynamoStore({ tableName: process.env.CLAIMS_TABLE }),
    key: bodyField('orderId'),
    deadLetters: deadLetterQueue(process.env.DEAD_LETTER_QUEUE_URL),
    onAbandoned: reconcile({
      ask: async ({ body }) => {
        console.log(`  worker: did the mail for ${body.orderId} go out?`);
        const found = await (await fetch(mailsOf(body.orderId))).json();
        return { verdict: Array.isArray(found) && found.length > 0 ? 'applied' : 'not-applied' };
      },
      settleMs: 1_000, // how long the provider's list may lag behind what it has sent
    }),
  },
  async ({ body }) => {
    await fetch(mailsOf(body.orderId), { method: 'POST' });
  },
);
