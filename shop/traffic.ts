import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { deadLetteredOrders } from '../lib/rehearsal/dead-letters.ts';
import type { Progress } from '../lib/rehearsal/progress.ts';
import { createRandom } from '../lib/rehearsal/random.ts';
import type { QueueDepth } from '../lib/rehearsal/sqs-local.ts';
import { createStoreFaults } from '../lib/rehearsal/store-faults.ts';
import { bundleChanged, type Protection } from './changed-bundle.ts';
import { createFaults } from './faults.ts';
import type { EffectKind } from './ledger.ts';
import { decideSomeParked } from './operator.ts';
import { createPawlEvents } from './pawl-events.ts';
import { judgePayments } from './payments.ts';
import { createPlan, EFFECTS, planPayments, planRepayments } from './plan.ts';
import { sendOrders } from './producer.ts';
import { judgeRepayments, sendRepayments } from './repayments.ts';
import type { TrafficResult } from './report.ts';
import { type LocalStack, type OtherVersion, startStack } from './stack.ts';
import { judge } from './verdict.ts';

export interface TrafficOptions {
  readonly orders: number;
  /** Each is told of twice, by two processes at the same instant. */
  readonly payments: number;
  /** Requests to repay debts, over sets that overlap; each is sent twice. */
  readonly repayments: number;
  /** The share of orders that cost a sandbox its life, from 0 to 1. */
  readonly killShare: number;
  readonly seed: number;
  readonly protection: Protection;
  readonly progress: Progress;
  /** What the functions get as their timeout. @default 3 */
  readonly functionTimeoutSeconds?: number;
  /** When to give up waiting for the queues, from the start of the run. @default 110000, or 300 an order if that is more, and more by three times the share of kills */
  readonly deadlineMs?: number;
  /** Environment variables of all functions, in place of the app's. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Another version of the functions, which runs beside this one. */
  readonly other?: OtherVersion;
  /** When the stack is up, before anything is sent. */
  readonly onUp?: (stack: LocalStack) => void;
  /** When the queues are empty for the first time, while the processor may still be calling. Answers whether there are messages again, to be waited for. */
  readonly onDrained?: (stack: LocalStack) => Promise<boolean>;
  /** Every line that a sandbox prints. */
  readonly onLog?: (line: string, sandbox: string) => void;
}

