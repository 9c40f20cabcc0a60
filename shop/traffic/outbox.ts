import { setTimeout as sleep } from 'node:timers/promises';
import { messagesIn } from '../../lib/rehearsal/services/sqs/drain.ts';
import type { Shop } from '../app/shop.ts';

const betweenSweepsMs = 1_000;

/**
 * The schedule of the relay, on a faster clock: it sweeps while something lies in the outbox. Returns when all payments are posted and the outbox is empty,
 * or the time is up.
 */
export async function sweepOutbox(shop: Shop, until: number): Promise<void> {
  const { sqs, payments, outbox, records } = shop;
  while (Date.now() < until) {
    // The queue first: what leaves it now may have put messages into the outbox.
    const unposted = messagesIn(await sqs.depth(payments.consumer.queue.name));
    const waiting = await records.outboxLeft();
    if (unposted + waiting === 0) return;
    if (waiting > 0 && !outbox.isSwept()) await outbox.relay.run();
    await sleep(betweenSweepsMs);
  }
}
