import middy from '@middy/core';
import type { Context, SQSEvent } from 'aws-lambda';
import { once } from '../../../lib/pawl/engine/once.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { eachMessage } from '../../../lib/pawl/sqs/index.ts';
import type { Sandbox } from '../lambda/sandbox.ts';
import type { Handler, Job } from '../parts.ts';
import type { Simulation } from '../simulation.ts';
import { batchHandler } from './batch-handler.ts';
import { onceHandler } from './once-handler.ts';
import { claimOptions, intentOf, type Order, payloadOf, sqsOptions } from './options.ts';
import { createWorker } from './work.ts';

/** What a sandbox runs: the library, wired as the seed chose, around a handler. */
export function consumerFunction(simulation: Simulation, sandbox: Sandbox): Handler {
  const { scenario } = simulation;
  const worker = createWorker(simulation, sandbox);
  switch (scenario.adapter) {
    case 'each-message':
      return eachMessage<Order>(sqsOptions(simulation, sandbox), ({ body, messageId }, claim) =>
        worker.handle({ messageId, key: claim.key, payload: payloadOf(body), effectKey: claim.effectKey }, claim),
      );
    case 'sqs-once': {
      const { lease: _, timeoutMs: __, marksEffect: ___, ...options } = sqsOptions(simulation, sandbox);
      const handler = middy(batchHandler(simulation, worker), { timeoutEarlyInMillis: 0 }).use(sqsOnce<Order>(options));
      return (event, context) => handler(event as SQSEvent, context as Context) as ReturnType<Handler>;
    }
    default: {
      const charge = once<Job & { readonly order: Order }, unknown, boolean>(
        {
          ...claimOptions(simulation, sandbox),
          key: ({ key }) => key,
          fingerprint: ({ order }) => intentOf(order),
        },
        (job, claim) => worker.handle({ ...job, effectKey: claim.effectKey }, claim),
      ).outcome;
      return onceHandler(simulation, charge);
    }
  }
}
