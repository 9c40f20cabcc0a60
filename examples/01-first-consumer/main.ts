import { deliver, send, startAws } from 'local-aws';

const aws = await startAws();
const { handler } = await import('./handler.ts');

console.log('The producer sends order-17 twice. SQS delivers both messages, and then delivers them again.');
await send({ orderId: 'order-17' });
await send({ orderId: 'order-17' });
const first = await deliver(handler, { again: true });
const second = await deliver(handler);

console.log(`${first + second} deliveries, one mail.`);
await aws.stop();
