import { type CfnResource, Stack } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import {
  defaultPollers,
  isSameFunction,
  listIn,
  numberIn,
  type Properties,
  type ProvisionedPollers,
  partOf,
  serviceDefaults,
  type TableWiring,
  type TimeToLive,
  truthIn,
  unqualified,
  withoutPartition,
} from 'pawl/deployment';
import { arnOf, functionArn, regionOf, rendered, resolvedIn, resourceBehind, resourcesOf, soFar } from './rendered.ts';

/*
 * What can be seen of a consumer's resources at synth time: what the template will contain, with every change by an escape hatch or an aspect.
 * A resource that is made elsewhere cannot be seen, and is `undefined`.
 */

type MaybeQualified = IFunction & { readonly lambda?: IFunction };

/** The function behind an alias or a version, which hold no settings of their own. */
export function functionBehind(aFunction: IFunction): IFunction {
  const { lambda }: MaybeQualified = aFunction;
  return lambda ?? aFunction;
}

/** Its ARN, without the name of an alias or a version. */
export function seenFunctionArn(aFunction: IFunction): string {
  return unqualified(seenArn(aFunction, functionBehind(aFunction).functionArn));
}

/** What a token of an ARN stands for. */
export function seenArn(scope: IConstruct, arn: string): string {
  return withoutPartition(String(resolvedIn(scope, arn)));
}

export interface SeenFunction {
  readonly timeoutSeconds: number | undefined;
  readonly runtime: string | undefined;
  readonly reservedConcurrency: number | undefined;
  /** Whether it has a capacity provider. */
  readonly managedInstances: boolean;
  readonly variables: Properties;
}

export function seenFunction(aFunction: IFunction): SeenFunction | undefined {
  const made = resourceBehind(functionBehind(aFunction), 'AWS::Lambda::Function');
  const properties = made === undefined ? undefined : rendered(made)?.properties;
  if (properties === undefined) return undefined;
  const { Timeout, Runtime, ReservedConcurrentExecutions, CapacityProviderConfig, Environment } = properties;
  return {
    timeoutSeconds: numberIn(Timeout, serviceDefaults.timeoutSeconds),
    runtime: typeof Runtime === 'string' ? Runtime : undefined,
    reservedConcurrency: numberIn(ReservedConcurrentExecutions, undefined),
    managedInstances: CapacityProviderConfig !== undefined,
    variables: partOf(partOf(Environment)['Variables']),
  };
}

export interface SeenQueue {
  readonly fifo: boolean | undefined;
  readonly visibilityTimeoutSeconds: number | undefined;
  readonly retentionSeconds: number | undefined;
  readonly maxReceiveCount: number | 'none' | undefined;
  readonly redriveArn: string | undefined;
  /** Those that may use it as their dead-letter queue; undefined for all. */
  readonly redriveAllowedFor: readonly string[] | undefined;
}

/** The queue of this ARN, when the app makes it. */
export function seenQueue(anywhere: IConstruct, queueArn: string): SeenQueue | undefined {
  const made = resourcesOf(anywhere, 'AWS::SQS::Queue').find((one) => arnOf(one) === queueArn);
  const properties = made === undefined ? undefined : rendered(made)?.properties;
  if (properties === undefined) return undefined;
  const redrive = documentIn(properties['RedrivePolicy']);
  const { deadLetterTargetArn, maxReceiveCount } = redrive ?? {};
  return {
    fifo: truthIn(properties['FifoQueue'], false),
    visibilityTimeoutSeconds: numberIn(properties['VisibilityTimeout'], serviceDefaults.visibilityTimeoutSeconds),
    retentionSeconds: numberIn(properties['MessageRetentionPeriod'], serviceDefaults.retentionSeconds),
    maxReceiveCount: redrive === undefined ? 'none' : numberIn(maxReceiveCount, undefined),
    redriveArn: isArn(deadLetterTargetArn) ? withoutPartition(deadLetterTargetArn) : undefined,
    redriveAllowedFor: allowedBy(documentIn(properties['RedriveAllowPolicy'])),
  };
}

