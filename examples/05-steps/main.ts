import { drain, send, startAws } from 'local-aws';

const aws = await startAws();
const { handler } = await import('./handler.ts');

await send({ orderId: 'order-17' });
await drain(handler);
console.log('One charge, one receipt.');
await aws.stop();
