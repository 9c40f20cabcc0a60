import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DeleteTableCommand,
  DescribeTableCommand,
} from '@aws-sdk/client-dynamodb';
import type { Plugin } from 'esbuild';
import { operator } from '../../../lib/pawl/operate/index.ts';
import { dynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { createMachine } from '../../../lib/rehearsal/engine/machine.ts';
import { scratchFolder } from '../../../lib/rehearsal/engine/scratch.ts';
import type { Running } from '../../../lib/rehearsal/file/running.ts';
import { slowedIn } from '../../../lib/rehearsal/file/standing.ts';
import type { Progress } from '../../../lib/rehearsal/progress.ts';
import { operationOf, shopEffects } from '../../../shop/app/app-functions.ts';
import { project } from '../../../shop/app/project.ts';
import type { BundleFor, Shop } from '../../../shop/app/shop.ts';
import { bundleFunction } from '../../../shop/bundle.ts';
import { bundleChanged } from '../../../shop/protection/changed-bundle.ts';
import { runTraffic } from '../../../shop/traffic/traffic.ts';
import type { TrafficResult } from '../../../shop/traffic/traffic-result.ts';
import type { Circumstance } from '../plan.ts';

/*
 * The orders of the shop, each an email and a gift card, in one circumstance: without pawl it is what `npm start -- --unprotected` runs. The functions are bundled with
 * what observes them in place of pawl. In mid-run, the table of claims is deleted for good, and made again, empty, when all is quiet: the judges of the shop read it.
 */

export interface ShopRun {
  readonly seed: number;
  readonly orders: number;
  readonly killShare: number;
  readonly circumstance: Circumstance;
}

/** What became of an effect of an order. */
export interface ShopOrder {
  readonly effects: number;
  /** How often the provider was asked for it again and knew it by its key: a run like any other, for pawl. */
  readonly recognised: number;
  readonly isDeadLetter: boolean;
  readonly isUnseen: boolean;
  readonly certain: number;
  readonly perhaps: number;
}

export interface ShopEvidence {
  /** By operation and order: `send-email#order-00001`. */
  readonly orders: ReadonlyMap<string, ShopOrder>;
  readonly left: number;
  /** How many sandboxes were killed, or ran out of time. */
  readonly kills: number;
  /** The orders that the machine gave no time to. */
  readonly starved: ReadonlySet<string>;
  /** The orders of which a function had a good part less of its time. */
  readonly slowed: ReadonlySet<string>;
}

const silent: Progress = { update: () => undefined, say: () => undefined, end: () => undefined };

/** @throws Error if it cannot be run, or this machine is too slow */
export async function observedShop({ seed, orders, killShare, circumstance }: ShopRun): Promise<ShopEvidence> {
  const unseen = new Set<string>();
  const reported = new Map<string, { readonly certain: number; readonly perhaps: number }>();
  let shop: Shop | undefined;
  let running: Running | undefined;
  let table: ReturnType<typeof takeAway> | undefined;
  const result = await runTraffic({
    ...{ seed, orders, payments: 2, repayments: 0, killShare, protection: 'none', progress: silent },
    functionTimeoutSeconds: 8,
    // A request for its table that is refused is a run unseen: what is compared with a healthy table has one.
    isStoreHealthy: true,
    machine: createMachine({ aWhileMs: 180_000 }),
    ...(circumstance === 'without' ? {} : { bundleFor }),
    ...(circumstance === 'never' ? { environment: { OBSERVED_TABLE: 'no-such-table' } } : {}),
    onLog(line) {
      const [, id] = /^\{"unseen":"([^"]+)"\}$/.exec(line) ?? [];
      if (id !== undefined) unseen.add(id);
    },
    onUp(up, its) {
      shop = up;
      running = its;
      if (circumstance === 'away') table = takeAway(up, orders);
    },
    async onDrained() {
      await (await table)?.bringBack();
      return false;
    },
    async onResult() {
      if (circumstance !== 'healthy' || shop === undefined) return;
      const store = dynamoStore({ tableName: shop.claimsTable, aws: sdk({ dynamodb: shop.dynamo }) });
      for (const operation of Object.values(operationOf)) {
        const { doubled } = await operator({ store }).observed(operation, { most: Number.MAX_SAFE_INTEGER });
        for (const { id, certain, perhaps } of doubled) reported.set(id, { certain, perhaps });
      }
    },
  });
  return evidenceOf(result, shop as Shop, { unseen, reported, slowed: slowedIn((running as Running).journal) });
}

function evidenceOf(
  result: TrafficResult,
  { ledger }: Shop,
  {
    unseen,
    reported,
    slowed,
  }: {
    readonly unseen: ReadonlySet<string>;
    readonly reported: ReadonlyMap<string, { readonly certain: number; readonly perhaps: number }>;
    readonly slowed: ReadonlySet<string>;
  },
): ShopEvidence {
  const orders = new Map<string, ShopOrder>();
  const verdicts = { email: result.emails, 'gift-card': result.giftCards };
  for (const effect of shopEffects) {
    const counts = ledger.countByOrder(effect);
    for (let n = 1; n <= result.orders; n += 1) {
      const orderId = `order-${String(n).padStart(5, '0')}`;
      const id = `${operationOf[effect]}#${orderId}`;
      orders.set(id, {
        effects: counts.get(orderId) ?? 0,
        recognised: ledger.recognised(effect, orderId),
        isDeadLetter: verdicts[effect].setAside.includes(orderId),
        isUnseen: unseen.has(id),
        ...(reported.get(id) ?? { certain: 0, perhaps: 0 }),
      });
    }
  }
  const { killed, timedOut } = result.sandboxes;
  const starved = new Set(result.rehearsed.effects.flatMap(({ unjudged }) => unjudged));
  return { orders, left: result.left, kills: killed + timedOut, starved, slowed };
}

/** Deletes the table of claims when half of the orders have had an effect. */
async function takeAway({ dynamo, claimsTable: TableName, ledger }: Shop, orders: number) {
  while (ledger.entries.length < orders) await new Promise((resolve) => setTimeout(resolve, 20));
  const { Table } = await dynamo.send(new DescribeTableCommand({ TableName }));
  await dynamo.send(new DeleteTableCommand({ TableName }));
  const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes = [] } = Table ?? {};
  const again: CreateTableCommandInput = {
    ...{ TableName, KeySchema, AttributeDefinitions, BillingMode: 'PAY_PER_REQUEST' },
    GlobalSecondaryIndexes: GlobalSecondaryIndexes.map((index) => ({
      ...{ IndexName: index.IndexName, KeySchema: index.KeySchema, Projection: index.Projection },
    })),
  };
  return { bringBack: async () => void (await dynamo.send(new CreateTableCommand(again))) };
}

const observing = fileURLToPath(new URL('observed.ts', import.meta.url));

const bundleFor: BundleFor = async (source) => {
  if (!Object.values(operationOf).some((operation) => operation === source)) return bundleChanged(source, 'none');
  const folder = await scratchFolder(project, 'observed-');
  await bundleFunction(join(project, `lambda/${source}.ts`), folder, [detour]);
  return folder;
};

const detour: Plugin = {
  name: 'detour',
  setup({ onResolve }) {
    onResolve({ filter: /^pawl(?:\/|$)/ }, ({ importer }) =>
      importer.startsWith(join(project, 'lambda/')) ? { path: observing } : undefined,
    );
  },
};