/** Not an ARN that is known only at deployment. */
function isArn(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('arn:');
}

/** SQS takes both of its policies as a document or as its text. */
function documentIn(value: unknown): Properties | undefined {
  if (value === undefined || value === '') return undefined;
  return partOf(typeof value === 'string' ? JSON.parse(value) : value);
}

function allowedBy(policy: Properties | undefined): readonly string[] | undefined {
  switch (policy?.['redrivePermission']) {
    case 'denyAll':
      return [];
    case 'byQueue':
      return listIn(policy['sourceQueueArns']).map((arn) => withoutPartition(String(arn)));
    default:
      return undefined;
  }
}

/** An event source mapping of the app. */
export interface SeenEventSource {
  readonly path: string;
  readonly queueArn: string;
  /** Of the function behind; undefined when it is not known. */
  readonly functionArn: string | undefined;
  readonly batchSize: number;
  readonly maxBatchingWindowSeconds: number;
  readonly reportsBatchItemFailures: boolean;
  readonly enabled: boolean | undefined;
  readonly filters: number;
  readonly maxConcurrency: number | undefined;
  readonly provisionedPollers: ProvisionedPollers | undefined;
}

/** The event sources of the app that poll queues. */
export function seenEventSources(anywhere: IConstruct): readonly SeenEventSource[] {
  return resourcesOf(anywhere, 'AWS::Lambda::EventSourceMapping').flatMap((mapping) => {
    const properties = rendered(mapping)?.properties;
    return properties === undefined ? [] : [eventSource(mapping, properties)];
  });
}

function eventSource(mapping: CfnResource, properties: Properties): SeenEventSource {
  const {
    EventSourceArn,
    FunctionName,
    FunctionResponseTypes,
    FilterCriteria,
    ScalingConfig,
    ProvisionedPollerConfig,
  } = properties;
  const arn = functionArn(mapping.stack, FunctionName);
  return {
    path: mapping.node.path,
    queueArn: typeof EventSourceArn === 'string' ? withoutPartition(EventSourceArn) : JSON.stringify(EventSourceArn),
    functionArn: arn === undefined ? undefined : unqualified(arn),
    batchSize: numberIn(properties['BatchSize'], serviceDefaults.batchSize) ?? serviceDefaults.batchSize,
    maxBatchingWindowSeconds: numberIn(properties['MaximumBatchingWindowInSeconds'], 0) ?? 0,
    reportsBatchItemFailures: listIn(FunctionResponseTypes).includes('ReportBatchItemFailures'),
    enabled: truthIn(properties['Enabled'], true),
    filters: listIn(partOf(FilterCriteria)['Filters']).length,
    maxConcurrency: numberIn(partOf(ScalingConfig)['MaximumConcurrency'], undefined),
    provisionedPollers: ProvisionedPollerConfig === undefined ? undefined : pollersIn(partOf(ProvisionedPollerConfig)),
  };
}

function pollersIn({ MinimumPollers, MaximumPollers }: Properties): ProvisionedPollers {
  return {
    minimum: numberIn(MinimumPollers, defaultPollers.minimum),
    maximum: numberIn(MaximumPollers, defaultPollers.maximum),
  };
}

/* What is needed of existing resources while the app is under construction. Nothing may be rendered as a whole yet: see `soFar`. */

export function timeoutSoFar(aFunction: IFunction): number | undefined {
  const made = resourceBehind(functionBehind(aFunction), 'AWS::Lambda::Function');
  return made === undefined ? undefined : numberIn(soFar(made, 'timeout'), serviceDefaults.timeoutSeconds);
}

/** Whether the function has a capacity provider by now. */
export function isManagedSoFar(aFunction: IFunction): boolean {
  const made = resourceBehind(functionBehind(aFunction), 'AWS::Lambda::Function');
  return made !== undefined && soFar(made, 'capacityProviderConfig') !== undefined;
}

export function variablesSoFar(aFunction: IFunction): Properties {
  const made = resourceBehind(functionBehind(aFunction), 'AWS::Lambda::Function');
  return made === undefined ? {} : partOf(partOf(soFar(made, 'environment'))['variables']);
}

