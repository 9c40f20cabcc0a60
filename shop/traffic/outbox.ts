import { setTimeout as sleep } from 'node:timers/promises';
import { messagesIn } from '../../lib/rehearsal/engine/servers/sqs-local.ts';
import type { Shop } from '../app/shop.ts';

const betweenSweepsMs = 1_000;

/** How long nothing may leave before it counts as left. A relay that died over PostgreSQL keeps its lanes for half a minute. */
const patienceMs = 120_000;

/**
 * The schedule of the relay, on a faster clock: it sweeps while something lies in the outbox. Returns when all payments are posted and the outbox is empty,
 * or when nothing of either has left for two minutes: how long all of it takes is a matter of the machine, and of how many relays the plan kills.
 */
export async function sweepOutbox(shop: Shop): Promise<void> {
  const { sqs, payments, outbox, records } = shop;
  let left = '';
  for (let since = Date.now(); Date.now() < since + patienceMs; await sleep(betweenSweepsMs)) {
    // The queue first: what leaves it now may have put messages into the outbox.
    const unposted = messagesIn(await sqs.depth(payments.consumer.queue.name));
    const waiting = await records.outboxLeft();
    if (unposted + waiting === 0) return;
    if (left !== `${unposted} ${waiting}`) since = Date.now();
    left = `${unposted} ${waiting}`;
    if (waiting > 0 && !outbox.isSwept()) await outbox.relay.run();
  }
}
