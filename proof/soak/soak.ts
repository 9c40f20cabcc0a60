import { setTimeout as sleep } from 'node:timers/promises';
import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { createRandom } from '../../lib/rehearsal/engine/random.ts';
import { messagesIn } from '../../lib/rehearsal/engine/servers/sqs-local.ts';
import type { Progress } from '../../lib/rehearsal/progress.ts';
import { type Poller, type Rehearsal, startRehearsal } from '../../lib/rehearsal/rehearsal.ts';
import { shopApp } from '../../shop/app/project.ts';
import { drainQueues } from '../../shop/emulator/drain.ts';
import { deadLetteredOrders } from '../../shop/traffic/dead-letters.ts';
import type { CommandLine } from './command-line.ts';
import { type Issued, orderIdOf, startIssued } from './issued.ts';
import { memoryNow } from './memory.ts';
import { type SoakResult, type Tenth, trendOf } from './result.ts';

/** More on the queue would only be memory of the SQS server's. */
const mostWaiting = 400;
/** How long the queue may take to run empty behind the last order: a killed order waits for its visibility timeout. */
const drainMs = 120_000;

type Options = Omit<CommandLine, 'json'> & { readonly progress: Progress };

/** Sends orders for gift cards through the shop's own consumer, on real servers and sandboxes. */
export async function soak({ messages, minutes, killShare, progress }: Options): Promise<SoakResult> {
  await using stopping = new AsyncDisposableStack();
  let rehearsal: Rehearsal | undefined;
  const random = createRandom(20_261_122);
  const issued = await startIssued(
    messages,
    killShare,
    () => random.next(),
    (sandbox) => void rehearsal?.kill(sandbox),
  );
  stopping.defer(() => issued.server.stop());
  rehearsal = stopping.use(
    await startRehearsal({
      app: shopApp,
      context: { functionTimeoutSeconds: 3, giftCardApiUrl: issued.server.endpoint },
      onStarting: (what) => progress.update(what),
    }),
  );
  const consumer = rehearsal.stack('PawlOrders').consumer('IssueGiftCard');
  const started = performance.now();
  const tenths: Tenth[] = [];
  const observe = watchTenths(messages, issued, tenths, progress);
  const sent = await sendAll({ rehearsal, consumer, issued, messages, until: started + minutes * 60_000, observe });
  const unfinished = await drainQueues({
    depths: () => depthsOf(rehearsal, consumer),
    until: Date.now() + drainMs,
    onLook: ({ left }) => {
      observe();
      progress.update(`${issued.orders()} of ${sent} orders have a card; ${left} messages are left`);
    },
  });
  observe();
  const seconds = (performance.now() - started) / 1000;
  const { deadLetterQueue } = consumer;
  const deadLettered = deadLetterQueue ? messagesIn(await rehearsal.sqs.depth(deadLetterQueue.name)) : 0;
  const setAside = deadLetterQueue ? await deadLetteredOrders(rehearsal.sqs.client, deadLetterQueue.url) : undefined;
  const { lost, doubled } = issued.verdict(sent, setAside);
  const { killed } = rehearsal.sandboxes;
  return {
    planned: messages,
    sent,
    seconds,
    killed,
    // Which orders are still on the queue is not known: a run that leaves any is no success.
    lost: Math.max(0, lost - unfinished),
    doubled,
    unfinished,
    deadLettered,
    tenths,
    ...trendOf(tenths),
  };
}

interface Sending {
  readonly rehearsal: Rehearsal;
  readonly consumer: Poller;
  readonly issued: Issued;
  readonly messages: number;
  /** By `performance.now()`. */
  readonly until: number;
  readonly observe: () => void;
}

/** Sends as fast as orders are done. @returns how many were sent */
async function sendAll({ rehearsal, consumer, issued, messages, until, observe }: Sending): Promise<number> {
  let sent = 0;
  while (sent < messages && performance.now() < until) {
    if (sent - issued.orders() >= mostWaiting) {
      await sleep(10);
      observe();
      continue;
    }
    const size = Math.min(10, messages - sent);
    const Entries = Array.from({ length: size }, (_, place) => ({
      Id: String(place),
      MessageBody: JSON.stringify(orderAt(sent + place)),
    }));
    await rehearsal.sqs.client.send(new SendMessageBatchCommand({ QueueUrl: consumer.queue.url, Entries }));
    sent += size;
  }
  return sent;
}

function orderAt(place: number) {
  return {
    orderId: orderIdOf(place),
    customer: { name: 'Ada Byron', email: 'ada@example.com' },
    amountCents: 2500,
    currency: 'EUR',
    placedAt: '2026-11-21T09:30:00.000Z',
  };
}

function depthsOf({ sqs }: Rehearsal, { queue }: Poller) {
  return Promise.all([sqs.depth(queue.name)]);
}

/** Takes a look whenever another tenth of the orders is done. */
function watchTenths(messages: number, issued: Issued, tenths: Tenth[], progress: Progress): () => void {
  let before = { at: performance.now(), orders: 0 };
  let shownAt = 0;
  return () => {
    const orders = issued.orders();
    const now = performance.now();
    // From the first order on: until then, sandboxes start.
    if (orders === 0) before = { at: now, orders };
    if (now - shownAt > 500) {
      shownAt = now;
      progress.update(`${orders} of ${messages} orders have a card; ${issued.kills()} sandboxes killed`);
    }
    // The last tenth ends before the last orders do: those that were killed wait for the visibility timeout, with nothing beside them.
    const end = Math.min((messages / 10) * (tenths.length + 1), messages - Math.min(mostWaiting, messages / 20));
    if (tenths.length >= 10 || orders < end) return;
    const seconds = (now - before.at) / 1000;
    tenths.push({ orders, ordersPerSecond: (orders - before.orders) / seconds, ...memoryNow() });
    before = { at: now, orders };
  };
}
