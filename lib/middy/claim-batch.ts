import type { Held } from '../core/held.ts';
import { type Consumer, inOrder, type Runnable } from '../sqs/consumer.ts';
import type { InvocationContext, SqsEvent, SqsRecord } from '../sqs/event.ts';
import { after, fateOfRun } from '../sqs/fate.ts';
import { createLimit } from '../sqs/limit.ts';
import { receiveCountOf } from '../sqs/message.ts';
import type { Delivery } from '../sqs/queue.ts';

/** A message of a batch, and what this request has claimed for it. */
export interface Claimed extends Delivery {
  /** The record as the handler is to see it. */
  readonly original: SqsRecord;
  /** It is handed on. */
  held?: Held;
  /** An earlier message of the batch with the same key: it shares the fate of that. */
  first?: Delivery;
}

/** Between two messages that come back to run alone; long enough not to meet in one batch again. */
const suspectsApartMs = 2000;

/**
 * Claims what of a batch may run. All of it is claimed before any of it runs, because the handler takes a batch. Answers all
 * messages, in the order of the event.
 */
export async function claimBatch<Body>(
  consumer: Consumer<Body>,
  event: SqsEvent,
  context: InvocationContext,
): Promise<readonly Claimed[]> {
  type One = Claimed & Runnable<Body>;
  const { claims, settings } = consumer;
  const { records, deadline, firstOf } = consumer.receive<One>(event, context);
  const batch = records.map((original): Claimed => ({ original, record: asText(original) }));
  const inTurn = createLimit(settings.concurrency);

  const claim = (one: One, mayTakeOver: boolean) =>
    inTurn(async () => {
      const acquired = await consumer.acquire(one, deadline, mayTakeOver);
      if ('fate' in acquired) {
        one.fate = acquired;
        return;
      }
      const settled = await settings.provider?.settleDoubt(claims, acquired, one.message);
      if (settled) one.fate = fateOfRun(settled);
      else one.held = acquired;
    });

  await inOrder(batch, async (delivery, group) => {
    const one = await consumer.prepare(delivery);
    if (one === undefined) return false;
    const first = firstOf(one);
    // Alone, if that can be had; but under steady traffic it must not wait until its receives are used up.
    if (first === undefined) await claim(one, receiveCountOf(one.record) > 2);
    else if (one.fate === undefined) one.first = first;
    // Of a first in another group it is not known yet what will become of it, so this group ends here.
    return first && !group.includes(first);
  });
  const rankOf = ({ fate }: Delivery) => fate?.suspect ?? 0;
  const suspects = batch.filter(rankOf).sort((a, b) => rankOf(a) - rankOf(b));
  for (const [index, one] of suspects.entries()) {
    one.fate = after((index + 1) * suspectsApartMs);
  }
  // What may have killed a worker runs alone, so that it takes no other message along; the least suspect first.
  const [suspect] = suspects;
  if (suspect && grantedOf(batch).length === 0) {
    suspect.fate = undefined;
    await claim(suspect as One, true);
  }
  return batch;
}

/** What is handed on to the handler, in the order of the event. */
export function grantedOf(batch: readonly Claimed[]) {
  return batch.filter((one): one is Claimed & { readonly held: Held } => one.held !== undefined);
}

/** Other middlewares parse bodies in place. What they made of one is read as the text that it was. */
function asText(record: SqsRecord): SqsRecord {
  return typeof record.body === 'string' ? record : { ...record, body: JSON.stringify(record.body) };
}
