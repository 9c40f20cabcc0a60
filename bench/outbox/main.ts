import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startDynamoDbLocal } from '../../lib/rehearsal/engine/servers/dynamodb-local.ts';
import { startSqsLocal } from '../../lib/rehearsal/engine/servers/sqs-local.ts';
import { createProgress } from '../../lib/rehearsal/progress.ts';
import { postgresPrograms, startPostgres } from '../../shop/postgres/server.ts';
import { createDatabase } from '../../test/support/postgres-database.ts';
import { claimsTable, outboxTable as createOutbox } from '../../test/support/tables.ts';
import { benchClient } from '../cost/client.ts';
import { environmentOf } from '../cost/environment.ts';
import { asMarkdown, type Table } from '../cost/table.ts';
import { countedPool } from '../postgres/counted-pool.ts';
import { inDynamoDb, inPostgreSql, tablesByHand } from './contenders.ts';
import { measureOutbox, outboxTable } from './cost.ts';
import { farServices } from './services.ts';

const usage = `npm run bench -- outbox [--quick] [--write]

What a payment costs that commits one message, or ten, with its data: requests, write units, time and client CPU, beside a commit and sendOnce, and beside
a transaction by hand. In DynamoDB and in PostgreSQL. --quick: a look. --write: writes docs/evidence/outbox-cost.md.`;

const flag = { type: 'boolean', default: false } as const;
const { values } = parseArgs({ options: { quick: flag, write: flag, help: flag } });
/** How long a request is on its way to a service, in milliseconds. */
const farMs = 5;

if (values.help) console.log(usage);
else {
  const progress = createProgress(process.stderr);
  const { date, command, machine, load, versions } = environmentOf(['outbox', ...process.argv.slice(2)], new Date());
  const plan = {
    messages: [1, 10],
    ...(values.quick ? { rounds: 3, payments: 5 } : { rounds: 15, payments: 20 }),
    onRound: (said: string) => progress.update(said),
  };
  const sqs = await startSqsLocal();
  const queue = { sqs: sqs.client, url: (await sqs.createQueue('receipts')).url };
  await using server = await startDynamoDbLocal();
  const dynamodb = benchClient(server.endpoint);
  const [claims, ledger] = [await claimsTable(dynamodb), await claimsTable(dynamodb)];
  const tables = { dynamodb, claims, ledger, outbox: await createOutbox(dynamodb) };
  const asked = farServices({ dynamodb, sqs: sqs.client }, farMs);
  const measured: Table[] = [outboxTable('In DynamoDB', await measureOutbox(inDynamoDb(tables, queue), asked, plan))];

  const programs = postgresPrograms();
  if (programs === undefined) throw new Error('npm has installed no PostgreSQL for this platform');
  {
    await using postgres = await startPostgres(programs);
    await using database = await createDatabase(postgres.url);
    await database.pool.query(tablesByHand);
    const counted = countedPool(database.url, farMs);
    const both = () => ({ ...asked(), database: counted.asked().roundTrips });
    measured.push(outboxTable('In PostgreSQL', await measureOutbox(inPostgreSql(counted.pool, queue), both, plan)));
    await counted.pool.end();
  }
  progress.end();
  dynamodb.destroy();
  await sqs.stop();
  const page = `# Evidence: what an outbox costs

\`npm run bench -- outbox --write\` writes this page. [What an outbox is](../guides/outbox.md).

One payment that is entered, with one message behind it, or ten. Each request to a service is on its way for ${farMs} ms, so that requests one after the other cost what they do on a network. The contenders take turns. *× by hand* is the median of the ratios of
rounds that were timed one after the other. CPU is of this process, and not of the servers.

${measured.map(asMarkdown).join('\n\n')}

*By hand* is the least that there can be: no claim, no order, no key that the destination keeps, all messages in one request to the queue, and all of them removed in one. It loses nothing only if something else sends what a dead worker has left.
\`eachTransaction\` has the claim in the transaction. \`commit\` in a handler has one write more, for the claim before the handler. With \`sendOnce\` the messages are commits of their own: if the worker dies before one, its message comes only when the payment does once more.

pawl sends each message by a request of its own, at the same time as the others, and removes it by one. So ten messages take as long as one but for the processor, and cost more requests than batches would: each one that fails is tried, parked and reported alone.

${date}, \`${command}\`, ${machine}, load ${load.average.toFixed(1)} on ${load.cpus} processors, Node ${versions['node']}.
`;
  console.log(page);
  if (values.write) writeFileSync(new URL('../../docs/evidence/outbox-cost.md', import.meta.url), page);
}
