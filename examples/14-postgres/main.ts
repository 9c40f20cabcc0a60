import { deliver, drain, send, startAws } from 'local-aws';
import { db } from './database.ts';

const aws = await startAws();
const { handler } = await import('./handler.ts');

console.log('The processor calls back four times for payment-9, and four workers take the messages at the same time.');
for (let call = 0; call < 4; call += 1) await send({ paymentId: 'payment-9', cents: 700 });
await Promise.all(Array.from({ length: 4 }, () => deliver(handler, { batchSize: 1 })));
await drain(handler);

const { rows } = await db.query<{ kind: string; cents: number }>(
  `SELECT split_part(entry, '/', 1) AS kind, cents FROM ledger ORDER BY kind`,
);
console.log(
  `The ledger has ${rows.length} entries:\n${rows.map(({ kind, cents }) => `  ${kind} ${cents}`).join('\n')}`,
);
const { rows: claims } = await db.query<{ id: string; status: string }>('SELECT id, status FROM pawl_claims');
console.log(`The claims, in the same database:\n${claims.map(({ id, status }) => `  ${id} ${status}`).join('\n')}`);
await aws.stop();
