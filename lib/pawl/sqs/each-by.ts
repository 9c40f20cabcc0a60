import { Watch } from '../engine/observe/observer.ts';
import { BatchRun, type TryMessage } from './batch-run.ts';
import { conclude } from './conclude.ts';
import { createQueueDoor, type DoorRules, type QueueDoor } from './consumer.ts';
import type { Delivery, Invocation } from './delivery.ts';
import type { InvocationContext, SqsBatchResponse, SqsEvent } from './event.ts';
import type { MessageHandler } from './message.ts';
import { ranBy, type WatchedBatch } from './observe-message.ts';
import type { SqsOptions } from './options.ts';
import { receive } from './receive.ts';
import { Suspects } from './suspects.ts';

/** A Lambda handler of batches of SQS. */
export type SqsHandler = (event: SqsEvent, context: InvocationContext) => Promise<SqsBatchResponse>;

/**
 * A handler of batches that tries each message in this way.
 *
 * @param handle what runs a message whose key is only observed, at a door that can observe
 * @internal
 */
export function eachBy<Body>(
  options: SqsOptions<Body>,
  tryMessage: TryMessage<Body>,
  rules?: DoorRules,
  handle?: MessageHandler<Body>,
): SqsHandler {
  const consumer = createQueueDoor(options, rules);
  return async function handler(event, context) {
    const { host, marginMs } = consumer.settings;
    const received = receive(host, event, context);
    const { deadline, records } = received;
    const batch = records.map((record): Delivery => ({ record }));
    const suspects = new Suspects(consumer, deadline);
    const until = deadline - marginMs;
    const watched = watchedBy(consumer, received, handle);
    await new BatchRun(consumer, tryMessage, { batch, invocation: received, until, suspects, watched }).run();
    try {
      return await conclude(consumer, batch, received);
    } finally {
      await watched?.watch.end(deadline);
    }
  };
}

/** What watches a batch, where not all keys are enforced. */
function watchedBy<Body>(
  { engine, settings }: QueueDoor<Body>,
  invocation: Invocation,
  handle: MessageHandler<Body> | undefined,
): WatchedBatch<Body> | undefined {
  if (settings.enforcedShare === undefined || handle === undefined) return undefined;
  return { watch: new Watch(engine), run: ranBy(handle), invocation };
}
