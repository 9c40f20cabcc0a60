import { drainQueues, messagesIn } from '../../lib/rehearsal/drain.ts';
import { createDynamoDbFaults } from '../../lib/rehearsal/dynamodb-faults.ts';
import { readClaims } from '../../lib/rehearsal/pawl/claims-table.ts';
import { createPawlEvents, type PawlEvents } from '../../lib/rehearsal/pawl/events.ts';
import type { Progress } from '../../lib/rehearsal/progress.ts';
import { createRandom } from '../../lib/rehearsal/random.ts';
import { EFFECTS } from '../app/app-functions.ts';
import { type OtherShop, type Shop, type ShopOptions, startShop } from '../app/start.ts';
import { createFaults, type FaultStats } from '../faults/faults.ts';
import { type PlannedMisstatements, planMisstatements } from '../plan/misstatements.ts';
import {
  createPlan,
  type PlannedOrder,
  type PlannedPayment,
  type PlannedRepayment,
  planPayments,
  planRepayments,
} from '../plan/plan.ts';
import { bundleChanged, type Protection } from '../protection/changed-bundle.ts';
import type { Callbacks } from '../providers/callbacks.ts';
import type { EffectKind } from '../providers/ledger.ts';
import { stopwatch } from '../stopwatch.ts';
import { deadLetteredOrders } from './dead-letters.ts';
import { type Decided, decideSomeParked } from './operator.ts';
import { judgePayments } from './payments.ts';
import { type Sent, sendOrders } from './producer.ts';
import { judgeRepayments, sendRepayments } from './repayments.ts';
import type { TrafficResult } from './traffic-result.ts';
import { type EffectVerdict, judge } from './verdict.ts';

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
  readonly progress: Progress;
  /** The timeout of the functions. @default 3 */
  readonly functionTimeoutSeconds?: number;
  /** When to give up waiting for the queues, from the start of the run. @default 110000, or 300 an order if that is more, and more by three times the share of kills */
  readonly deadlineMs?: number;
  /** Environment variables of all functions, in place of the app's. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The bundles of the functions. @default those that would be deployed, changed for `protection` */
  readonly bundleFor?: ShopOptions['bundleFor'];
  /** Another version of the functions, which runs beside this one. */
  readonly other?: OtherShop;
  /** Called when the shop is up, before anything is sent. */
  readonly onUp?: (shop: Shop) => void | Promise<void>;
  /** Called when the queues are empty for the first time, while the processor may still be calling. Returns whether there are messages again, to be waited for. */
  readonly onDrained?: (shop: Shop) => Promise<boolean>;
  /** Called with the result while the shop is still up, which ends after it. */
  readonly onResult?: (result: TrafficResult) => Promise<void>;
  /** Gets every line that a sandbox prints. */
  readonly onLog?: (line: string, sandbox: string) => void;
}

/** What is planned for a run. */
interface Plan {
  readonly orders: readonly PlannedOrder[];
  readonly payments: readonly PlannedPayment[];
  readonly repayments: readonly PlannedRepayment[];
  readonly misstatements: PlannedMisstatements;
}

/** A run, once the shop is up. */
interface Run {
  readonly options: TrafficOptions;
  readonly plan: Plan;
  readonly shop: Shop;
  readonly events: PawlEvents;
  /** When to give up, in epoch milliseconds. */
  readonly deadline: number;
  /** Seconds since the start. */
  readonly elapsed: () => number;
}

/** What happened until the queues were empty. */
interface Settled {
  readonly sent: Sent;
  readonly callbacks: Callbacks;
  readonly decided: readonly Decided[];
  /** Messages that were still on their queues when the time was up. */
  readonly left: number;
}

/** Orders through the real app, with every kind of trouble there is, until its queues are empty. */
export async function runTraffic(options: TrafficOptions): Promise<TrafficResult> {
  const { progress, seed } = options;
  const elapsed = stopwatch();
  const deadline = Date.now() + deadlineMsOf(options);
  const payments = planPayments({ ...options, orders: options.payments });
  // Without pawl there are no claims to compare, and those of another version may not wait for a statement.
  const isCompared = options.protection !== 'none' && options.other === undefined;
  const plan: Plan = {
    orders: createPlan(options),
    payments,
    misstatements: planMisstatements(isCompared ? payments : []),
    repayments: planRepayments(options.repayments, seed),
  };
  const events = createPawlEvents();
  const { faults, stats } = createFaults(plan, createDynamoDbFaults(createRandom(seed)));
  await using shop = await startShop({ faults, ...shopOptions(options, events) });
  await options.onUp?.(shop);
  const run: Run = { options, plan, shop, events, deadline, elapsed };
  const settled = await settle(run);
  const result = await resultOf(run, settled, stats());
  progress.end();
  await options.onResult?.(result);
  return result;
}

/** Each kill costs a visibility timeout, and what waits for the killed worker waits with it. */
function deadlineMsOf({ deadlineMs, orders, payments, repayments, killShare }: TrafficOptions): number {
  return deadlineMs ?? Math.max(110_000, 300 * (orders + payments + repayments)) * (1 + 3 * killShare);
}

