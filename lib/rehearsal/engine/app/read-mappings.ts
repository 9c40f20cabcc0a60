import { optionalText } from '../lambda/read-functions.ts';
import type {
  ProvisionedEventSource,
  ProvisionedQueue,
  ProvisionedStreamMapping,
  ProvisionedTable,
} from '../provisioned.ts';
import { streamArnOf } from './names.ts';
import type { Resource } from './read-app.ts';
import { list, ofType, placeOf, properties, type Reading, readOrList, refuse, targetFunction } from './reading.ts';
import { list as listOf, optionalNumber, record } from './template.ts';

export interface ReadMappings {
  readonly ofQueues: readonly ProvisionedEventSource[];
  readonly ofStreams: readonly ProvisionedStreamMapping[];
}

/** Reads the event source mappings of the app. Those of other sources than queues and streams of tables are listed. */
export function readMappings(
  reading: Reading,
  { queues, tables }: { readonly queues: readonly ProvisionedQueue[]; readonly tables: readonly ProvisionedTable[] },
): ReadMappings {
  const ofQueues: ProvisionedEventSource[] = [];
  const ofStreams: ProvisionedStreamMapping[] = [];
  for (const resource of ofType(reading, 'AWS::Lambda::EventSourceMapping')) {
    readOrList(reading, resource, () => {
      const { EventSourceArn } = properties(resource, 'EventSourceArn');
      const queue = queues.find(({ arn }) => arn === EventSourceArn);
      const table = tables.find(({ name }) => streamArnOf(name) === EventSourceArn);
      if (queue === undefined && table === undefined) {
        const why = 'Nothing reads from it: it is no queue and no stream of a table of this app.';
        list(reading, resource, why, 'EventSourceArn');
        return;
      }
      const common = readCommon(reading, resource);
      if (common === undefined) return;
      if (queue !== undefined) ofQueues.push(ofQueue(reading, resource, common, queue));
      if (table !== undefined) ofStreams.push(ofStream(reading, resource, common, table));
    });
  }
  return { ofQueues, ofStreams };
}

/** What a mapping has whatever its source is; without its own size of a batch, that of the source. */
function readCommon(reading: Reading, resource: Resource) {
  const read = properties(
    resource,
    'FunctionName',
    'Enabled',
    'BatchSize',
    'MaximumBatchingWindowInSeconds',
    'FunctionResponseTypes',
    'FilterCriteria',
  );
  const target = targetFunction(reading, resource, read['FunctionName']);
  return (
    target && {
      ...placeOf(resource),
      ...target,
      enabled: String(read['Enabled'] ?? true) === 'true',
      batchSize: optionalNumber(read['BatchSize']),
      windowMs: Number(read['MaximumBatchingWindowInSeconds'] ?? 0) * 1_000,
      reportsBatchItemFailures: listOf(read['FunctionResponseTypes']).includes('ReportBatchItemFailures'),
      filters: listOf(record(read['FilterCriteria'])['Filters']).map((filter) =>
        record(JSON.parse(String(record(filter)['Pattern'] ?? '{}'))),
      ),
    }
  );
}

type Common = NonNullable<ReturnType<typeof readCommon>>;

function ofQueue(
  reading: Reading,
  resource: Resource,
  common: Common,
  queue: ProvisionedQueue,
): ProvisionedEventSource {
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

function ofStream(
  reading: Reading,
  resource: Resource,
  common: Common,
  table: ProvisionedTable,
): ProvisionedStreamMapping {
  const read = properties(
    resource,
    'StartingPosition',
    'BisectBatchOnFunctionError',
    'MaximumRetryAttempts',
    'MaximumRecordAgeInSeconds',
    'DestinationConfig',
  );
  if (table.streamArn === undefined) refuse(reading, resource, `The table ${table.construct} has no stream.`);
  return {
    ...common,
    batchSize: common.batchSize ?? 100,
    table,
    fromStart: read['StartingPosition'] !== 'LATEST',
    bisects: String(read['BisectBatchOnFunctionError']) === 'true',
    maximumRetries: endless(read['MaximumRetryAttempts']),
    maximumAgeMs: times1000(endless(read['MaximumRecordAgeInSeconds'])),
    onFailure: optionalText(record(record(read['DestinationConfig'])['OnFailure'])['Destination']),
  };
}

/** Lambda has -1 for: until the record is gone from the stream. */
function endless(value: unknown): number | undefined {
  const number = optionalNumber(value);
  return number === -1 ? undefined : number;
}

function times1000(value: number | undefined): number | undefined {
  return value === undefined ? undefined : value * 1_000;
}