export function queueSoFar(
  queue: IQueue,
): Partial<Pick<SeenQueue, 'visibilityTimeoutSeconds' | 'retentionSeconds' | 'maxReceiveCount'>> {
  const made = resourceBehind(queue, 'AWS::SQS::Queue');
  if (made === undefined) return {};
  return {
    visibilityTimeoutSeconds: numberIn(soFar(made, 'visibilityTimeout'), serviceDefaults.visibilityTimeoutSeconds),
    retentionSeconds: numberIn(soFar(made, 'messageRetentionPeriod'), serviceDefaults.retentionSeconds),
    maxReceiveCount: numberIn(documentIn(soFar(made, 'redrivePolicy'))?.['maxReceiveCount'], undefined),
  };
}

/** Whether an event source feeds `aFunction`, or an alias of it, from `queue` already. */
export function hasEventSource(aFunction: IFunction, queue: IQueue): boolean {
  const [arn, queueArn] = [seenFunctionArn(aFunction), seenArn(queue, queue.queueArn)];
  return resourcesOf(queue, 'AWS::Lambda::EventSourceMapping').some((mapping) => {
    const from = soFar(mapping, 'eventSourceArn');
    const to = functionArn(mapping.stack, soFar(mapping, 'functionName'));
    const isFromQueue = typeof from === 'string' && withoutPartition(from) === queueArn;
    return isFromQueue && isSameFunction(to === undefined ? undefined : unqualified(to), arn);
  });
}

/** The table of claims, when the app makes it. */
export function seenTable(table: ITable): TableWiring | undefined {
  const arn = seenArn(table, table.tableArn);
  const tables = resourcesOf(table, 'AWS::DynamoDB::Table', 'AWS::DynamoDB::GlobalTable');
  const made = tables.find((one) => arnOf(one) === arn);
  const template = made === undefined ? undefined : rendered(made);
  if (made === undefined || template === undefined) return undefined;
  const { properties, deletionPolicy } = template;
  const home = regionOf(Stack.of(made));
  const replicas = listIn(properties['Replicas']).map(partOf);
  // What a table of one region has itself, a global table has for each of its regions.
  const own = { ...replicas.find(({ Region }) => Region === home), ...properties };
  const protection = truthIn(own['DeletionProtectionEnabled'], false);
  const recovery = partOf(own['PointInTimeRecoverySpecification'])['PointInTimeRecoveryEnabled'];
  return {
    name: made.node.scope?.node.path ?? made.node.path,
    key: keyIn(properties),
    replicas: [
      ...replicas.map(({ Region }) => String(Region)).filter((region) => region !== home),
      ...replicasOf(made),
    ],
    replication: properties['MultiRegionConsistency'] === 'STRONG' ? 'strong' : 'eventual',
    ttl: ttlIn(partOf(properties['TimeToLiveSpecification'])),
    isKept: protection === false ? String(deletionPolicy).startsWith('Retain') : protection,
    pointInTimeRecovery: truthIn(recovery, false),
  };
}

/** `Table` replicates by custom resources of its own. */
function replicasOf(made: CfnResource): readonly string[] {
  const name = arnOf(made)?.split('/').at(-1);
  return resourcesOf(made, 'Custom::DynamoDBReplica').flatMap((replica) => {
    const { TableName, Region } = rendered(replica)?.properties ?? {};
    return TableName === name ? [String(Region)] : [];
  });
}

function keyIn({ KeySchema, AttributeDefinitions }: Properties): readonly string[] {
  const definitions = listIn(AttributeDefinitions).map(partOf);
  return listIn(KeySchema).map((one) => {
    const { AttributeName, KeyType } = partOf(one);
    const type = definitions.find((definition) => definition['AttributeName'] === AttributeName)?.['AttributeType'];
    return `${AttributeName} (${KeyType}, ${type})`;
  });
}

function ttlIn({ AttributeName, Enabled }: Properties): TimeToLive | undefined {
  if (truthIn(Enabled, false) === false) return { kind: 'off' };
  return typeof AttributeName === 'string' ? { kind: 'on', attribute: AttributeName } : undefined;
}
