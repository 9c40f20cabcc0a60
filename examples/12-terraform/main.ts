import { readFileSync } from 'node:fs';
import { deliver, send, startAws } from 'local-aws';

const file = readFileSync('consumer.tf', 'utf8');
const types = [...file.matchAll(/^resource "(\w+)"/gm)].map(([, type]) => type);
console.log(`consumer.tf has ${types.length} resources:\n  ${types.toSorted().join('\n  ')}`);

const aws = await startAws();
const bundle = new URL('dist/index.mjs', import.meta.url); // what terraform uploads, in a zip file
const { handler } = await import(bundle.href);
console.log('order-17 is sent twice:');
await send({ orderId: 'order-17' });
await send({ orderId: 'order-17' });
await deliver(handler);
await aws.stop();
