import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { expect, inject, it } from 'vitest';
import { queueOptions } from '../../../lib/pawl/kernel/door-options.ts';
import { createRandom } from '../../../lib/rehearsal/engine/random.ts';
import { startWorker } from '../../fixtures/locks/children.ts';
import { claimsTable, localClient } from '../../support/tables.ts';

const concurrency = queueOptions.concurrency.default;
/** `npm run campaign -- batch` has a thousand. */
const kills = Number(process.env['PAWL_KILLS'] ?? 8);

/** How many claims are in flight, once nothing that the worker has sent is applied any more. */
async function openIn(client: DynamoDBClient, TableName: string): Promise<number> {
  for (let before = -1; ; ) {
    let open = 0;
    for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true })) {
      open += Items.filter(({ status }) => status?.S === 'in-flight').length;
    }
    if (open === before) return open;
    before = open;
    await sleep(50);
  }
}

it(
  'a worker that is killed in a batch of 100 leaves no more in doubt than may run at once, and one',
  async () => {
    const endpoint = inject('dynamoEndpoint');
    const client = localClient(endpoint);
    const left: number[] = [];
    for (let seed = 1; left.length < kills; seed++) {
      const random = createRandom(seed);
      const table = await claimsTable(client);
      const worker = startWorker('../batch/worker.ts', { ENDPOINT: endpoint, CLAIMS_TABLE: table });
      const gone = once(worker, 'exit');
      let effects = 1 + random.below(100);
      worker.on('message', () => {
        effects -= 1;
        if (effects === 0) setTimeout(() => worker.kill('SIGKILL'), random.below(15));
      });
      const [, signal] = await gone;
      if (signal === 'SIGKILL') left.push(await openIn(client, table));
      if (left.length % 100 === 0) process.stderr.write(`${left.length} of ${kills} kills\n`);
    }
    console.log(
      `in doubt after ${kills} kills: at most ${Math.max(...left)}, ${left.filter((open) => open > concurrency).length} times more than ${concurrency}`,
    );
    expect(left.filter((open) => open > concurrency + 1)).toEqual([]);
  },
  kills * 30_000,
);