/** Orders through the real app, with every kind of trouble there is, until its queues are empty. */
export async function runTraffic(options: TrafficOptions): Promise<TrafficResult> {
  const { progress, protection } = options;
  const begun = Date.now();
  const elapsed = () => Math.round((Date.now() - begun) / 100) / 10;
  const plan = createPlan(options);
  const orderIds = plan.map(({ order }) => order.orderId);
  const payments = planPayments({ ...options, orders: options.payments });
  const repayments = planRepayments(options.repayments, options.seed);
  const events = createPawlEvents();
  const storeFaults = createStoreFaults(createRandom(options.seed));
  const { faults, stats: faultStats } = createFaults(plan, storeFaults, payments, repayments);
  await using stack = await startStack({
    faults,
    onStarting: (what) => progress.update(`${what} …`),
    onLog(line, sandbox) {
      events.read(line);
      options.onLog?.(line, sandbox);
    },
    ...(options.functionTimeoutSeconds ? { functionTimeoutSeconds: options.functionTimeoutSeconds } : {}),
    ...(options.environment ? { environment: options.environment } : {}),
    ...(options.other ? { other: options.other } : {}),
    ...(protection === 'as-written' ? {} : { bundleFor: (source) => bundleChanged(source, protection) }),
  });
  options.onUp?.(stack);
  progress.update('sending the orders …');
  const sent = await sendOrders(stack, plan);
  await sendRepayments(stack, repayments);

  // Each kill costs a visibility timeout, and whoever waits for what was killed waits with it.
  const usualMs = Math.max(110_000, 300 * (options.orders + options.payments + options.repayments));
  const deadline = begun + (options.deadlineMs ?? usualMs * (1 + 3 * options.killShare));
  const { processor, callbackUrl } = stack.payments;
  const telling = processor.tell(callbackUrl, payments, deadline);
  const drained = () =>
    drain(stack, deadline, (state) => progress.update(`${elapsed().toFixed(0).padStart(3)} s   ${state}`));
  let left = await drained();
  if (await options.onDrained?.(stack)) left = await drained();
  const told = await telling;
  left += await drained();
  // Only emails are parked as a rule; a gift card in doubt is looked up by its consumer.
  const decided = left > 0 || protection !== 'as-written' ? [] : await decideSomeParked(stack, 'email');
  if (decided.length > 0) left = await drained();
  const repaid = await judgeRepayments(stack, repayments);
  const paid = await judgePayments(stack, payments, told);
  progress.end();

  const parked = await parkedClaims(stack);
  // SES has no effect keys, and 'retry' is for providers that have.
  const mayRepeat = (effect: EffectKind) => protection === 'retry' && effect === 'email';
  const verdictOn = async (effect: EffectKind) => {
    const url = stack.consumers[effect].deadLetterQueue?.url;
    const deadLettered = url === undefined ? new Set<string>() : await deadLetteredOrders(stack.sqs.client, url);
    return judge(effect, orderIds, stack.ledger, { parkedClaims: parked, deadLettered, left }, mayRepeat(effect));
  };
  const consumers = EFFECTS.map((effect) => stack.consumers[effect]);
  const total = (pick: (consumer: (typeof consumers)[number]) => number) =>
    consumers.reduce((sum, consumer) => sum + pick(consumer), 0);
  return {
    orders: options.orders,
    messages: sent.messages,
    producerDuplicates: sent.duplicates,
    sqsRedeliveries: faultStats.redeliveries,
    providerFaults: faultStats.providerFaults,
    storeFaults: faultStats.store,
    deliveries: total(({ stats }) => stats.deliveries),
    batches: total(({ stats }) => stats.batches),
    suppressed: events.count('replayed', 'repeated'),
    deferred: events.count('deferred'),
    takeovers: events.count('taken-over'),
    verdicts: events.verdicts(),
    decided,
    deadLettered: await deadLettered(stack),
    sandboxes: { ...stack.sandboxes },
    emails: await verdictOn('email'),
    giftCards: await verdictOn('gift-card'),
    payments: paid,
    repayments: repaid,
    left,
    protection,
    killShare: options.killShare,
    seed: options.seed,
    seconds: elapsed(),
  };
}

/** Waits until the queues are empty or the time is up. Answers how many messages are left. */
async function drain(stack: LocalStack, deadline: number, show: (state: string) => void): Promise<number> {
  for (;;) {
    const queues = [
      ...EFFECTS.map((effect) => stack.consumers[effect]),
      stack.payments.consumer,
      stack.repayments.consumer,
    ];
    const depths = await Promise.all(queues.map(({ queue }) => stack.sqs.depth(queue.name)));
    const sum = (pick: (depth: QueueDepth) => number) => depths.reduce((total, depth) => total + pick(depth), 0);
    const left = sum(({ ready, delayed, inFlight }) => ready + delayed + inFlight);
    if (left === 0 || Date.now() >= deadline) return left;
    const done = (effect: EffectKind) => stack.ledger.countByOrder(effect).size;
    const busy = sum(({ ready }) => ready) > 0 || stack.sandboxes.busy > 0;
    show(
      `${done('email')} emails   ${done('gift-card')} gift cards   ${stack.sandboxes.killed} sandboxes killed   ` +
        `${left} messages ${busy ? 'to go' : 'waiting to become visible again'}`,
    );
    await sleep(250);
  }
}

async function parkedClaims(stack: LocalStack): Promise<ReadonlySet<string>> {
  const client = DynamoDBDocumentClient.from(stack.dynamo);
  const parked = new Set<string>();
  const scan = { TableName: stack.claimsTable, ConsistentRead: true };
  for await (const { Items = [] } of paginateScan({ client }, scan)) {
    for (const item of Items) if (item['status'] === 'parked') parked.add(String(item['id']));
  }
  return parked;
}

async function deadLettered(stack: LocalStack): Promise<number> {
  // Consumers may share a dead-letter queue.
  const names = new Set(EFFECTS.map((effect) => stack.consumers[effect].deadLetterQueue?.name));
  const depths = await Promise.all([...names].map((name) => (name === undefined ? undefined : stack.sqs.depth(name))));
  return depths.reduce(
    (sum, depth) => sum + (depth === undefined ? 0 : depth.ready + depth.delayed + depth.inFlight),
    0,
  );
}
