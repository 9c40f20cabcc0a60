import { createRandom } from '../../lib/rehearsal/engine/random.ts';
import { startDynamoDbLocal } from '../../lib/rehearsal/engine/servers/dynamodb-local.ts';
import { runLargeWork } from '../../test/fixtures/locks/large-work.ts';
import { runRepayments } from '../../test/fixtures/locks/repayments.ts';
import { localClient } from '../../test/support/tables.ts';

/**
 * The long versions of the tests of `pawl/locks`: one message of 20,000 items killed 20 times, and 200 requests over overlapping
 * debts, with the published design beside them. Fails when an item was not done once, or a debt was repaid twice.
 *
 * It cannot tell how long DynamoDB would take: DynamoDB Local does one thing after the other, on this machine's processors.
 */
const dynamo = await startDynamoDbLocal();
const { endpoint } = dynamo;
const client = localClient(endpoint);
const seed = Number(process.argv[2] ?? 1);

const large = await runLargeWork({ endpoint, items: 20_000, kills: 20 });
console.log(JSON.stringify({ large }));
// All of them under way at once.
const plan = { endpoint, client, requests: 200, debts: 60, workers: 4, atOnce: 50 };
const byDebt = await runRepayments({ ...plan, random: createRandom(seed), kills: 20, lockedBy: 'debt' });
console.log(JSON.stringify({ byDebt }));
const bySet = await runRepayments({ ...plan, random: createRandom(seed), kills: 2, lockedBy: 'set' });
console.log(JSON.stringify({ bySet }));

const holds =
  large.notOnce === 0 &&
  byDebt.repaidOnce === byDebt.wanted &&
  byDebt.paid === byDebt.owed &&
  byDebt.locksLeft === 0 &&
  bySet.repaidTwice > 0;
console.log(holds ? 'Every item and every debt once.' : 'NOT once.');
if (!holds) process.exitCode = 1;
client.destroy();
await dynamo.stop();
