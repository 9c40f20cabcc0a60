import { fileURLToPath } from 'node:url';
import { type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { type FleetResult, runFleet, type Stage } from '../fleet/fleet.ts';
import { type Judged, judge, operation } from './oracle.ts';

/**
 * A fleet whose share of enforced keys is raised from none to all of them and lowered again, in mid-traffic: half of the workers at a time, as in a deployment.
 */

/** What a worker does wrong on purpose. `unstable`: a key falls another way each time. `forgetful`: enforcement has a memory of its own. `silent`: it does not say what was mixed. */
export type Mistake = 'none' | 'unstable' | 'forgetful' | 'silent';

export interface Switched {
  readonly client: DynamoDBClient;
  readonly endpoint: string;
  readonly table: string;
  /** How many workers are killed, at points of chance. */
  readonly kills: number;
  /** How many keys there are. @default three for each kill */
  readonly keys?: number | undefined;
  readonly seed: number;
  /** @default 'none' */
  readonly mistake?: Mistake;
}

const workerFile = fileURLToPath(new URL('worker.ts', import.meta.url));
const shares = ['0', '0.1', '0.5', '1', '0.5', '0'];

/** Each share for a while, and between two of them half of the workers of each. */
function stages(): readonly Stage<string>[] {
  const rows = shares.flatMap((share, at) => {
    const before = shares[at - 1];
    return [...(before === undefined ? [] : [[before, before, share, share]]), [share, share, share, share]];
  });
  return rows.map((kinds, at) => ({ until: (at + 1) / rows.length, kinds }));
}

export async function switchShares({
  client,
  endpoint,
  table,
  kills,
  keys,
  seed,
  mistake = 'none',
}: Switched): Promise<FleetResult<string> & Judged> {
  const result = await runFleet<string>({
    worker: (share) => [workerFile, share, mistake, endpoint, table],
    stages: stages(),
    kills,
    keys,
    seed,
    secondCopyAfter: 0.15,
  });
  return { ...result, ...judge(result, await parkedIn(client, table)) };
}

async function parkedIn(client: DynamoDBClient, table: string): Promise<ReadonlySet<string>> {
  const parked = new Set<string>();
  for await (const { Items = [] } of paginateScan({ client }, { TableName: table, ConsistentRead: true }))
    for (const { id, status } of Items)
      if (status?.S === 'parked' && id?.S !== undefined) parked.add(id.S.slice(`${operation}#`.length));
  return parked;
}
