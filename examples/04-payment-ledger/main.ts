import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { createTable, deliver, drain, send, startAws } from 'local-aws';

const aws = await startAws();
await createTable('ledger', 'id');
const { handler } = await import('./handler.ts');

console.log('The processor calls back four times for payment-9, and four workers take the messages at the same time.');
for (let call = 0; call < 4; call += 1) await send({ paymentId: 'payment-9', cents: 700 });
await Promise.all(Array.from({ length: 4 }, () => deliver(handler, { batchSize: 1 })));
await drain(handler);

const { Items = [] } = await DynamoDBDocumentClient.from(new DynamoDBClient()).send(
  new ScanCommand({ TableName: 'ledger' }),
);
const lines = Items.map(({ id, cents }) => `  ${id.split('/')[1]} ${cents}`);
console.log(`The ledger has ${Items.length} entries:\n${lines.toSorted().join('\n')}`);
await aws.stop();
