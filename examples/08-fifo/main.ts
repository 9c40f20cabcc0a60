import { drain, send, startAws } from 'local-aws';

const aws = await startAws({ fifo: true });
const { handler, history } = await import('./handler.ts');

for (const [account, change] of [
  ['ada', 1],
  ['ada', 2],
  ['bob', 1],
  ['ada', 3],
  ['bob', 2],
] as const) {
  // A producer that sends twice, under two deduplication ids: a FIFO queue takes both.
  for (const copy of ['a', 'b']) {
    const MessageDeduplicationId = `${account}-${change}-${copy}`;
    await send({ account, change }, { MessageGroupId: account, MessageDeduplicationId });
  }
}

console.log('Ten messages: five changes of two accounts, each sent twice. The bank is away for one of them.');
await drain(handler);
for (const [account, changes] of Object.entries(history)) console.log(`  ${account}: ${changes.join(', ')}`);
await aws.stop();
