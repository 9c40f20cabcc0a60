import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { IAMClient, paginateSimulatePrincipalPolicy } from '@aws-sdk/client-iam';
import {
  type EventSourceMappingConfiguration,
  type FunctionConfiguration,
  GetFunctionConfigurationCommand,
  LambdaClient,
  paginateListAliases,
  paginateListEventSourceMappings,
} from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand, GetQueueUrlCommand, SQSClient } from '@aws-sdk/client-sqs';
import {
  DEAD_LETTER_ACTIONS,
  INDIVIDUAL_STORE_ACTIONS,
  LOCK_ACTIONS,
  QUEUE_ACTIONS,
  STORE_ACTIONS,
} from '../constructs/needs.ts';
import type { ConsumerFacts, EventSourceFacts, Permission, QueueFacts, TableFacts } from './facts.ts';

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

  async function functionsOf(stack: string): Promise<readonly string[] | undefined> {
    const names: string[] = [];
    try {
      for await (const page of paginateListStackResources({ client: cloudFormation }, { StackName: stack })) {
        for (const { ResourceType, PhysicalResourceId = '' } of page.StackResourceSummaries ?? []) {
          if (ResourceType === 'AWS::Lambda::Function') names.push(PhysicalResourceId);
        }
      }
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

  async function readQueue(
    arn: string,
  ): Promise<(QueueFacts & { readonly deadLetterArn: string | undefined }) | undefined> {
    const [, , , , account, name = ''] = arn.split(':');
    return orUndefined(async () => {
      const where = { QueueName: name, ...(account === undefined ? {} : { QueueOwnerAWSAccountId: account }) };
      const { QueueUrl } = await sqs.send(new GetQueueUrlCommand(where));
      const { Attributes = {} } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }));
      const redrive = Attributes.RedrivePolicy === undefined ? undefined : parseRedrive(Attributes.RedrivePolicy);
      return {
        name,
        arn,
        fifo: Attributes.FifoQueue === 'true',
        visibilityTimeoutSeconds: Number(Attributes.VisibilityTimeout),
        retentionSeconds: Number(Attributes.MessageRetentionPeriod),
        maxReceiveCount: redrive?.maxReceiveCount ?? false,
        deadLetterArn: redrive?.deadLetterArn,
      };
    });
  }

  function readTable(TableName: string): Promise<TableFacts | undefined> {
    const known = tables.get(TableName) ?? orUndefined(() => describeTable(TableName));
    tables.set(TableName, known);
    return known;
  }

  async function describeTable(TableName: string): Promise<TableFacts> {
    const [{ Table }, ttl, backups] = await Promise.all([
      dynamo.send(new DescribeTableCommand({ TableName })),
      orUndefined(() => dynamo.send(new DescribeTimeToLiveCommand({ TableName }))),
      orUndefined(() => dynamo.send(new DescribeContinuousBackupsCommand({ TableName }))),
    ]);
    const type = (name: string | undefined) =>
      Table?.AttributeDefinitions?.find(({ AttributeName }) => AttributeName === name)?.AttributeType;
    const status = ttl?.TimeToLiveDescription?.TimeToLiveStatus;
    const home = Table?.TableArn?.split(':')[3];
    return {
      name: Table?.TableName ?? TableName,
      arn: Table?.TableArn ?? '',
      key: (Table?.KeySchema ?? []).map(
        ({ AttributeName, KeyType }) => `${AttributeName} (${KeyType}, ${type(AttributeName)})`,
      ),
      replicas: (Table?.Replicas ?? []).map(({ RegionName = '' }) => RegionName).filter((region) => region !== home),
      ttlAttribute:
        status === undefined
          ? undefined
          : status.startsWith('ENABL') && (ttl?.TimeToLiveDescription?.AttributeName ?? false),
      deletionProtection: Table?.DeletionProtectionEnabled ?? false,
      pointInTimeRecovery:
        backups === undefined
          ? undefined
          : backups.ContinuousBackupsDescription?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus ===
            'ENABLED',
    };
  }

  async function readPermissions(
    role: string | undefined,
    needs: readonly { readonly actions: readonly string[]; readonly arn: string | undefined; readonly on: string }[],
  ): Promise<readonly Permission[] | undefined> {
    if (role === undefined) return undefined;
    return orUndefined(async () => {
      const found: Permission[] = [];
      for (const { actions, arn, on } of needs) {
        if (arn === undefined) continue;
        const question = { PolicySourceArn: role, ActionNames: [...actions], ResourceArns: [arn] };
        for await (const page of paginateSimulatePrincipalPolicy({ client: iam }, question)) {
          for (const { EvalActionName = '', EvalDecision } of page.EvaluationResults ?? []) {
            found.push({ action: EvalActionName, on, allowed: EvalDecision === 'allowed' });
          }
        }
      }
      return found;
    });
  }

  async function readConsumer(
    configuration: FunctionConfiguration,
    mapping: EventSourceMappingConfiguration,
    tableName: string,
  ): Promise<ConsumerFacts> {
    const variables = configuration.Environment?.Variables ?? {};
    const [queue, table] = await Promise.all([readQueue(mapping.EventSourceArn ?? ''), readTable(tableName)]);
    const deadLetterQueue = queue?.deadLetterArn === undefined ? undefined : await readQueue(queue.deadLetterArn);
    const namedDeadLetterQueue = variables['DEAD_LETTER_QUEUE_URL']?.split('/').at(-1);
    return {
      functionName: configuration.FunctionName ?? '',
      timeoutSeconds: configuration.Timeout ?? 3,
      source: eventSource(mapping),
      queue,
      deadLetterQueue,
      namedDeadLetterQueue,
      table,
      permissions: await readPermissions(configuration.Role, [
        {
          actions: tableActions(options),
          arn: table?.arn,
          on: 'the claims table',
        },
        { actions: QUEUE_ACTIONS, arn: queue?.arn, on: 'the queue' },
        {
          actions: DEAD_LETTER_ACTIONS,
          arn: namedDeadLetterQueue === undefined ? undefined : deadLetterQueue?.arn,
          on: 'the dead-letter queue',
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
        for (const mapping of mappings) consumers.push(await readConsumer(configuration, mapping, tableName));
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
    enabled: !['Disabled', 'Disabling'].includes(mapping.State ?? ''),
    batchSize: mapping.BatchSize ?? 10,
    maxBatchingWindowSeconds: mapping.MaximumBatchingWindowInSeconds ?? 0,
    reportsBatchItemFailures: mapping.FunctionResponseTypes?.includes('ReportBatchItemFailures') ?? false,
    filters: mapping.FilterCriteria?.Filters?.length ?? 0,
  };
}

function parseRedrive(text: string): { readonly deadLetterArn: string; readonly maxReceiveCount: number } {
  const { deadLetterTargetArn, maxReceiveCount } = JSON.parse(text);
  return { deadLetterArn: String(deadLetterTargetArn), maxReceiveCount: Number(maxReceiveCount) };
}

/**
 * What is not there, and what we may not see, is not known; that is a finding of its own. Anything else, such as credentials that are
 * no good or a network that is down, ends the examination.
 */
async function orUndefined<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (
      error instanceof Error &&
      /AccessDenied|NotAuthorized|NonExistent|NotFound|DoesNotExist|NoSuchEntity/.test(error.name)
    ) {
      return undefined;
    }
    throw error;
  }
}
