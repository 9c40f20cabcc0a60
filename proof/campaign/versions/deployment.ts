import { DeleteMessageCommand, type Message, SendMessageCommand } from '@aws-sdk/client-sqs';
import { record } from '../../../lib/rehearsal/engine/app/template.ts';
import { createRandom } from '../../../lib/rehearsal/engine/random.ts';
import type { Progress } from '../../../lib/rehearsal/progress.ts';
import type { Poller } from '../../../lib/rehearsal/rehearsal.ts';
import { operationOf, shopEffects } from '../../../shop/app/app-functions.ts';
import type { Shop } from '../../../shop/app/shop.ts';
import type { Protection } from '../../../shop/protection/changed-bundle.ts';
import { receiveDeadLetters } from '../../../shop/traffic/dead-letters.ts';
import { runTraffic } from '../../../shop/traffic/traffic.ts';
import { isGood, type TrafficResult } from '../../../shop/traffic/traffic-result.ts';
import type { PackedVersion } from './packed.ts';

/** Which way the traffic goes. */
export type Direction = 'forward' | 'rollback';

export interface DeploymentOptions {
  readonly direction: Direction;
  readonly protection: Exclude<Protection, 'none'>;
  readonly older: PackedVersion;
  readonly newer: PackedVersion;
  readonly orders: number;
  readonly killShare: number;
  readonly seed: number;
  readonly progress: Progress;
}

/** What a deployment, or a rollback, did under load. */
export interface DeploymentResult {
  readonly direction: Direction;
  readonly protection: Protection;
  readonly seed: number;
  readonly killed: number;
  /** Messages that SQS had moved to a dead-letter queue when the queues were empty: received too often, and never confirmed. */
  readonly deadLettered: number;
  /** Of those: their effect had happened already. */
  readonly deadLetteredDone: number;
  /** Of those: the older version had met a record under their key that it does not know. */
  readonly deadLetteredByOlder: number;
  /** Times that the older version met a record that it does not know. */
  readonly refusals: number;
  /** Invocations that were stopped at their timeout: on a busy machine there are some, and they use up receives too. */
  readonly timedOut: number;
  readonly lost: number;
  readonly doubled: number;
  /** Effects that wait for the operator's decision, under `park`. */
  readonly parked: number;
  /** Effects that have not happened, and whose message pawl put into a dead-letter queue with its reason. */
  readonly setAside: number;
  /** Messages that were still on their queues when the time was up. */
  readonly left: number;
  readonly isGood: boolean;
  readonly seconds: number;
}

/** A deployment shifts its traffic within a minute. */
const longestMixMs = 45_000;

/** What the functions of the older version say about a record of a later schema. */
const refusal = 'the record under this key is left alone';

/**
 * Traffic while the functions go from one version to the other: a third of the effects with the first, a third with both, and the
 * rest with the second. Then the newer version alone gets what SQS had moved to the dead-letter queues meanwhile.
 */
