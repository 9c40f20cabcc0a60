import type { InStack } from '../../engine/app/constructs.ts';
import type { Resource } from '../../engine/app/read-app.ts';
import { list, properties, type Reading } from '../../engine/app/reading.ts';
import { optionalNumber, record } from '../../engine/app/template.ts';
import { type FunctionPlace, functionFor } from '../../engine/lambda/functions.ts';
import type { LocalFunction } from '../../engine/lambda/lambda.ts';
import type { CommonMapping, Mapping } from '../../engine/mappings.ts';
import type { Starting } from '../../engine/service.ts';
import type { ProvisionedQueue } from './create-queues.ts';
import { type DeliveryFaults, type EventSourceStats, startEventSource } from './event-source.ts';

export interface QueueMapping extends Mapping {
  readonly queue: ProvisionedQueue;
  readonly maximumConcurrency: number | undefined;
}

/** A function that a queue feeds. */
export interface Poller extends InStack {
  /** What its template says. */
  readonly mapping: QueueMapping;
  readonly queue: ProvisionedQueue;
  readonly deadLetterQueue: ProvisionedQueue | undefined;
  readonly function: LocalFunction;
  readonly stats: EventSourceStats;
}

/** A queue that feeds a function: the construct of the mapping, and that of the function. */
export interface ConsumerPlace extends FunctionPlace {
  readonly handler: string;
}

export interface QueueFaults {
  /** What happens to the messages of a consumer. */
  readonly delivery?: (consumer: ConsumerPlace) => DeliveryFaults | undefined;
}

export function readQueueMapping(
  reading: Reading,
  resource: Resource,
  common: CommonMapping,
  queue: ProvisionedQueue,
): QueueMapping {
  const { ScalingConfig } = properties(resource, 'ScalingConfig');
  if (common.filters.some((pattern) => Object.keys(pattern).some((key) => key !== 'body'))) {
    const why = 'It filters by another key than body as well. AWS documents no other key for a queue.';
    list(reading, resource, why, 'FilterCriteria.Filters');
  }
  return {
    ...common,
    batchSize: common.batchSize ?? 10,
    queue,
    maximumConcurrency: optionalNumber(record(ScalingConfig)['MaximumConcurrency']),
  };
}

/**
 * How many sandboxes of its function a mapping may use. Mappings that received messages for all of them would wait for each other, and a message that
 * waits for a sandbox comes back after its visibility timeout.
 */
function shareOf(mapping: QueueMapping, mappings: readonly QueueMapping[], sandboxes: number): number {
  const { stack, logicalId } = mapping.function;
  const mates = mappings.filter(
    ({ enabled, function: fn }) => enabled && fn.stack === stack && fn.logicalId === logicalId,
  );
  const at = mates.indexOf(mapping);
  const more = at < sandboxes % mates.length ? 1 : 0;
  return Math.max(1, Math.floor(sandboxes / mates.length) + more);
}

/** Starts one of these mappings. @param queues all of the app */
export async function startPoller(
  { machine, servers, functions, sources }: Starting,
  { delivery }: QueueFaults,
  mapping: QueueMapping,
  { mappings, queues }: { readonly mappings: readonly QueueMapping[]; readonly queues: readonly ProvisionedQueue[] },
): Promise<Poller> {
  const { stack, logicalId, construct, queue, qualifier, maximumConcurrency, enabled } = mapping;
  const fn = await functionFor(functions, mapping.function);
  const faults = delivery?.({ stack, construct, handler: mapping.function.construct });
  const source = startEventSource({
    ...mapping,
    client: servers.sqs.client,
    invoke: (event, measure) => fn.invoke(event, qualifier, measure),
    patience: {
      machine,
      timeoutMs: fn.provisioned.timeoutMs,
      extend: (receipts, ms) => servers.sqs.extend(queue.name, receipts, ms),
      giveBack: (ids) => servers.sqs.giveBack(queue.name, ids),
    },
    concurrency: enabled
      ? Math.min(shareOf(mapping, mappings, fn.maxSandboxes), maximumConcurrency ?? fn.maxSandboxes)
      : 0,
    ...(faults ? { faults } : {}),
  });
  sources.push(source);
  const deadLetterQueue = queues.find(({ arn }) => arn === queue.deadLetterArn);
  return { stack, logicalId, construct, mapping, queue, deadLetterQueue, function: fn, stats: source.stats };
}
