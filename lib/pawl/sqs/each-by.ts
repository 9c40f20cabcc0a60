import { BatchRun, type TryMessage } from './batch-run.ts';
import { conclude } from './conclude.ts';
import { createConsumer, type DoorRules } from './consumer.ts';
import type { Delivery } from './delivery.ts';
import type { InvocationContext, SqsBatchResponse, SqsEvent } from './event.ts';
import type { SqsOptions } from './options.ts';
import { receive } from './receive.ts';
import { Suspects } from './suspects.ts';

/** A Lambda handler of batches of SQS. */
export type SqsHandler = (event: SqsEvent, context: InvocationContext) => Promise<SqsBatchResponse>;

/** A handler of batches that tries each message in this way. @internal */
export function eachBy<Body>(options: SqsOptions<Body>, tryMessage: TryMessage<Body>, rules?: DoorRules): SqsHandler {
  const consumer = createConsumer(options, rules);
  return async function handler(event, context) {
    const { host, marginMs } = consumer.settings;
    const received = receive(host, event, context);
    const { deadline, records } = received;
    const batch = records.map((record): Delivery => ({ record }));
    const suspects = new Suspects(consumer, deadline);
    const until = deadline - marginMs;
    await new BatchRun(consumer, tryMessage, { batch, invocation: received, until, suspects }).run();
    return conclude(consumer, batch, received);
  };
}
