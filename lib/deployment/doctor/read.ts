import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { IAMClient } from '@aws-sdk/client-iam';
import {
  type EventSourceMappingConfiguration,
  type FunctionConfiguration,
  GetFunctionConcurrencyCommand,
  GetFunctionConfigurationCommand,
  LambdaClient,
  paginateListAliases,
  paginateListEventSourceMappings,
} from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import { deadLetterUrls } from '../../sqs/dead-letter-urls.ts';
import { DEAD_LETTER_ACTIONS, INDIVIDUAL_STORE_ACTIONS, LOCK_ACTIONS, QUEUE_ACTIONS, STORE_ACTIONS } from '../needs.ts';
import type { ConsumerFacts, EventSourceFacts, TableFacts } from './facts.ts';
import { orUndefined } from './or-undefined.ts';
import { readPermissions } from './read-permissions.ts';
import { readQueue } from './read-queue.ts';
import { readTable } from './read-table.ts';

export interface ReadOptions {
  /** @default the SDK's own: `AWS_REGION`, or the profile's */
  readonly region?: string | undefined;
  /** For functions that know their table by another variable than `CLAIMS_TABLE`. */
  readonly claimsTable?: string | undefined;
  /**
   * Whether the handlers use `individualDynamoStore`, which needs other permissions than `dynamoStore`.
   * @default false
   */
  readonly individualStore?: boolean | undefined;
  /**
   * Whether the handlers use `pawl/locks` on the claims table, which needs permissions of its own.
   * @default false
   */
  readonly locks?: boolean | undefined;
}

/** There is neither a stack nor a function of this name. */
export class NothingFoundError extends Error {
  override readonly name = 'NothingFoundError';
}

export interface Reading {
  readonly consumers: readonly ConsumerFacts[];
  /** Functions that were left out, each with the reason. */
  readonly skipped: readonly { readonly functionName: string; readonly reason: string }[];
}

/**
 * Reads all that is to be known about the consumers of a stack, or about one function. It only reads.
 *
 * @param name the name or ARN of a CloudFormation stack, or else of a Lambda function
 * @throws NothingFoundError
 */
