import { plural } from '../../lib/pawl/kernel/plural.ts';
import type { ServedHooks } from '../../lib/rehearsal/command/console.ts';
import type { Machine } from '../../lib/rehearsal/engine/machine.ts';
import { createRandom } from '../../lib/rehearsal/engine/random.ts';
import { messagesIn } from '../../lib/rehearsal/engine/servers/sqs-local.ts';
import { sayLeft } from '../../lib/rehearsal/file/failing.ts';
import type { RehearsalResult } from '../../lib/rehearsal/file/result.ts';
import { runRehearsal } from '../../lib/rehearsal/file/run.ts';
import type { Look, Running } from '../../lib/rehearsal/file/running.ts';
import type { Progress } from '../../lib/rehearsal/progress.ts';
import { shopEffects } from '../app/app-functions.ts';
import { shopApp } from '../app/project.ts';
import { type BundleFor, deliveriesBy, type OtherShop, type Shop, shopOf, versionsOf } from '../app/shop.ts';
import { createDynamoDbFaults } from '../faults/dynamodb-faults.ts';
import { createFaults, type FaultStats } from '../faults/faults.ts';
import { planChain } from '../plan/chain-plan.ts';
import { planMisstatements } from '../plan/misstatements.ts';
import { createPlan, planPayments, planRepayments } from '../plan/plan.ts';
import { createPostgresFaults } from '../postgres/faults.ts';
import { bundlesOverPostgres } from '../postgres/functions.ts';
import { postgresReads } from '../postgres/reads.ts';
import { postgresRecords } from '../postgres/records.ts';
import { type ShopPostgres, startShopPostgres } from '../postgres/store.ts';
import { bundleChanged, type Protection, type Store } from '../protection/changed-bundle.ts';
import { createLedger } from '../providers/ledger.ts';
import { createProcessor } from '../providers/processor.ts';
import {
  chainEffectOf,
  effectOf,
  type Found,
  type RehearsedShop,
  shopRehearsal,
  type TrafficPlan,
} from '../rehearsal.ts';
import { createPawlEvents, type PawlEvents } from './pawl-events.ts';
import type { TrafficResult } from './traffic-result.ts';

export interface TrafficOptions {
  readonly orders: number;
  /** The processor sends two callbacks for each, from two processes at the same instant. */
  readonly payments: number;
  /** Requests to repay debts, over sets that overlap. Each is sent twice. */
  readonly repayments: number;
  /** The share of orders that cost a sandbox its life, from 0 to 1. */
  readonly killShare: number;
  readonly seed: number;
  readonly protection: Protection;
  /** Where the functions keep claims, locks and data. @default 'dynamodb' */
  readonly store?: Store;
  readonly progress: Progress;
  /** The timeout of the functions. @default 3 */
  readonly functionTimeoutSeconds?: number;
  /** When the processor gives up, from the first message on; and then the run, from the last one on. @default 110000, or 300 an order if that is more, and more by three times the share of kills */
  readonly deadlineMs?: number;
  /** Whether DynamoDB has no bad day. @default false */
  readonly isStoreHealthy?: boolean;
  /** Environment variables of all functions, in place of the app's. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The bundles of the functions. @default those that would be deployed, changed for `protection` */
  readonly bundleFor?: BundleFor;
  /** Another version of the functions, which runs beside this one. */
  readonly other?: OtherShop;
  /** Called when the shop is up, before anything is sent. */
  readonly onUp?: (shop: Shop, running: Running) => void | Promise<void>;
  /** Called when all is quiet for the first time. Returns whether there are messages again, to be waited for. */
  readonly onDrained?: (shop: Shop) => Promise<boolean>;
  /** Called with the result while the shop is still up, which ends after it. */
  readonly onResult?: (result: TrafficResult) => Promise<void>;
  /** An order, a payment or a debt whose story is told, whatever became of it. @default none */
  readonly story?: string | undefined;
  /** Says how much time the machine gave. @default what this machine says */
  readonly machine?: Machine;
  /** Gets every line that a sandbox prints. */
  readonly onLog?: (line: string, sandbox: string) => void;
  /** The page that shows the run. @default none */
  readonly page?: ServedHooks;
}

/** Orders through the real app, with every kind of trouble there is, until its queues are empty: a rehearsal of the shop. */
export async function runTraffic(options: TrafficOptions): Promise<TrafficResult> {
  if (options.store !== 'postgres') return runOver(options);
  options.progress.update('starting PostgreSQL …');
  await using postgres = await startShopPostgres();
  return await runOver(options, postgres);
}

