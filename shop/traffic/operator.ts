import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { operator } from 'pawl/operate';
import { operationOf } from '../app/app-functions.ts';
import type { Shop } from '../app/shop.ts';
import type { EffectKind } from '../providers/ledger.ts';
import { orderOf, receiveDeadLetters } from './dead-letters.ts';

/** One parked claim that the operator decided, and how. */
export interface Decided {
  readonly effect: EffectKind;
  readonly orderId: string;
  readonly verdict: 'applied' | 'not-applied';
}

/**
 * A stand-in for the operator, who looks parked orders up in the provider's own ledger, decides their claims, and redrives
 * their messages. The operator decides one that had happened and one that had not, so that others stay parked to be seen.
 */
export async function decideSomeParked(shop: Shop, effect: EffectKind): Promise<readonly Decided[]> {
  const { deadLetterQueue } = shop.consumers[effect];
  if (deadLetterQueue === undefined) return [];
  const received = await receiveDeadLetters(shop.sqs.client, deadLetterQueue.url);
  const parked = received.filter(isParked).map((message) => ({ message, orderId: orderOf(message) ?? '' }));
  const orders = [...new Map(parked.map((one) => [one.orderId, one])).values()];
  const happened = shop.ledger.countByOrder(effect);
  const chosen = [
    orders.find(({ orderId }) => happened.has(orderId)),
    orders.find(({ orderId }) => !happened.has(orderId)),
  ]
    .filter((one) => one !== undefined)
    .slice(0, orders.length > 2 ? 2 : 1);

  const operate = operator({ store: shop.records.claims, onEvent: () => undefined });
  const decided: Decided[] = [];
  const redriven = new Set<Message>();
  for (const { message, orderId } of chosen) {
    const verdict = happened.has(orderId) ? 'applied' : 'not-applied';
    const note = `looked up in the provider's ledger: ${happened.get(orderId) ?? 0} found`;
    const { outcome } = await operate.resolve({ operation: operationOf[effect], key: orderId }, verdict, {
      by: 'the operator',
      note,
    });
    if (outcome !== 'resolved') continue;
    await redrive(shop, effect, message);
    redriven.add(message);
    decided.push({ effect, orderId, verdict });
  }
  await giveBack(
    shop,
    effect,
    received.filter((message) => !redriven.has(message)),
  );
  return decided;
}

function isParked({ MessageAttributes }: Message): boolean {
  return MessageAttributes?.['pawl-reason']?.StringValue === 'parked';
}

/** Makes messages of a dead-letter queue visible again. */
async function giveBack(shop: Shop, effect: EffectKind, messages: readonly Message[]): Promise<void> {
  const QueueUrl = shop.consumers[effect].deadLetterQueue?.url;
  await Promise.all(
    messages.map(({ ReceiptHandle }) =>
      shop.sqs.client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 })),
    ),
  );
}

/** As SQS redrives: the same message under a new id. Sent before it is deleted, since twice does no harm here. */
async function redrive(shop: Shop, effect: EffectKind, message: Message): Promise<void> {
  const { queue, deadLetterQueue } = shop.consumers[effect];
  const { Body: MessageBody, MessageAttributes, ReceiptHandle } = message;
  await shop.sqs.client.send(new SendMessageCommand({ QueueUrl: queue.url, MessageBody, MessageAttributes }));
  await shop.sqs.client.send(new DeleteMessageCommand({ QueueUrl: deadLetterQueue?.url, ReceiptHandle }));
}