export async function readDeployed(name: string, options: ReadOptions = {}): Promise<Reading> {
  const config = options.region === undefined ? {} : { region: options.region };
  const lambda = new LambdaClient(config);
  const sqs = new SQSClient(config);
  const dynamo = new DynamoDBClient(config);
  const iam = new IAMClient(config);
  const cloudFormation = new CloudFormationClient(config);
  const tables = new Map<string, Promise<TableFacts | undefined>>();

  /** Also those of the stacks that are nested in it, at any depth. */
  async function functionsOf(stack: string): Promise<readonly string[] | undefined> {
    const names: string[] = [];
    const nested: string[] = [];
    try {
      for await (const page of paginateListStackResources({ client: cloudFormation }, { StackName: stack })) {
        for (const { ResourceType, PhysicalResourceId = '' } of page.StackResourceSummaries ?? []) {
          if (ResourceType === 'AWS::Lambda::Function') names.push(PhysicalResourceId);
          if (ResourceType === 'AWS::CloudFormation::Stack') nested.push(PhysicalResourceId);
        }
      }
      for (const one of nested) names.push(...((await functionsOf(one)) ?? []));
    } catch (error) {
      // CloudFormation has no exception of its own for a stack that is not there, nor for a name that no stack can have.
      if (error instanceof Error && error.name === 'ValidationError') return undefined;
      throw error;
    }
    return names;
  }

  async function readFunction(FunctionName: string): Promise<FunctionConfiguration | undefined> {
    try {
      return await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
    } catch (error) {
      if (error instanceof Error && error.name === 'ResourceNotFoundException') return undefined;
      throw error;
    }
  }

  /** Of the function itself, and of its aliases, which have mappings of their own. */
  async function mappingsOf(functionName: string): Promise<readonly EventSourceMappingConfiguration[]> {
    const targets = [functionName];
    for await (const { Aliases = [] } of paginateListAliases({ client: lambda }, { FunctionName: functionName })) {
      targets.push(...Aliases.map(({ Name = '' }) => `${functionName}:${Name}`));
    }
    const found = new Map<string, EventSourceMappingConfiguration>();
    for (const FunctionName of targets) {
      for await (const page of paginateListEventSourceMappings({ client: lambda }, { FunctionName })) {
        for (const mapping of page.EventSourceMappings ?? []) found.set(mapping.UUID ?? '', mapping);
      }
    }
    return [...found.values()].filter(({ EventSourceArn = '' }) => EventSourceArn.split(':')[2] === 'sqs');
  }

  function tableNamed(TableName: string): Promise<TableFacts | undefined> {
    const known = tables.get(TableName) ?? orUndefined(() => readTable(dynamo, TableName));
    tables.set(TableName, known);
    return known;
  }

  /** All that Lambda polls of one queue, for whichever function. */
  async function mappingsFrom(queueArn: string | undefined): Promise<readonly EventSourceMappingConfiguration[]> {
    const found: EventSourceMappingConfiguration[] = [];
    const of = { EventSourceArn: queueArn };
    for await (const page of paginateListEventSourceMappings({ client: lambda }, of)) {
      found.push(...(page.EventSourceMappings ?? []));
    }
    return found;
  }

  /** What is kept for the function alone; `false` when nothing is. */
  async function reservedConcurrencyOf(FunctionName: string | undefined): Promise<number | false | undefined> {
    const answer = await orUndefined(() => lambda.send(new GetFunctionConcurrencyCommand({ FunctionName })));
    return answer === undefined ? undefined : (answer.ReservedConcurrentExecutions ?? false);
  }

  async function readConsumer(
    configuration: FunctionConfiguration,
    mapping: EventSourceMappingConfiguration,
    all: readonly EventSourceMappingConfiguration[],
    tableName: string,
  ): Promise<ConsumerFacts> {
    const { FunctionName = '', Timeout = 3, Environment, Runtime, Role } = configuration;
    const queueArn = mapping.EventSourceArn ?? '';
    const [queue, table, reservedConcurrency, ofQueue] = await Promise.all([
      readQueue(sqs, queueArn),
      tableNamed(tableName),
      reservedConcurrencyOf(FunctionName),
      mappingsFrom(queueArn),
    ]);
    const deadLetterQueue = queue?.redriveArn === undefined ? undefined : await readQueue(sqs, queue.redriveArn);
    const namedDeadLetterQueue = queueArnOf(
      deadLetterUrls(Environment?.Variables?.['DEAD_LETTER_QUEUE_URL'] ?? '')(queueArn),
      queueArn,
    );
    const isOwn = (one: EventSourceMappingConfiguration) =>
      unqualified(one.FunctionArn) === unqualified(mapping.FunctionArn);
    // A function whose own event source is disabled takes no message away from the others: it may be on its way in, or out.
    const shares = ofQueue.filter(isOwn).some(isEnabled);
    const others = ofQueue.filter((one) => shares && !isOwn(one) && isEnabled(one));
    return {
      functionName: FunctionName,
      timeoutSeconds: Timeout,
      runtime: Runtime,
      reservedConcurrency,
      source: eventSource(mapping),
      sources: ofQueue.filter(isOwn).map(({ FunctionArn, UUID }) => `${UUID} of ${FunctionArn}`),
      otherFunctions: others.map(({ FunctionArn = '' }) => FunctionArn),
      // What is disabled polls nothing, beside others; alone, it is there to be enabled one day.
      maxConcurrencyOfAll: (all.some(isEnabled) ? all.filter(isEnabled) : all)
        .map((one) => one.ScalingConfig?.MaximumConcurrency)
        .reduce((sum, one) => (sum === undefined || one === undefined ? undefined : sum + one)),
      queue,
      deadLetterQueue,
      namedDeadLetterQueue,
      table,
      permissions: await readPermissions(iam, Role, [
        { actions: tableActions(options), arn: table?.arn, on: 'the claims table', policy: [] },
        { actions: QUEUE_ACTIONS, arn: queue?.arn, on: 'the queue', policy: queue?.policy ?? [] },
        {
          actions: DEAD_LETTER_ACTIONS,
          arn: namedDeadLetterQueue === undefined ? undefined : deadLetterQueue?.arn,
          on: 'the dead-letter queue',
          policy: deadLetterQueue?.policy ?? [],
        },
      ]),
    };
  }

  try {
    const inStack = await functionsOf(name);
    const consumers: ConsumerFacts[] = [];
    const skipped: { functionName: string; reason: string }[] = [];
    for (const functionName of inStack ?? [name]) {
      const configuration = await readFunction(functionName);
      if (configuration === undefined) {
        if (inStack !== undefined) {
          skipped.push({ functionName, reason: 'the stack has it, and Lambda does not: it was deleted by hand' });
          continue;
        }
        throw new NothingFoundError(
          `There is neither a stack nor a function called ${name} in this region of this account.`,
        );
      }
      const tableName = options.claimsTable ?? configuration.Environment?.Variables?.['CLAIMS_TABLE'];
      const mappings = await mappingsOf(configuration.FunctionName ?? functionName);
      if (mappings.length === 0) skipped.push({ functionName, reason: 'no queue feeds it' });
      else if (tableName === undefined) {
        skipped.push({ functionName, reason: 'it has no CLAIMS_TABLE; name its table with --claims-table' });
      } else {
        for (const mapping of mappings) consumers.push(await readConsumer(configuration, mapping, mappings, tableName));
      }
    }
    return { consumers, skipped };
  } finally {
    for (const client of [lambda, sqs, dynamo, iam, cloudFormation]) client.destroy();
  }
}

