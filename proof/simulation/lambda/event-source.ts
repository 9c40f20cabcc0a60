import type { SqsBatchResponse, SqsRecord } from '../../../lib/pawl/sqs/event.ts';
import type { Outcome } from '../parts.ts';
import type { Simulation } from '../simulation.ts';
import type { QueuedMessage } from '../sqs/queue.ts';
import { worldBegins } from '../world/world.ts';

/** A message with the receipt handle of one of its deliveries. */
interface Delivery {
  readonly message: QueuedMessage;
  readonly receipt: string;
}

/** A stand-in for an event source mapping: it receives, invokes the function, and deletes what was handled. */
export function startEventSource(simulation: Simulation): void {
  const { world, strikes, scenario, queue, lambda, oracle, stats } = simulation;
  const { random } = world;
  let idle = scenario.pollers;
  let wakesAt = Number.POSITIVE_INFINITY;
  let cancelWake = () => {};

  /** No polling: whoever is idle wakes up when there is something to receive. */
  function arrange(): void {
    const next = queue.nextVisibleAt();
    if (idle === 0 || next === undefined) return;
    const at = Math.max(world.time, next) + random.between(1, 20) + scenario.windowMs;
    if (at >= wakesAt) return;
    cancelWake();
    wakesAt = at;
    cancelWake = world.after(at - world.time, () => {
      wakesAt = Number.POSITIVE_INFINITY;
      poll();
      arrange();
    });
  }

  function poll(): void {
    if (idle === 0) return;
    const most = strikes('batchesSmall') ? 1 + random.below(scenario.batchSize) : scenario.batchSize;
    const received = queue.receive(most);
    if (received.length === 0) return;
    idle--;
    const batch = received.map((message) => ({ message, receipt: message.receipt ?? '' }));
    stats.deliveries += batch.length;
    for (const one of batch) if (strikes('deliveredTwice')) makeVisible(one);
    lambda.invoke({ Records: batch.map(toRecord) }, (outcome, invocation) => {
      if (outcome.outcome === 'answered') oracle.answered(invocation, outcome.response as SqsBatchResponse);
      const lost = outcome.outcome === 'answered' && strikes('responseLost');
      conclude(batch, lost ? { outcome: 'failed', error: 'its answer was lost' } : outcome);
      idle++;
      arrange();
    });
  }

  /** SQS delivers at least once: this message comes again while it is being handled. */
  function makeVisible({ receipt }: Delivery): void {
    world.after(random.between(0, random.chance(0.5) ? 500 : scenario.functionTimeoutMs), () => {
      if (queue.changeVisibility(receipt, 0) === undefined) world.note(queue.name, 'shows again', receipt);
    });
  }

  function conclude(batch: readonly Delivery[], outcome: Outcome): void {
    if (outcome.outcome !== 'answered') {
      if (outcome.outcome === 'failed') world.note('lambda', 'invocation failed:', String(outcome.error));
      return;
    }
    const { batchItemFailures } = outcome.response as SqsBatchResponse;
    const failures = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    const handled = batch.filter(({ message }) => !failures.has(message.id));
    for (const { message, receipt } of handled) {
      if (strikes('deletionLost')) {
        world.note(queue.name, 'forgets to delete', message.id);
        continue;
      }
      world.after(random.between(1, 40), () => {
        const wasThere = message.gone === undefined;
        if (queue.delete(message, receipt) && wasThere) oracle.deleted(message);
      });
    }
  }

  function toRecord({ message, receipt }: Delivery): SqsRecord {
    const { id, body, group, attributes, receiveCount, firstReceivedAt = 0 } = message;
    return {
      messageId: id,
      receiptHandle: receipt,
      body,
      attributes: {
        ApproximateReceiveCount: String(receiveCount),
        ApproximateFirstReceiveTimestamp: String(Math.floor(worldBegins + firstReceivedAt)),
        ...(group && { MessageGroupId: group }),
      },
      messageAttributes: attributes,
      eventSourceARN: queue.arn,
    };
  }

  queue.onChange(arrange);
}