function shopOptions(options: TrafficOptions, events: PawlEvents): ShopOptions {
  const { progress, functionTimeoutSeconds, environment, other, onLog } = options;
  const bundleFor = options.bundleFor ?? bundlesUnder(options.protection);
  return {
    onStarting: (what) => progress.update(`${what} …`),
    onLog(line, sandbox) {
      events.read(line);
      onLog?.(line, sandbox);
    },
    ...(functionTimeoutSeconds ? { functionTimeoutSeconds } : {}),
    ...(environment ? { environment } : {}),
    ...(other ? { other } : {}),
    ...(bundleFor ? { bundleFor } : {}),
  };
}

function bundlesUnder(protection: Protection): ShopOptions['bundleFor'] {
  return protection === 'as-written' ? undefined : (source) => bundleChanged(source, protection);
}

/** Sends everything, and waits until the queues are empty and every callback has its response, or the time is up. */
async function settle(run: Run): Promise<Settled> {
  const { options, plan, shop, deadline } = run;
  options.progress.update('sending the orders …');
  const sent = await sendOrders(shop, plan.orders);
  await sendRepayments(shop, plan.repayments);
  const { processor, callbackUrl } = shop.payments;
  processor.misstate(plan.misstatements);
  const reporting = processor.report(callbackUrl, plan.payments, deadline);
  let left = await drain(run);
  if (await options.onDrained?.(shop)) left = await drain(run);
  const callbacks = await reporting;
  left += await drain(run);
  // As a rule only emails are parked: the consumer of gift cards looks up what is in doubt.
  const decided = left > 0 || options.protection !== 'as-written' ? [] : await decideSomeParked(shop, 'email');
  if (decided.length > 0) left = await drain(run);
  return { sent, callbacks, decided, left };
}

/** Waits until the queues are empty or the time is up. Returns how many messages are left. */
async function drain({ shop, deadline, elapsed, options: { progress } }: Run): Promise<number> {
  const { consumers, payments, repayments, sandboxes, sqs, ledger } = shop;
  const all = [...EFFECTS.map((effect) => consumers[effect]), payments.consumer, repayments.consumer];
  const done = (effect: EffectKind) => ledger.countByOrder(effect).size;
  return drainQueues({
    depths: () => Promise.all(all.map(({ queue }) => sqs.depth(queue.name))),
    until: deadline,
    onLook({ left, ready }) {
      const busy = ready > 0 || sandboxes.busy > 0;
      progress.update(
        `${elapsed().toFixed(0).padStart(3)} s   ${done('email')} emails   ${done('gift-card')} gift cards   ` +
          `${sandboxes.killed} sandboxes killed   ${left} messages ${busy ? 'to go' : 'waiting to become visible again'}`,
      );
    },
  });
}

/** Asks the providers, the tables and the dead-letter queues what became of everything. */
async function resultOf(
  run: Run,
  { sent, callbacks, decided, left }: Settled,
  faults: FaultStats,
): Promise<TrafficResult> {
  const { options, plan, shop, events, elapsed } = run;
  const consumers = EFFECTS.map((effect) => shop.consumers[effect]);
  const total = (pick: (consumer: (typeof consumers)[number]) => number) =>
    consumers.reduce((sum, consumer) => sum + pick(consumer), 0);
  const verdicts = await verdictsOn(run, left);
  return {
    orders: options.orders,
    messages: sent.messages,
    producerDuplicates: sent.duplicates,
    sqsRedeliveries: faults.redeliveries,
    providerFaults: faults.providerFaults,
    storeFaults: faults.store,
    deliveries: total(({ stats }) => stats.deliveries),
    batches: total(({ stats }) => stats.batches),
    suppressed: events.count('replayed', 'repeated'),
    deferred: events.count('deferred'),
    takeovers: events.count('taken-over'),
    verdicts: events.verdicts(),
    decided,
    deadLettered: await countDeadLetters(shop),
    sandboxes: { ...shop.sandboxes },
    ...verdicts,
    payments: await judgePayments(shop.payments, plan.payments, callbacks, plan.misstatements.toBeFound),
    repayments: await judgeRepayments(shop, plan.repayments),
    left,
    protection: options.protection,
    killShare: options.killShare,
    seed: options.seed,
    seconds: elapsed(),
  };
}

async function verdictsOn(
  { options, plan, shop }: Run,
  left: number,
): Promise<{ readonly emails: EffectVerdict; readonly giftCards: EffectVerdict }> {
  const { parked } = await readClaims(shop.dynamo, shop.claimsTable);
  const orderIds = plan.orders.map(({ order }) => order.orderId);
  const verdictOn = async (effect: EffectKind) => {
    const url = shop.consumers[effect].deadLetterQueue?.url;
    const deadLettered = url === undefined ? new Set<string>() : await deadLetteredOrders(shop.sqs.client, url);
    // SES has no effect keys, and 'retry' is for providers that have.
    const mayRepeat = options.protection === 'retry' && effect === 'email';
    return judge(effect, orderIds, shop.ledger, { parkedClaims: parked, deadLettered, left }, mayRepeat);
  };
  return { emails: await verdictOn('email'), giftCards: await verdictOn('gift-card') };
}

async function countDeadLetters({ consumers, sqs }: Shop): Promise<number> {
  // Consumers may share a dead-letter queue.
  const names = new Set(EFFECTS.flatMap((effect) => consumers[effect].deadLetterQueue?.name ?? []));
  const depths = await Promise.all([...names].map((name) => sqs.depth(name)));
  return depths.reduce((sum, depth) => sum + messagesIn(depth), 0);
}
