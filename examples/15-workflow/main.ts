import { drain, send, startAws } from 'local-aws';
import { endAs, started, startStepFunctions } from './step-functions.ts';

const aws = await startAws();
const stop = await startStepFunctions();
const { ended, handler } = await import('./handler.ts');

console.log('The message of order-17 is sent three times.');
for (let copy = 0; copy < 3; copy += 1) await send({ orderId: 'order-17' });
await drain(handler, { batchSize: 1 });
console.log(`${started.length} execution. The messages are done, and a claim waits for its end.`);

console.log('It fails, and EventBridge tells it twice.');
const failed = endAs('FAILED');
for (const event of [failed, failed]) console.log(`  the claim: ${(await ended(event)).outcome}`);

console.log('The next one succeeds.');
console.log(`  the claim: ${(await ended(endAs('SUCCEEDED'))).outcome}`);
stop();
await aws.stop();
