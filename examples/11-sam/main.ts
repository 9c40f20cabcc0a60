import { readFileSync } from 'node:fs';
import { deliver, send, startAws } from 'local-aws';

const template = readFileSync('template.yaml', 'utf8');
const types = [...template.matchAll(/^ {4}Type: (AWS::\S+)/gm)].map(([, type]) => type);
console.log(`template.yaml has ${types.length} resources:\n  ${types.toSorted().join('\n  ')}`);

const aws = await startAws();
const bundle = new URL('dist/index.mjs', import.meta.url); // what sam deploy uploads
const { handler } = await import(bundle.href);
console.log('order-17 is sent twice:');
await send({ orderId: 'order-17' });
await send({ orderId: 'order-17' });
await deliver(handler);
await aws.stop();
