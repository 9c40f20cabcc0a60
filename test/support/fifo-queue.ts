import { setTimeout as sleep } from 'node:timers/promises';
import type { SqsEvent, SqsRecord } from '../../lib/pawl/sqs/event.ts';
import type { startQueues } from './queues.ts';

type Queues = Awaited<ReturnType<typeof startQueues>>;

/** What of a call says for how long messages are invisible. */
interface Changed {
  QueueUrl?: string;
  readonly Entries?: readonly { readonly VisibilityTimeout?: number }[];
}

/** How often each message was received by the time it was last handed over, by its number. */
type Receives = Map<number, number>;

const numberOf = ({ body }: { readonly body: string }): number => JSON.parse(body).n;

/**
 * A message group as SQS delivers it, which the local server does not: up to ten at once, in order, and none while any of them is in flight. The
 * receive counts, the visibility and the redrive policy are the server's. Bodies are `{ n }`, numbered in the order in which they were sent.
 */
export function messageGroup(queues: Queues) {
  const receives: Receives = new Map();
  /** The server does not say when the last message of the group is visible again, so it is noted here. */
  let blockedUntil = 0;
  // pawl makes the queue's URL from the ARN, and on the server this queue is a standard one.
  queues.functionClient.middlewareStack.add(
    (next) => (args) => {
      const { input } = args as unknown as { readonly input: Changed };
      for (const { VisibilityTimeout = 0 } of input.Entries ?? []) {
        blockedUntil = Math.max(blockedUntil, Date.now() + VisibilityTimeout * 1000);
      }
      if (input.QueueUrl?.endsWith('/orders.fifo')) input.QueueUrl = input.QueueUrl.slice(0, -'.fifo'.length);
      return next(args);
    },
    { step: 'initialize' },
  );

  function inGroup(record: SqsRecord): SqsRecord {
    receives.set(numberOf(record), Number(record.attributes.ApproximateReceiveCount));
    const attributes = { ...record.attributes, MessageGroupId: 'g' };
    return { ...record, attributes, eventSourceARN: `${record.eventSourceARN}.fifo` };
  }

  /** Delivers until nothing is left, or until the time is over. */
  async function drain(handler: (event: SqsEvent) => Promise<unknown>, withinMs: number): Promise<void> {
    const end = Date.now() + withinMs;
    while (Date.now() < end) {
      const { ready, inFlight } = await queues.depth(queues.orders);
      if (ready + inFlight === 0) return;
      // The server counts from when it hears of it, which is a moment later.
      await sleep(Math.max(0, blockedUntil + 250 - Date.now()));
      await queues.deliver(({ Records }) =>
        handler({ Records: Records.map(inGroup).sort((a, b) => numberOf(a) - numberOf(b)) }),
      );
    }
  }

  return { receives, drain };
}
