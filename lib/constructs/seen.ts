import { CfnResource, Duration, Stack } from 'aws-cdk-lib';
import { CfnGlobalTable, CfnTable, type ITable } from 'aws-cdk-lib/aws-dynamodb';
import { CfnEventSourceMapping, CfnFunction, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnQueue, type IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import type { Wiring } from './wiring.ts';

/*
 * What of existing resources can be seen at synth time: the template's own properties, which also hold what an escape hatch
 * or an aspect has changed. Of an imported resource nothing is seen; `undefined` then says so.
 */

/** What Lambda and SQS assume when a template does not say. */
const UNSAID = { timeoutSeconds: 3, visibilityTimeoutSeconds: 30, retentionSeconds: 345_600, batchSize: 10 } as const;

/** The function behind an alias or a version, which hold no settings of their own. */
export function functionBehind(aFunction: IFunction): IFunction {
  const { lambda } = aFunction as { readonly lambda?: IFunction };
  return lambda ?? aFunction;
}

export function seenTimeout(aFunction: IFunction): Duration | undefined {
  const made = resource(functionBehind(aFunction), CfnFunction.CFN_RESOURCE_TYPE_NAME) as CfnFunction | undefined;
  const seconds = made === undefined ? undefined : number(made, made.timeout, UNSAID.timeoutSeconds);
  return seconds === undefined ? undefined : Duration.seconds(seconds);
}

/** The variables of a function, as its template will have them; undefined when it was imported. */
export function seenEnvironment(aFunction: IFunction): Readonly<Record<string, unknown>> | undefined {
  const made = resource(aFunction, CfnFunction.CFN_RESOURCE_TYPE_NAME) as CfnFunction | undefined;
  if (made === undefined) return undefined;
  const environment = resolved(made, made.environment) as { readonly variables?: Readonly<Record<string, unknown>> };
  return environment?.variables ?? {};
}

export function seenQueue(
  queue: IQueue,
): Pick<Wiring, 'visibilityTimeoutSeconds' | 'retentionSeconds' | 'maxReceiveCount'> {
  const made = resource(queue, CfnQueue.CFN_RESOURCE_TYPE_NAME) as CfnQueue | undefined;
  if (made === undefined) return { visibilityTimeoutSeconds: undefined };
  const redrive = resolved(made, made.redrivePolicy) as { readonly maxReceiveCount?: unknown } | undefined;
  return {
    visibilityTimeoutSeconds: number(made, made.visibilityTimeout, UNSAID.visibilityTimeoutSeconds),
    retentionSeconds: number(made, made.messageRetentionPeriod, UNSAID.retentionSeconds),
    maxReceiveCount: redrive === undefined ? false : number(made, redrive.maxReceiveCount, undefined),
  };
}

/** The event sources in the app that feed `aFunction` from `queue`. */
export function seenEventSources(aFunction: IFunction, queue: IQueue): readonly CfnEventSourceMapping[] {
  const mappings = queue.node.root.node
    .findAll()
    .filter((node) => CfnResource.isCfnResource(node))
    .filter(({ cfnResourceType }) => cfnResourceType === CfnEventSourceMapping.CFN_RESOURCE_TYPE_NAME);
  return (mappings as CfnEventSourceMapping[]).filter(
    (mapping) =>
      same(mapping, mapping.eventSourceArn, queue.queueArn) &&
      (same(mapping, mapping.functionName, aFunction.functionName) ||
        same(mapping, mapping.functionName, aFunction.functionArn)),
  );
}

export function seenEventSource(
  mapping: CfnEventSourceMapping,
): Pick<Wiring, 'batchSize' | 'maxBatchingWindowSeconds' | 'reportsBatchItemFailures'> {
  const types = resolved(mapping, mapping.functionResponseTypes) as readonly unknown[] | undefined;
  return {
    batchSize: number(mapping, mapping.batchSize, UNSAID.batchSize) ?? UNSAID.batchSize,
    maxBatchingWindowSeconds: number(mapping, mapping.maximumBatchingWindowInSeconds, 0) ?? 0,
    reportsBatchItemFailures: types?.includes('ReportBatchItemFailures') ?? false,
  };
}

/** Whether Lambda deletes the messages that a pattern does not match. */
export function hasFilters(mapping: CfnEventSourceMapping): boolean {
  const criteria = resolved(mapping, mapping.filterCriteria) as { readonly filters?: readonly unknown[] } | undefined;
  return (criteria?.filters?.length ?? 0) > 0;
}

/** What makes a table unfit for claims, one sentence each; empty when it is fit or imported. */
export function tableProblems(table: ITable): string[] {
  const made = resource(table, CfnTable.CFN_RESOURCE_TYPE_NAME, CfnGlobalTable.CFN_RESOURCE_TYPE_NAME) as
    | CfnTable
    | CfnGlobalTable
    | undefined;
  if (made === undefined) return [];
  return [...replicaProblems(table, made), ...schemaProblems(made)];
}

function replicaProblems(table: ITable, made: CfnTable | CfnGlobalTable): string[] {
  // `Table` replicates by custom resources of its own; a `TableV2` counts its own region among its replicas.
  const custom = table.node
    .findAll()
    .filter((node) => CfnResource.isCfnResource(node))
    .filter(({ cfnResourceType }) => cfnResourceType === 'Custom::DynamoDBReplica').length;
  const replicas = 'replicas' in made ? (resolved(made, made.replicas) as readonly unknown[]).length - 1 : custom;
  if (replicas < 1) return [];
  return [
    `The claims table ${table.node.path} is replicated to ${replicas} other ${replicas === 1 ? 'region' : 'regions'}: a condition ` +
      'sees its own region only, so two regions would each grant the same claim. Take its replicas away, or use a table ' +
      'of its own region, such as ClaimsTable.',
  ];
}

interface Schema {
  readonly keySchema?: readonly { readonly attributeName: string; readonly keyType: string }[];
  readonly attributeDefinitions?: readonly { readonly attributeName: string; readonly attributeType: string }[];
}

function schemaProblems(made: CfnTable | CfnGlobalTable): string[] {
  const { keySchema = [], attributeDefinitions = [] } = resolved(made, {
    keySchema: made.keySchema,
    attributeDefinitions: made.attributeDefinitions,
  }) as Schema;
  const key = keySchema.map(({ attributeName, keyType }) => {
    const type = attributeDefinitions.find((definition) => definition.attributeName === attributeName)?.attributeType;
    return `${attributeName} (${keyType}, ${type})`;
  });
  if (key.length === 1 && key[0] === 'id (HASH, S)') return [];
  return [
    `The claims table's key is ${key.join(' and ')}, and claims are kept by id (HASH, S) alone: no claim could be written. ` +
      'Use a table of its own, such as ClaimsTable.',
  ];
}

/** The template's resource behind a construct; undefined when the construct was imported. */
function resource(construct: IConstruct, ...types: readonly string[]): CfnResource | undefined {
  const child = construct.node.defaultChild;
  return child !== undefined && CfnResource.isCfnResource(child) && types.includes(child.cfnResourceType)
    ? child
    : undefined;
}

function resolved(scope: IConstruct, value: unknown): unknown {
  return Stack.of(scope).resolve(value);
}

/** A number of the template; undefined when it is only known at deployment. */
function number(scope: IConstruct, value: unknown, unsaid: number | undefined): number | undefined {
  if (value === undefined) return unsaid;
  const known = resolved(scope, value);
  return typeof known === 'number' ? known : undefined;
}

function same(scope: IConstruct, one: unknown, other: unknown): boolean {
  return JSON.stringify(resolved(scope, one)) === JSON.stringify(resolved(scope, other));
}
