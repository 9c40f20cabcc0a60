import { DeleteMessageCommand, type Message, SendMessageCommand } from '@aws-sdk/client-sqs';
import { bundleOther, type Protection } from '../../../lib/local/changed-bundle.ts';
import { receiveDeadLetters } from '../../../lib/local/dead-letters.ts';
import { EFFECTS } from '../../../lib/local/plan.ts';
import type { Progress } from '../../../lib/local/progress.ts';
import { createRandom } from '../../../lib/local/random.ts';
import { isGood, type TrafficResult } from '../../../lib/local/report.ts';
import type { LocalStack, StackConsumer } from '../../../lib/local/stack.ts';
import { runTraffic } from '../../../lib/local/traffic.ts';

/** Which way the traffic goes. */
export type Direction = 'forward' | 'rollback';

export interface DeploymentOptions {
  readonly direction: Direction;
  readonly protection: Exclude<Protection, 'none'>;
  /** The folder of the older version. */
  readonly older: string;
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
  /** Times that the older version met a record that it does not know. */
  readonly refusals: number;
  readonly lost: number;
  readonly doubled: number;
  readonly left: number;
  readonly isGood: boolean;
  readonly seconds: number;
}

/** What the functions of the older version say about a record of a later schema. */
const REFUSAL = "is no claim of pawl's schema";

/**
 * Traffic while the functions go from one version to the other: a third of the effects with the first, a third with both, and the
 * rest with the second. Then the newer version alone gets what SQS had moved to the dead-letter queues meanwhile.
 */
export async function runDeployment(options: DeploymentOptions): Promise<DeploymentResult> {
  const { direction, older, protection, progress, seed } = options;
  const random = createRandom(seed ^ 0x76_65_72);
  const effects = EFFECTS.length * options.orders;
  let stack: LocalStack | undefined;
  let isOver = false;
  let refusals = 0;
  const set = { aside: 0, done: 0 };

  /** The share of invocations that the older version gets now. */
  function olderShare(): number {
    if (isOver) return 0;
    const done = EFFECTS.reduce((sum, effect) => sum + (stack?.ledger.countByOrder(effect).size ?? 0), 0) / effects;
    const phase = done < 1 / 3 ? 0 : done < 2 / 3 ? 0.5 : 1;
    return direction === 'forward' ? 1 - phase : phase;
  }

  const result = await runTraffic({
    ...options,
    // What the older version cannot read comes back until SQS has moved it away: some visibility timeouts and back-offs.
    deadlineMs: 300_000,
    payments: Math.round(options.orders / 3),
    repayments: 8,
    other: {
      bundleFor: (source) => bundleOther(older, source, protection),
      takesNext: () => random.chance(olderShare()),
    },
    onUp: (running) => {
      stack = running;
    },
    async onDrained(running) {
      isOver = true;
      const redriven = await redriveAll(running);
      set.aside = redriven.messages;
      set.done = redriven.done;
      progress.update(`${redriven.messages} messages redriven to the newer version …`);
      return redriven.messages > 0;
    },
    onLog(line) {
      if (line.includes(REFUSAL)) refusals += 1;
    },
  });
  return {
    direction,
    protection,
    seed,
    killed: result.sandboxes.killed,
    deadLettered: set.aside,
    deadLetteredDone: set.done,
    refusals,
    lost: count(result, 'lost') + result.payments.drift.length + result.repayments.wanted - result.repayments.repaid,
    doubled: count(result, 'doubled') + result.repayments.repaidTwice.length,
    left: result.left,
    isGood: isGood(result),
    seconds: result.seconds,
  };
}

function count(result: TrafficResult, which: 'lost' | 'doubled'): number {
  return result.emails[which].length + result.giftCards[which].length;
}

/** Sends back what SQS moved to the dead-letter queues. What pawl put there has a reason, and stays. */
async function redriveAll(stack: LocalStack): Promise<{ readonly messages: number; readonly done: number }> {
  const { consumers, payments, repayments, ledger } = stack;
  let messages = 0;
  let done = 0;
  for (const consumer of [...Object.values(consumers), payments.consumer, repayments.consumer]) {
    const moved = (await movedBySqs(stack, consumer)).filter(
      ({ MessageAttributes }) => !MessageAttributes?.['pawl-reason'],
    );
    for (const { Body: MessageBody, MessageAttributes, ReceiptHandle } of moved) {
      await stack.sqs.client.send(
        new SendMessageCommand({ QueueUrl: consumer.queue.url, MessageBody, MessageAttributes }),
      );
      const QueueUrl = consumer.deadLetterQueue?.url;
      await stack.sqs.client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    }
    messages += moved.length;
    const effect = EFFECTS.find((name) => consumers[name] === consumer);
    if (effect === undefined) continue;
    const happened = ledger.countByOrder(effect);
    done += moved.filter(({ Body }) => [...happened.keys()].some((orderId) => Body?.includes(`"${orderId}"`))).length;
  }
  return { messages, done };
}

async function movedBySqs(stack: LocalStack, { deadLetterQueue }: StackConsumer): Promise<readonly Message[]> {
  return deadLetterQueue === undefined ? [] : receiveDeadLetters(stack.sqs.client, deadLetterQueue.url);
}
