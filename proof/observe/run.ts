import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { operator } from '../../lib/pawl/operate/index.ts';
import { dynamoStore, sdk } from '../../lib/pawl/stores/dynamodb/index.ts';
import { createMachine } from '../../lib/rehearsal/engine/machine.ts';
import type { App } from '../../lib/rehearsal/file/app.ts';
import { rehearsal } from '../../lib/rehearsal/file/define.ts';
import { httpProvider } from '../../lib/rehearsal/file/providers.ts';
import { runRehearsal } from '../../lib/rehearsal/file/run.ts';
import type { Running } from '../../lib/rehearsal/file/running.ts';
import { bundleFunction } from '../../shop/bundle.ts';
import { evidenceOf } from './evidence.ts';
import { type Evidence, type Reported, reportedKey } from './judge.ts';
import { type MistakeName, planted } from './mistakes.ts';
import {
  type AppName,
  type Circumstance,
  circumstances,
  isSentTwice,
  type Named,
  nameOf,
  ordersOf,
  type PlannedOrder,
} from './plan.ts';
import { strikesOf } from './strike.ts';

/*
 * One rehearsal of the apps, in all circumstances side by side: seed after seed, each until all is quiet. A sandbox that lives serves the next seed, too.
 */

export interface ObservedRun {
  readonly apps: readonly AppName[];
  readonly seeds: readonly number[];
  readonly ordersPerSeed: number;
  /** 1: a sandbox handles one message at a time, so that a kill strikes no other one. */
  readonly batchSize: number;
  readonly kills: (seed: number) => boolean;
  readonly mistake?: MistakeName | undefined;
  readonly dynamoDb?: { readonly endpoint: string } | undefined;
  readonly onSeed?: (seed: number, seconds: number) => void;
}

const folder = fileURLToPath(new URL('.', import.meta.url));
const scratch = fileURLToPath(new URL('../../.pawl/', import.meta.url));
/** Of the functions and their queues, in seconds; and how often a message is received before it is set aside. */
const times = { timeout: 5, visibility: 7, receives: 4 } as const;

/** The plan of a run: of each seed and app, its orders. */
export function plansOf({ apps, seeds, ordersPerSeed, kills }: ObservedRun) {
  const plans = new Map<string, readonly PlannedOrder[]>();
  for (const seed of seeds)
    for (const app of apps) plans.set(`${app}-${seed}`, ordersOf(seed, app, { ordersPerSeed, kills: kills(seed) }));
  return (app: AppName, seed: number) => plans.get(`${app}-${seed}`) ?? [];
}

/** @throws Error if the apps cannot be run, or this machine is too slow */
export async function observedRun(run: ObservedRun): Promise<Evidence> {
  const { apps, seeds, ordersPerSeed, dynamoDb } = run;
  const planOf = plansOf(run);
  const strikes = strikesOf(({ app, seed, n }) => planOf(app, seed)[n], ordersPerSeed);
  mkdirSync(scratch, { recursive: true });
  const built = mkdtempSync(join(scratch, 'observe-'));
  const begunAt = Date.now();
  const unseen = new Set<string>();
  let running: Running | undefined;
  let evidence: Evidence | undefined;
  const bundles = Object.fromEntries(apps.map((app) => [app, join(built, app)]));
  const provider = httpProvider({ intent: ({ body }) => body.orderId });
  const send = (seed: number) => async (app: App) => {
    strikes.bringBack();
    if (seed !== seeds[0]) run.onSeed?.(seed, (Date.now() - begunAt) / 1000);
    const all = apps.flatMap((name) => circumstances.map((circumstance) => ({ circumstance, app: name, seed })));
    await Promise.all(all.map((at) => sendSeed(app, planOf(at.app, seed), at)));
  };
  try {
    for (const app of apps) {
      const plugins = run.mistake === undefined ? [] : [planted(run.mistake)];
      await bundleFunction(join(folder, 'apps', `${app}.ts`), bundles[app] as string, plugins);
    }
    const [first = 1, ...rest] = seeds;
    const file = rehearsal({
      context: { apps, circumstances, bundles, batchSize: run.batchSize, ...times },
      functionTimeoutSeconds: 'as-written',
      sandboxesPerFunction: 1,
      settleSeconds: 600,
      providers: { PROVIDER_URL: provider },
      effects: { shipment: provider },
      faults: {},
      traffic: send(first),
      afterwards: rest.map(send),
    });
    await runRehearsal(file, {
      seed: first,
      // What it takes away, its functions and queues get back.
      machine: createMachine({ aWhileMs: 180_000 }),
      app: { command: [process.execPath, 'assembly.mjs'], folder },
      dynamoDb,
      faults: strikes.faults,
      onLog: (line) => {
        const id = unseenIn(line);
        if (id !== undefined) unseen.add(id);
      },
      onUp(up) {
        running = up;
        for (const app of apps) strikes.awayTables.set(app, tableOf(up, 'away', app));
      },
      async onResult({ left, untested }) {
        const up = running as Running;
        // What is still under way says nothing.
        const pending = up.traffic.pending();
        if (pending > 0) throw new Error(`${pending} requests are under way, ${left} messages are left: ${untested}`);
        evidence = await evidenceOf(up, { unseen, reports: await reportsOf(up, apps) });
      },
    });
  } finally {
    rmSync(built, { recursive: true, force: true });
  }
  return evidence as Evidence;
}

/** Sends the orders. A FIFO queue gets them one after the other: in another order they would be another traffic. */
async function sendSeed({ queue, api }: App, orders: readonly PlannedOrder[], at: Omit<Named, 'n'>): Promise<void> {
  const path = `${at.circumstance}-${at.app}`;
  for (const { n, group, trouble } of orders) {
    const intent = nameOf({ ...at, n });
    const order = { orderId: intent };
    for (let copy = 0; copy < (isSentTwice(trouble) ? 2 : 1); copy += 1) {
      if (at.app === 'http') void api(`${path}/Api`).post('/orders', order, { intent, timeoutMs: 120_000 });
      else if (at.app !== 'each') void queue(`${path}/Orders`).send(order, { intent });
      else {
        const fifo = { groupId: `${at.seed}-${group}`, deduplicationId: `${intent}-copy-${copy}` };
        await queue(`${path}/Orders`).send(order, { intent, ...fifo });
      }
    }
  }
}

/** What the operator's report says of each app whose table can be read, by key. */
async function reportsOf(running: Running, apps: readonly AppName[]): Promise<Reported> {
  const reported = new Map<string, { readonly certain: number; readonly perhaps: number }>();
  for (const circumstance of ['healthy', 'away'] as const) {
    for (const app of apps) {
      const tableName = tableOf(running, circumstance, app);
      const store = dynamoStore({ tableName, aws: sdk({ dynamodb: running.engine.dynamo }) });
      const { doubled } = await operator({ store }).observed(app, { most: Number.MAX_SAFE_INTEGER });
      for (const { id, certain, perhaps } of doubled) reported.set(reportedKey(id), { certain, perhaps });
    }
  }
  return reported;
}

function tableOf({ engine }: Running, circumstance: Circumstance, app: AppName): string {
  return engine.stack('Observed').table(`${circumstance}-${app}/Claims`);
}

function unseenIn(line: string): string | undefined {
  try {
    const said: unknown = JSON.parse(line);
    return typeof said === 'object' && said !== null && 'unseen' in said ? reportedKey(String(said.unseen)) : undefined;
  } catch {
    return undefined;
  }
}
