import { SendMessageBatchCommand, type SendMessageBatchRequestEntry, type SQSClient } from '@aws-sdk/client-sqs';
import { shopEffects } from '../app/app-functions.ts';
import type { PlannedOrder } from '../plan/plan.ts';
import type { EffectKind } from '../providers/ledger.ts';

export interface Sent {
  readonly messages: number;
  /** How many of them are a second message for the same effect. */
  readonly duplicates: number;
}

/** Where the orders' messages go. */
export interface OrderQueues {
  readonly sqs: { readonly client: SQSClient };
  readonly consumers: Readonly<Record<EffectKind, { readonly queue: { readonly url: string } }>>;
}

/** Sends one message per order and effect, and the second ones that the plan asks for, as a shop would: through SQS. */
export async function sendOrders(stack: OrderQueues, plan: readonly PlannedOrder[]): Promise<Sent> {
  const sent = { messages: 0, duplicates: 0 };
  for (let start = 0; start < plan.length; start += 10) {
    const part = plan.slice(start, start + 10);
    await Promise.all(
      shopEffects.map(async (effect) => {
        const again = part.filter(({ effects }) => effects[effect].sentAgainAfterSeconds !== undefined);
        await send(
          stack,
          effect,
          part.map(({ order }) => ({ order, delaySeconds: 0 })),
        );
        await send(
          stack,
          effect,
          again.map(({ order, effects }) => ({ order, delaySeconds: effects[effect].sentAgainAfterSeconds ?? 0 })),
        );
        sent.messages += part.length + again.length;
        sent.duplicates += again.length;
      }),
    );
  }
  return sent;
}

async function send(
  stack: OrderQueues,
  effect: EffectKind,
  messages: readonly { readonly order: PlannedOrder['order']; readonly delaySeconds: number }[],
): Promise<void> {
  if (messages.length === 0) return;
  const Entries = messages.map(
    ({ order, delaySeconds }, index): SendMessageBatchRequestEntry => ({
      Id: String(index),
      MessageBody: JSON.stringify(order),
      DelaySeconds: delaySeconds,
    }),
  );
  const QueueUrl = stack.consumers[effect].queue.url;
  const { Failed = [] } = await stack.sqs.client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
  if (Failed.length > 0) throw new Error(`SQS refused ${Failed.length} messages: ${Failed[0]?.Message}`);
}