async function runOver(options: TrafficOptions, postgres?: ShopPostgres): Promise<TrafficResult> {
  const { progress, seed, story, onLog, page } = options;
  const plan = planOf(options);
  const events = createPawlEvents();
  const random = createRandom(seed);
  const { faults, stats } = postgres
    ? createFaults(plan, createPostgresFaults(random), postgresReads)
    : createFaults(plan, options.isStoreHealthy ? { stats: {}, hooks: {} } : createDynamoDbFaults(random));
  const { provider, chain, delivery, store, ...atServices } = faults;
  const up: { shop?: Shop; result?: TrafficResult } = {};
  const run: RehearsedShop & TrafficOptions = {
    ...options,
    ...(postgres && {
      environment: { ...options.environment, ...postgres.environment },
      postgres: postgres.pool,
    }),
    plan,
    ledger: createLedger(),
    processor: createProcessor(),
    deadlineMs: deadlineMsOf(options),
    shop: () => expectUp(up.shop),
  };
  const { rehearsal, found } = shopRehearsal(run);
  await runRehearsal(rehearsal, {
    app: shopApp,
    seed,
    story,
    ...(options.machine ? { machine: options.machine } : {}),
    faults: {
      ...(postgres ? {} : { dynamodb: store }),
      sqs: atServices.sqs,
      eventbridge: atServices.eventbridge,
      eventDelivery: atServices.eventDelivery,
      delivery: deliveriesBy(delivery),
      provider(intent, name) {
        const effect = effectOf(name);
        if (effect !== undefined) return provider(effect, intent);
        const behind = chainEffectOf(name);
        return behind && chain(behind, intent);
      },
    },
    ...(postgres
      ? bundlesOverPostgres(options.protection)
      : versionsOf(options.bundleFor ?? bundlesUnder(options.protection), options.other)),
    onStarting(what) {
      progress.update(`${what} …`);
      page?.onStarting(what);
    },
    onLook(look) {
      progress.update(lookLine(look, run.shop()));
      page?.onLook(look);
    },
    onLog(line, sandbox) {
      events.read(line);
      onLog?.(line, sandbox);
      page?.onLog(line, sandbox);
    },
    async onUp(running) {
      up.shop = shopOf(running.engine, run, postgres && postgresRecords(postgres.pool));
      postgres?.disturb(running, store);
      await page?.onUp(running);
      await options.onUp?.(up.shop, running);
    },
    async onResult(rehearsed) {
      up.result = await resultOf(run, { rehearsed, found: found(), faults: stats(), events });
      progress.end();
      page?.onResult(rehearsed);
      await options.onResult?.(up.result);
    },
  });
  return expectUp(up.result);
}

function expectUp<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('the shop is not up');
  return part;
}

function planOf(options: TrafficOptions): TrafficPlan {
  const payments = planPayments({ ...options, orders: options.payments });
  const chain = planChain(payments, options);
  // Without pawl there are no claims to compare, and those of another version may not wait for a statement.
  const isCompared = options.protection !== 'none' && options.other === undefined;
  return {
    orders: createPlan(options),
    payments,
    // Without pawl there is no outbox, and no relay that could send what its worker cannot.
    chain: options.protection === 'none' ? chain.filter(({ sending }) => sending?.by !== 'relay') : chain,
    misstatements: planMisstatements(isCompared ? payments : []),
    repayments: planRepayments(options.repayments, options.seed),
  };
}

/** Each kill costs a visibility timeout, and what waits for the killed worker waits with it. */
function deadlineMsOf({ deadlineMs, orders, payments, repayments, killShare }: TrafficOptions): number {
  return deadlineMs ?? Math.max(110_000, 300 * (orders + payments + repayments)) * (1 + 3 * killShare);
}

function bundlesUnder(protection: Protection): BundleFor | undefined {
  return protection === 'as-written' ? undefined : (source) => bundleChanged(source, protection);
}

function lookLine({ seconds, ...look }: Look, { ledger, sandboxes }: Shop): string {
  const [emails, cards] = shopEffects.map((effect) => ledger.countByOrder(effect).size);
  return (
    `${seconds.toFixed(0).padStart(3)} s   ${emails} emails   ${cards} gift cards   ` +
    `${plural(sandboxes.killed, 'sandbox', 'sandboxes')} killed   ${sayLeft(look)}`
  );
}

/** What a run has to say, from all who saw it. */
interface Seen {
  readonly rehearsed: RehearsalResult;
  readonly found: Found;
  readonly faults: FaultStats;
  readonly events: PawlEvents;
}

async function resultOf(
  { plan, shop: running, protection, ...options }: RehearsedShop & TrafficOptions,
  { rehearsed, found, faults, events }: Seen,
): Promise<TrafficResult> {
  const shop = running();
  const consumers = shopEffects.map((effect) => shop.consumers[effect]);
  const total = (pick: (consumer: (typeof consumers)[number]) => number) =>
    consumers.reduce((sum, consumer) => sum + pick(consumer), 0);
  const duplicates = plan.orders.flatMap(({ effects }) =>
    shopEffects.filter((effect) => effects[effect].sentAgainAfterSeconds !== undefined),
  ).length;
  return {
    orders: plan.orders.length,
    messages: shopEffects.length * plan.orders.length + duplicates,
    producerDuplicates: duplicates,
    sqsRedeliveries: faults.redeliveries,
    providerFaults: faults.providerFaults,
    storeFaults: faults.store,
    relaysKilled: faults.relaysKilled,
    spared: faults.spared,
    deliveries: total(({ stats }) => stats.deliveries),
    batches: total(({ stats }) => stats.batches),
    suppressed: events.count('replayed', 'repeated'),
    deferred: events.count('deferred'),
    takeovers: events.count('taken-over'),
    verdicts: events.verdicts(),
    deadLettered: await countDeadLetters(shop),
    sandboxes: { ...shop.sandboxes },
    ...found,
    rehearsed,
    left: rehearsed.left,
    protection,
    store: options.store ?? 'dynamodb',
    killShare: options.killShare,
    seed: options.seed,
    seconds: Math.round(rehearsed.seconds * 10) / 10,
  };
}

async function countDeadLetters({ consumers, sqs }: Shop): Promise<number> {
  // Consumers may share a dead-letter queue.
  const names = new Set(shopEffects.flatMap((effect) => consumers[effect].deadLetterQueue?.name ?? []));
  const depths = await Promise.all([...names].map((name) => sqs.depth(name)));
  return depths.reduce((sum, depth) => sum + messagesIn(depth), 0);
}
