import { setTimeout as sleep } from 'node:timers/promises';
import { messagesIn } from '../../lib/rehearsal/engine/servers/sqs-local.ts';
import { readClaims } from '../../lib/rehearsal/pawl/claims-table.ts';
import { constructOf, operationOf, shopEffects } from '../app/app-functions.ts';
import type { PlannedOrder } from '../plan/plan.ts';
import type { EffectKind, Ledger } from '../providers/ledger.ts';
import { deadLetteredOrders } from '../traffic/dead-letters.ts';
import { type OrderQueues, type Sent, sendOrders } from '../traffic/producer.ts';
import { type EffectVerdict, judge } from '../traffic/verdict.ts';
import { type Deployed, nameOf, type Part } from './part.ts';
import { thirdOf } from './plan.ts';

const betweenOrdersMs = 1_500;

/** What became of the orders. */
export interface OrdersVerdict {
  readonly orders: number;
  readonly messages: number;
  /** How many of them were a second or third message for the same effect. */
  readonly duplicates: number;
  readonly emails: EffectVerdict;
  readonly giftCards: EffectVerdict;
  readonly deadLettered: number;
}

/** The orders, each with a message on both queues, and some of these twice. */
export interface OrdersPart extends Part {
  judge(left: number): Promise<OrdersVerdict>;
  /** Sends other orders, which the verdict is not about. */
  sendMore(orders: readonly PlannedOrder[]): Promise<void>;
}

export function ordersPart(deployed: Deployed, plan: readonly PlannedOrder[], ledger: Ledger): OrdersPart {
  const { account, outputs } = deployed;
  const construct = (effect: EffectKind) => constructOf[operationOf[effect]];
  const url = (effect: EffectKind) => outputs[`${construct(effect)}QueueUrl`] ?? '';
  const deadLetters = (effect: EffectKind) =>
    nameOf(deployed, 'AWS::SQS::Queue', `${construct(effect)}DeadLetterQueue`);
  const queues: OrderQueues = {
    sqs: account.sqs,
    consumers: { email: { queue: { url: url('email') } }, 'gift-card': { queue: { url: url('gift-card') } } },
  };
  const sent = { messages: 0, duplicates: 0 };
  const count = ({ messages, duplicates }: Sent) => {
    sent.messages += messages;
    sent.duplicates += duplicates;
  };
  return {
    deployed,
    queues: shopEffects.map(url),
    effects: async () => ledger.entries.length,
    async send(third) {
      const orders = thirdOf(plan, third);
      for (let start = 0; start < orders.length; start += 10) {
        count(await sendOrders(queues, orders.slice(start, start + 10)));
        await sleep(betweenOrdersMs);
      }
    },
    async sendAgain() {
      const calm = { sentAgainAfterSeconds: undefined, redelivery: undefined, trouble: undefined };
      const again = plan.map(({ order }) => ({ order, effects: { email: calm, 'gift-card': calm } }));
      const { messages } = await sendOrders(queues, again);
      count({ messages, duplicates: messages });
    },
    async sendMore(orders) {
      await sendOrders(queues, orders);
    },
    answered: async () => undefined,
    async judge(left) {
      const { parked: parkedClaims } = await readClaims(account.dynamo, outputs['ClaimsTableName'] ?? '');
      const orderIds = plan.map(({ order }) => order.orderId);
      const verdictOn = async (effect: EffectKind) =>
        judge(effect, orderIds, ledger, {
          parkedClaims,
          deadLettered: await deadLetteredOrders(account.sqs.client, deadLetters(effect)),
          left,
        });
      const depths = await Promise.all(shopEffects.map((effect) => account.depth(deadLetters(effect))));
      return {
        orders: plan.length,
        ...sent,
        emails: await verdictOn('email'),
        giftCards: await verdictOn('gift-card'),
        deadLettered: depths.reduce((sum, depth) => sum + messagesIn(depth), 0),
      };
    },
  };
}
