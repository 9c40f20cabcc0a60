import type { InStack } from '../../engine/app/constructs.ts';
import type { Resource } from '../../engine/app/read-app.ts';
import { properties, type Reading, refuse } from '../../engine/app/reading.ts';
import { optionalNumber, optionalText, record } from '../../engine/app/template.ts';
import { type FunctionPlace, functionFor } from '../../engine/lambda/functions.ts';
import type { LocalFunction } from '../../engine/lambda/lambda.ts';
import type { CommonMapping, Mapping } from '../../engine/mappings.ts';
import type { Starting } from '../../engine/service.ts';
import type { ProvisionedTable } from '../dynamodb/create-tables.ts';
import type { ProvisionedQueue } from '../sqs/create-queues.ts';
import { queueOf } from '../sqs/index.ts';
import { type StreamConsumerStats, type StreamFaults, startStreamSource } from './stream.ts';
import { streamClient } from './stream-client.ts';

export interface StreamMapping extends Mapping {
  readonly table: ProvisionedTable;
  readonly fromStart: boolean;
  readonly bisects: boolean;
  /** `undefined`: until the record is gone from the stream. */
  readonly maximumRetries: number | undefined;
  readonly maximumAgeMs: number | undefined;
  /** The ARN of what is told of records that were given up: a queue or a topic. */
  readonly onFailure: string | undefined;
}

/** A function that a stream feeds, whatever the stream is of. */
export interface StreamConsumer extends InStack {
  /** The queue that is told of the records that were given up; `undefined` if the mapping has none. */
  readonly failures: ProvisionedQueue | undefined;
  readonly function: LocalFunction;
  /** The path of the function's construct. */
  readonly functionConstruct: string;
  readonly stats: StreamConsumerStats;
  /** How many records the consumer has not done with yet. */
  lag(): Promise<number>;
  /** These records. */
  waiting(): Promise<readonly unknown[]>;
}

/** A function that the stream of a table feeds. */
export interface TableConsumer extends StreamConsumer {
  readonly table: ProvisionedTable;
}

export interface StreamDelivery {
  /** What happens to the records of a consumer of a stream. */
  readonly streamDelivery?: (consumer: FunctionPlace) => StreamFaults | undefined;
}

export function readStreamMapping(
  reading: Reading,
  resource: Resource,
  common: CommonMapping,
  table: ProvisionedTable,
): StreamMapping {
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

const nothingRead = { batches: 0, deliveries: 0, redeliveries: 0, discarded: 0 };

export async function startStreamConsumer(
  { servers, functions, sources, provisioned, destinations }: Starting,
  { streamDelivery }: StreamDelivery,
  mapping: StreamMapping,
): Promise<TableConsumer> {
  const { stack, logicalId, construct, table, onFailure } = mapping;
  const fn = await functionFor(functions, mapping.function);
  const failures = queueOf(provisioned.parts, onFailure);
  const functionConstruct = mapping.function.construct;
  const common = { stack, logicalId, construct, table, failures, function: fn, functionConstruct };
  if (!mapping.enabled || table.streamArn === undefined) {
    return { ...common, stats: nothingRead, lag: async () => 0, waiting: async () => [] };
  }
  const faults = streamDelivery?.({ stack, construct });
  const { onFailure: _, ...options } = mapping;
  const source = await startStreamSource({
    ...options,
    client: streamClient(servers.database),
    streamArn: table.streamArn,
    functionArn: mapping.function.arn,
    invoke: (event) => fn.invoke(event, mapping.qualifier),
    ...(onFailure === undefined ? {} : { onFailure: (message) => destinations.send(onFailure, message) }),
    ...(faults ? { faults } : {}),
  });
  sources.push(source);
  const { stats, waiting } = source;
  return { ...common, stats, waiting, lag: async () => (await waiting()).length };
}
