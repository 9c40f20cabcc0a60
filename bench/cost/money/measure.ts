import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { killWithUs } from '../../../lib/rehearsal/engine/children.ts';
import { benchClient } from '../client.ts';
import { type Driver, startDriver } from '../driver.ts';
import type { MoneyPlan } from '../plan.ts';
import type { Setting } from '../setting.ts';
import { warmUp } from '../sizes.ts';
import { atShare, costOf, cpuShareOf, storedBytes, type Units } from './cost.ts';
import { type CpuQuota, createCpuQuota } from './cpu-quota.ts';
import { handlersMs, type Money, memoriesMb, type Paid, type PaidCell, paid } from './money.ts';
import { prices } from './prices.ts';

/** What messages cost: units and storage by DynamoDB Local, durations beside a DynamoDB with an assumed latency, and prices. */
export async function measureMoney({ sizes, warmUpMs }: MoneyPlan, setting: Setting): Promise<Money> {
  const slow = killWithUs(
    fork(fileURLToPath(new URL('slow-dynamodb.ts', import.meta.url)), { stdio: ['ignore', 2, 2, 'ipc'], execArgv: [] }),
  );
  const gone = once(slow, 'exit');
  try {
    using quota = createCpuQuota();
    const [endpoint] = (await once(slow, 'message')) as [string];
    const cells: PaidCell[] = [];
    for (const name of paid) {
      setting.progress.update(`costs: ${name}`);
      await using driver = await startDriver(name, 'claims', endpoint);
      await warmUp(driver, { size: 10, batches: 10, scenarios: ['first'], until: performance.now() + warmUpMs });
      for (const { size, batches } of sizes) {
        setting.progress.update(`costs: ${name}, batches of ${size}`);
        const units = await unitsOf(name, size, setting);
        cells.push(...(await paidCells({ driver, quota, size, batches, units })));
      }
    }
    return { shares: quota === undefined ? 'by arithmetic' : 'by a quota', cells };
  } finally {
    slow.kill('SIGKILL');
    await gone;
  }
}

interface Timing {
  readonly driver: Driver;
  readonly quota: CpuQuota | undefined;
  readonly size: number;
  readonly batches: number;
  readonly units: Units;
}

async function paidCells({ driver, quota, size, batches, units }: Timing): Promise<readonly PaidCell[]> {
  const cells: PaidCell[] = [];
  for (const handlerMs of handlersMs) {
    for (const memoryMb of memoriesMb) {
      const share = cpuShareOf(memoryMb);
      const series = `${size}-${handlerMs}-${memoryMb}`;
      quota?.set(driver.pid, share);
      const { cpuMs, wallMs } = await driver.time({ scenario: 'first', size, batches, series, handlerMs });
      const whole = { wallMs: wallMs.reduce((a, b) => a + b, 0) / batches, cpuMs: cpuMs / batches };
      const durationMs = quota === undefined ? atShare(share, whole) : whole.wallMs;
      const cost = costOf({ size, memoryMb, durationMs, units }, prices);
      cells.push({ name: driver.name as Paid, size, handlerMs, memoryMb, durationMs, units, cost });
    }
  }
  quota?.set(driver.pid, 1);
  return cells;
}

/** What one message of a batch consumes and leaves behind, by DynamoDB Local's own account. */
async function unitsOf(name: Paid, size: number, { endpoint, createTable }: Setting): Promise<Units> {
  const table = await createTable(`${name}-cost-${size}`);
  await using driver = await startDriver(name, table, endpoint);
  const { read, write } = await driver.units({ scenario: 'first', size, series: 'units' });
  const client = benchClient(endpoint);
  const items = await itemsOf(client, table);
  client.destroy();
  const bytes = items.reduce((sum, item) => sum + storedBytes(item), 0);
  if (bytes / size > 1024)
    throw new Error(`${name} leaves items of more than 1 KB: a statement costs more than one unit`);
  return { read: read / size, write: write / size, storedBytes: bytes / size };
}

async function itemsOf(client: DynamoDBClient, TableName: string) {
  const { Items = [] } = await client.send(new ScanCommand({ TableName, ConsistentRead: true }));
  return Items;
}