/** What the handlers call on the claims table: what they use, no API tells. */
export function tableActions({ individualStore, locks }: ReadOptions): readonly string[] {
  const store: readonly string[] = individualStore === true ? INDIVIDUAL_STORE_ACTIONS : STORE_ACTIONS;
  return locks === true ? [...new Set([...store, ...LOCK_ACTIONS])] : store;
}

function eventSource(mapping: EventSourceMappingConfiguration): EventSourceFacts {
  return {
    enabled: isEnabled(mapping),
    batchSize: mapping.BatchSize ?? 10,
    maxBatchingWindowSeconds: mapping.MaximumBatchingWindowInSeconds ?? 0,
    reportsBatchItemFailures: mapping.FunctionResponseTypes?.includes('ReportBatchItemFailures') ?? false,
    filters: mapping.FilterCriteria?.Filters?.length ?? 0,
    maxConcurrency: mapping.ScalingConfig?.MaximumConcurrency,
  };
}

function isEnabled({ State = '' }: EventSourceMappingConfiguration): boolean {
  return State !== 'Disabled' && State !== 'Disabling';
}

function unqualified(functionArn = ''): string {
  return functionArn.split(':').slice(0, 7).join(':');
}

/** The ARN of a queue from its URL. Where the URL does not tell the region, as with a server of one's own, it is that of the other queue. */
function queueArnOf(url: string | undefined, otherArn: string): string | undefined {
  if (url === undefined || url === '') return undefined;
  const [account, name] = url.split('/').slice(-2);
  const [, partition, , region] = otherArn.split(':');
  const named = /^https?:\/\/(?:sqs\.([a-z0-9-]+)|([a-z0-9-]+)\.queue)\.amazonaws\.com/.exec(url);
  return `arn:${partition}:sqs:${named?.[1] ?? named?.[2] ?? region}:${account}:${name}`;
}
