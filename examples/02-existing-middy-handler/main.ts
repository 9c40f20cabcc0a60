import { deliver, type Handler, send, startAws } from 'local-aws';
import { sendMails } from './existing.ts';

const aws = await startAws();
const { handler } = await import('./handler.ts');

/** Two orders, one of them sent twice; and SQS delivers all of it again. */
async function traffic(to: Handler): Promise<void> {
  for (const orderId of ['order-17', 'order-18', 'order-17']) await send({ orderId });
  await deliver(to, { again: true });
  await deliver(to);
}

console.log('The handler as it was:');
await traffic(sendMails);
console.log('The same handler, with sqsOnce:');
await traffic(handler);
await aws.stop();
