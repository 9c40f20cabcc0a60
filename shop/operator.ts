import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { parkedClaims } from '../lib/index.ts';
import { orderOf, receiveDeadLetters } from '../lib/rehearsal/dead-letters.ts';
import { dynamoStore } from '../lib/stores/dynamodb/index.ts';
import { OPERATION_OF } from './faults.ts';
import type { EffectKind } from './ledger.ts';
import type { LocalStack } from './stack.ts';

/** One parked claim that was decided, and how. */
export interface Decided {
  readonly effect: EffectKind;
  readonly orderId: string;
  readonly verdict: 'applied' | 'not-applied';
}

/**
 * A stand-in for the person who looks after the dead-letter queue of a consumer: looks parked orders up in the provider's
 * own ledger, decides their claims, and redrives their messages. One that had happened and one that had not, if there
 * are enough of them that others are left to be seen.
 */
export async function decideSomeParked(stack: LocalStack, effect: EffectKind): Promise<readonly Decided[]> {
  const { deadLetterQueue } = stack.consumers[effect];
  if (deadLetterQueue === undefined) return [];
  const received = await receiveDeadLetters(stack.sqs.client, deadLetterQueue.url);
  const parked = received.filter(isParked).map((message) => ({ message, orderId: orderOf(message) ?? '' }));
  const orders = [...new Map(parked.map((one) => [one.orderId, one])).values()];
  const happened = stack.ledger.countByOrder(effect);
  const chosen = [
    orders.find(({ orderId }) => happened.has(orderId)),
    orders.find(({ orderId }) => !happened.has(orderId)),
  ]
    .filter((one) => one !== undefined)
    .slice(0, orders.length > 2 ? 2 : 1);

  const claims = parkedClaims({
    operation: OPERATION_OF[effect],
    store: dynamoStore({ tableName: stack.claimsTable, client: stack.dynamo }),
  });
  const decided: Decided[] = [];
  const redriven = new Set<Message>();
  for (const { message, orderId } of chosen) {
    const verdict = happened.has(orderId) ? 'applied' : 'not-applied';
    const note = `looked up in the provider's ledger: ${happened.get(orderId) ?? 0} found`;
    const { outcome } = await claims.resolve(orderId, verdict, { by: 'the operator', note });
    if (outcome !== 'resolved') continue;
    await redrive(stack, effect, message);
    redriven.add(message);
    decided.push({ effect, orderId, verdict });
  }
  await giveBack(
    stack,
    effect,
    received.filter((message) => !redriven.has(message)),
  );
  return decided;
}

function isParked({ MessageAttributes }: Message): boolean {
  return MessageAttributes?.['pawl-reason']?.StringValue === 'parked';
}

/** Makes messages of a dead-letter queue visible to the next one who looks. */
async function giveBack(stack: LocalStack, effect: EffectKind, messages: readonly Message[]): Promise<void> {
  const QueueUrl = stack.consumers[effect].deadLetterQueue?.url;
  await Promise.all(
    messages.map(({ ReceiptHandle }) =>
      stack.sqs.client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 })),
    ),
  );
}

/** As SQS redrives: the same message under a new id. Sent before it is deleted, since twice does no harm here. */
async function redrive(stack: LocalStack, effect: EffectKind, message: Message): Promise<void> {
  const { queue, deadLetterQueue } = stack.consumers[effect];
  const { Body: MessageBody, MessageAttributes, ReceiptHandle } = message;
  await stack.sqs.client.send(new SendMessageCommand({ QueueUrl: queue.url, MessageBody, MessageAttributes }));
  await stack.sqs.client.send(new DeleteMessageCommand({ QueueUrl: deadLetterQueue?.url, ReceiptHandle }));
}
