import type { EventSourceMappingConfiguration, FunctionConfiguration } from '@aws-sdk/client-lambda';
import {
  type ConsumerFacts,
  deadLetterActions,
  deadLetterUrls,
  defaultPollers,
  type EventSourceFacts,
  type HandlerNeeds,
  isWorkflow,
  mostBatchesOfAll,
  type ProvisionedPollers,
  queueActions,
  serviceDefaults,
  type TableFacts,
  tableNeeds,
  unqualified,
  workflowNeeds,
  workflowVariable,
} from 'pawl/deployment';
import type { Account } from './account.ts';
import { isEnabled, mappingsFrom, reservedConcurrencyOf } from './read-functions.ts';
import { type Need, readPermissions } from './read-permissions.ts';
import { type ReadQueue, readQueue } from './read-queue.ts';
import { tableNamed } from './read-table.ts';

/** A function, and one of the queues that feed it. */
export interface Fed {
  readonly configuration: FunctionConfiguration;
  readonly mapping: EventSourceMappingConfiguration;
  /** The mappings of all queues that feed the function. */
  readonly all: readonly EventSourceMappingConfiguration[];
  readonly tableName: string;
}

export async function readConsumer(account: Account, fed: Fed, needs: HandlerNeeds): Promise<ConsumerFacts> {
  const { configuration, mapping, all, tableName } = fed;
  const {
    FunctionName = '',
    Timeout = serviceDefaults.timeoutSeconds,
    Environment,
    Runtime,
    Role,
    CapacityProviderConfig,
  } = configuration;
  const queueArn = mapping.EventSourceArn ?? '';
  const [queue, table, reservedConcurrency, ofQueue] = await Promise.all([
    readQueue(account.sqs, queueArn),
    tableNamed(account, tableName),
    reservedConcurrencyOf(account, FunctionName),
    mappingsFrom(account, queueArn),
  ]);
  const deadLetterQueue = queue?.redriveArn === undefined ? undefined : await readQueue(account.sqs, queue.redriveArn);
  const urlOf = deadLetterUrls(Environment?.Variables?.['DEAD_LETTER_QUEUE_URL'] ?? '');
  const namedDeadLetterQueue = queueArnOf(urlOf(queueArn), queueArn);
  const buries = namedDeadLetterQueue === undefined ? undefined : deadLetterQueue;
  return {
    functionName: FunctionName,
    timeoutSeconds: Timeout,
    runtime: Runtime,
    managedInstances: CapacityProviderConfig !== undefined,
    reservedConcurrency,
    source: eventSource(mapping),
    ...sharing(mapping, ofQueue),
    maxConcurrencyOfAll: mostBatchesOfAll(all.map(eventSource)),
    queue,
    deadLetterQueue,
    namedDeadLetterQueue,
    table,
    permissions: await readPermissions(account.iam, Role, [
      ...needsOf({ table, queue, deadLetterQueue: buries }, needs),
      ...startOf(Environment?.Variables?.[workflowVariable]),
    ]),
  };
}

/** The event sources of the queue: those of this function, and the other functions that get messages of it. */
function sharing(
  mapping: EventSourceMappingConfiguration,
  ofQueue: readonly EventSourceMappingConfiguration[],
): Pick<ConsumerFacts, 'sources' | 'otherFunctions'> {
  const isOwn = (one: EventSourceMappingConfiguration) =>
    unqualified(one.FunctionArn ?? '') === unqualified(mapping.FunctionArn ?? '');
  const own = ofQueue.filter(isOwn);
  // A function whose own event source is disabled takes no message away from another one: it may be on its way in, or out.
  const shares = own.some(isEnabled);
  const others = ofQueue.filter((one) => shares && !isOwn(one) && isEnabled(one));
  return {
    sources: own.map(({ FunctionArn, UUID }) => `${UUID} of ${FunctionArn}`),
    otherFunctions: others.map(({ FunctionArn = '' }) => FunctionArn),
  };
}

interface Places {
  readonly table: TableFacts | undefined;
  readonly queue: ReadQueue | undefined;
  readonly deadLetterQueue: ReadQueue | undefined;
}

function needsOf({ table, queue, deadLetterQueue }: Places, needs: HandlerNeeds): readonly Need[] {
  return [
    ...tableNeeds(needs, table?.mark).map(({ of, ...need }) => ({ ...need, arn: table?.arn, on: of, policy: [] })),
    { actions: queueActions, arn: queue?.arn, on: 'the queue', policy: queue?.policy ?? [] },
    {
      actions: deadLetterActions,
      arn: deadLetterQueue?.arn,
      on: 'the dead-letter queue',
      policy: deadLetterQueue?.policy ?? [],
    },
  ];
}

/** What a consumer calls to start the workflow of its variable. Whether it looks executions up too, an ARN does not say: it does not where they are express. */
function startOf(workflowArn: string | undefined): readonly Need[] {
  if (workflowArn === undefined || !isWorkflow(workflowArn)) return [];
  const needs = workflowNeeds(workflowArn).slice(0, 1);
  return needs.map((need) => ({ ...need, on: 'the workflow', policy: [] }));
}

function eventSource(mapping: EventSourceMappingConfiguration): EventSourceFacts {
  return {
    enabled: isEnabled(mapping),
    batchSize: mapping.BatchSize ?? serviceDefaults.batchSize,
    maxBatchingWindowSeconds: mapping.MaximumBatchingWindowInSeconds ?? 0,
    reportsBatchItemFailures: mapping.FunctionResponseTypes?.includes('ReportBatchItemFailures') ?? false,
    filters: mapping.FilterCriteria?.Filters?.length ?? 0,
    maxConcurrency: mapping.ScalingConfig?.MaximumConcurrency,
    provisionedPollers: pollersOf(mapping),
  };
}

function pollersOf({ ProvisionedPollerConfig }: EventSourceMappingConfiguration): ProvisionedPollers | undefined {
  if (ProvisionedPollerConfig === undefined) return undefined;
  const { MinimumPollers = defaultPollers.minimum, MaximumPollers = defaultPollers.maximum } = ProvisionedPollerConfig;
  return { minimum: MinimumPollers, maximum: MaximumPollers };
}

/** The ARN of a queue from its URL. If the URL does not contain the region, as with a local server, the region is that of the other queue. */
function queueArnOf(url: string | undefined, otherArn: string): string | undefined {
  if (url === undefined || url === '') return undefined;
  const [account, name] = url.split('/').slice(-2);
  const [, partition, , region] = otherArn.split(':');
  const named = /^https?:\/\/(?:sqs\.([a-z0-9-]+)|([a-z0-9-]+)\.queue)\.amazonaws\.com/.exec(url);
  return `arn:${partition}:sqs:${named?.[1] ?? named?.[2] ?? region}:${account}:${name}`;
}
