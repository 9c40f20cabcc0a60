import { randomUUID } from 'node:crypto';
import { DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { dynamoLockStore, resourceLocks } from '../../lib/pawl/locks/index.ts';
import { dynamoStore, sdk } from '../../lib/pawl/stores/dynamodb/index.ts';
import { createRandom } from '../../lib/rehearsal/engine/random.ts';
import { benchClient } from '../cost/client.ts';
import { countRequests } from '../cost/counting.ts';
import type { Setting } from '../cost/setting.ts';
import { median, percentile } from '../cost/statistics.ts';
import type { Table } from '../cost/table.ts';

/** How many requests are under way at once. */
const requestCount = [2, 4, 8, 16, 32];
/** Of so many debts, each request wants so many. */
const debtCount = 24;
const wanted = 3;

interface Measured {
  readonly perSecond: number;
  readonly waitMs: readonly number[];
  readonly requestsEach: number;
}

/**
 * Requests that lock, write once under the lock, and unlock, one after the other, for a while: over sets that overlap at
 * random, and over as many that do not. Only the ratio of the two means anything elsewhere: DynamoDB Local does one
 * thing after the other.
 */
export async function contentionTable(
  { endpoint, progress, createTable }: Setting,
  { seconds, rounds }: { readonly seconds: number; readonly rounds: number },
): Promise<Table> {
  const client = benchClient(endpoint);
  const documents = DynamoDBDocumentClient.from(client);
  const tableName = await createTable(`contention-${randomUUID()}`);
  const counted = countRequests(client);
  const store = dynamoLockStore(dynamoStore({ tableName, aws: sdk({ dynamodb: client }) }));
  const locks = resourceLocks({ store });
  const random = createRandom(8);

  async function measure(requests: number, overlap: boolean): Promise<Measured> {
    const until = Date.now() + seconds * 1000;
    const waitMs: number[] = [];
    counted();
    await Promise.all(
      Array.from({ length: requests }, async (_, lane) => {
        for (let turn = 0; Date.now() < until; turn++) {
          const pick = () => (overlap ? random.below(debtCount) : `${lane}-${random.below(debtCount)}`);
          const debts = [...new Set(Array.from({ length: wanted }, () => `debt ${pick()}`))];
          const asked = performance.now();
          await locks.withLock(
            debts,
            {
              holder: `${overlap} ${requests} ${lane} ${turn}`,
              waitMs: 60_000,
              unlock: { onSuccess: 'unlock', onFailure: 'keep' },
            },
            async (lock) => {
              waitMs.push(performance.now() - asked);
              const Item = { id: `work ${lane}`, turn };
              const TransactItems = [store.stillHeld(lock), { Put: { TableName: tableName, Item } }];
              await documents.send(new TransactWriteCommand({ TransactItems }));
            },
          );
        }
      }),
    );
    return { perSecond: waitMs.length / seconds, waitMs, requestsEach: counted().requests / waitMs.length };
  }

  await measure(4, false);
  const rows: string[][] = [];
  for (const requests of requestCount) {
    const pairs: { readonly apart: Measured; readonly over: Measured }[] = [];
    for (let round = 0; round < rounds; round++) {
      progress.update(`${requests} requests at once, round ${round + 1} of ${rounds}`);
      pairs.push({ apart: await measure(requests, false), over: await measure(requests, true) });
    }
    const ratio = (of: (one: Measured) => number) => median(pairs.map(({ apart, over }) => of(over) / of(apart)));
    const wait = (share: number) => ratio(({ waitMs }) => percentile(waitMs, share));
    rows.push([
      String(requests),
      ratio(({ perSecond }) => perSecond).toFixed(2),
      wait(0.5).toFixed(1),
      wait(0.95).toFixed(1),
      wait(1).toFixed(1),
      median(pairs.map(({ apart }) => apart.requestsEach)).toFixed(1),
      median(pairs.map(({ over }) => over.requestsEach)).toFixed(1),
    ]);
  }
  client.destroy();
  return {
    title: `Requests that want ${wanted} of ${debtCount} debts, beside as many whose sets do not overlap`,
    head: [
      'at once',
      'throughput, × apart',
      'wait p50, × apart',
      'p95',
      'longest',
      'requests to DynamoDB each, apart',
      'overlapping',
    ],
    rows,
  };
}
