import { setTimeout as sleep } from 'node:timers/promises';
import { deliver, drain, send, startAws } from 'local-aws';

const aws = await startAws();
const { handler, locks } = await import('./handler.ts');

console.log('Two workers at the same time: one repays debts 1 to 3, the other debts 3 to 5.');
await send({ request: 'first', debts: ['1', '2', '3'] });
await send({ request: 'second', debts: ['3', '4', '5'] });
const begun = deliver(handler, { batchSize: 1 });
while ((await locks.read([['debt', '3']])).length === 0) await sleep(20);
await Promise.all([begun, deliver(handler, { batchSize: 1 })]);
await drain(handler);
console.log('They did not mix, although only debt 3 is in both.');
await aws.stop();