export async function runDeployment(options: DeploymentOptions): Promise<DeploymentResult> {
  const { direction, older, newer, protection, progress, seed } = options;
  const random = createRandom(seed ^ 0x76_65_72);
  const effects = shopEffects.length * options.orders;
  let shop: Shop | undefined;
  let isOver = false;
  let refusals = 0;
  let mixedSince: number | undefined;
  /** The claims of which the older version met a record that it does not know. */
  const refused = new Set<string>();
  const redriven = { messages: 0, done: 0, refused: 0 };

  /** The share of invocations that the older version gets now. */
  function olderShare(): number {
    if (isOver) return 0;
    const done = shopEffects.reduce((sum, effect) => sum + (shop?.ledger.countByOrder(effect).size ?? 0), 0) / effects;
    if (done >= 1 / 3) mixedSince ??= Date.now();
    const isMixed = done < 2 / 3 && Date.now() - (mixedSince ?? 0) < longestMixMs;
    const phase = mixedSince === undefined ? 0 : isMixed ? 0.5 : 1;
    return direction === 'forward' ? 1 - phase : phase;
  }

  const result = await runTraffic({
    ...options,
    // Long enough that a busy machine does not stop invocations on its own account: those use up receives too.
    functionTimeoutSeconds: 8,
    // What the older version refuses comes back until its receives are used up: not hours apart, as it would be in an account. Each back-off is
    // three times as long as the one before, and an email has 15 receives: these are 1 s each, and the last two 3 s and 10 s.
    environment: { BACKOFF_SECONDS: '0.000002' },
    // Those receives, some visibility timeouts, and a busy machine.
    deadlineMs: 480_000,
    payments: Math.round(options.orders / 3),
    repayments: 8,
    bundleFor: (source) => newer.bundle(source, protection),
    other: {
      bundleFor: async (source) => older.bundle(source, protection),
      takesNext: () => random.chance(olderShare()),
    },
    onUp: (running) => {
      shop = running;
    },
    async onDrained(running) {
      isOver = true;
      Object.assign(redriven, await redriveAll(running, refused));
      progress.update(`${redriven.messages} messages redriven to the newer version …`);
      return redriven.messages > 0;
    },
    onLog(line) {
      if (!line.includes(refusal)) return;
      refusals += 1;
      for (const [id] of line.matchAll(/[a-z-]+#[\w-]+/g)) refused.add(id);
    },
  });
  return {
    direction,
    protection,
    seed,
    killed: result.sandboxes.killed,
    deadLettered: redriven.messages,
    deadLetteredDone: redriven.done,
    deadLetteredByOlder: redriven.refused,
    refusals,
    timedOut: result.sandboxes.timedOut,
    lost: count(result, 'lost') + result.payments.drift.length + result.repayments.wanted - result.repayments.repaid,
    doubled: count(result, 'doubled') + result.repayments.repaidTwice.length,
    parked: count(result, 'parked'),
    setAside: count(result, 'setAside'),
    left: result.left,
    isGood: isGood(result),
    seconds: result.seconds,
  };
}

function count(result: TrafficResult, which: 'lost' | 'doubled' | 'parked' | 'setAside'): number {
  return result.emails[which].length + result.giftCards[which].length;
}

/** The operation of a consumer, and the field of its messages that is their key. */
type Consumed = readonly [consumer: Poller, operation: string, key: string];

/** Sends back what SQS moved to the dead-letter queues. What pawl put there has a reason, and stays. */
async function redriveAll(shop: Shop, refused: ReadonlySet<string>) {
  const { consumers, payments, repayments, ledger } = shop;
  const all: readonly Consumed[] = [
    ...shopEffects.map((effect): Consumed => [consumers[effect], operationOf[effect], 'orderId']),
    [payments.consumer, 'post-payment', 'paymentId'],
    [repayments.consumer, 'repay-debts', 'requestId'],
  ];
  const counts = { messages: 0, done: 0, refused: 0 };
  for (const [consumer, operation, key] of all) {
    const effect = shopEffects.find((name) => consumers[name] === consumer);
    const happened = effect && ledger.countByOrder(effect);
    for (const { Body: MessageBody = '', MessageAttributes, ReceiptHandle } of await movedBySqs(shop, consumer)) {
      await shop.sqs.client.send(
        new SendMessageCommand({ QueueUrl: consumer.queue.url, MessageBody, MessageAttributes }),
      );
      const QueueUrl = consumer.deadLetterQueue?.url;
      await shop.sqs.client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
      const value = String(record(JSON.parse(MessageBody))[key]);
      counts.messages += 1;
      if (happened?.has(value)) counts.done += 1;
      if (refused.has(`${operation}#${value}`)) counts.refused += 1;
    }
  }
  return counts;
}

async function movedBySqs(shop: Shop, { deadLetterQueue }: Poller): Promise<readonly Message[]> {
  if (deadLetterQueue === undefined) return [];
  const all = await receiveDeadLetters(shop.sqs.client, deadLetterQueue.url);
  return all.filter(({ MessageAttributes }) => MessageAttributes?.['pawl-reason'] === undefined);
}
