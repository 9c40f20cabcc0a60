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
      ask: async (_, { body }) => {
        console.log(`  worker: did the mail for ${body.orderId} go out?`);
        const response = await fetch(mailsOf(body.orderId));
        if (!response.ok) return { verdict: 'inconclusive' }; // the provider is out of order: an empty list would say "not applied"
        const found = await response.json();
        return { verdict: Array.isArray(found) && found.length > 0 ? 'applied' : 'not-applied' };
      },
      settleMs: 1_000, // how long the provider's list may lag behind what it has sent
    }),
  },
  async ({ body }) => {
    const { ok, status } = await fetch(mailsOf(body.orderId), { method: 'POST' });
    if (!ok) throw new Error(`the provider responded with ${status}`);
  },
);
