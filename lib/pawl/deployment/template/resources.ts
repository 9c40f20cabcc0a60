import { consumerDefaults } from '../consumer-defaults.ts';
import { claimsTableDefinition, keyAttributes, type TableIndex } from '../table-definition.ts';
import { type Note, noted, rules, type Template, text, type Yaml, type YamlMap } from './notes.ts';
import type { Settings } from './settings.ts';
import { logActions, neededStatements, rulesOf } from './statements.ts';

/*
 * The resources of a consumer in CloudFormation's language, which AWS SAM and the Serverless Framework share. It owns no number and no action: those
 * come from the settings, the definition of the table and `needs.ts`.
 */

/** The logical ids of a consumer's resources. */
export interface Ids {
  readonly queue: string;
  readonly deadLetterQueue: string;
  readonly function: string;
  readonly role: string;
  readonly logs: string;
  readonly source: string;
}

const tableId = 'ClaimsTable';

export function idsOf({ name }: Settings): Ids {
  const prefix = name
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
  return {
    queue: `${prefix}Queue`,
    deadLetterQueue: `${prefix}DeadLetterQueue`,
    function: `${prefix}Function`,
    role: `${prefix}Role`,
    logs: `${prefix}Logs`,
    source: `${prefix}EventSource`,
  };
}

export const ref = (id: string): YamlMap => ({ Ref: id });
export const arn = (id: string): YamlMap => ({ 'Fn::GetAtt': [id, 'Arn'] });

export const tablePurpose = 'The claims of every consumer: one table is enough.';
export const encryption =
  'Encrypted at rest all the same, with a key that DynamoDB owns, at no charge. If true, with a key of KMS, which the role then has to use.';

/** The claims table; none if it exists already. */
export function tableResources({ claimsTable }: Settings): YamlMap {
  if (claimsTable !== undefined) return {};
  const { key, timeToLiveAttribute, indexes } = claimsTableDefinition;
  const properties = {
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: keyAttributes(claimsTableDefinition).map(({ name, type }) => ({
      AttributeName: name,
      AttributeType: type,
    })),
    KeySchema: noted(rules(...rulesOf.tableKey), [{ AttributeName: key.name, KeyType: 'HASH' }]),
    ...(indexes.length === 0 ? {} : { GlobalSecondaryIndexes: indexes.map(indexResource) }),
    TimeToLiveSpecification: noted(rules(...rulesOf.timeToLive), {
      AttributeName: timeToLiveAttribute,
      Enabled: true,
    }),
    PointInTimeRecoverySpecification: noted(rules(...rulesOf.recovery), { PointInTimeRecoveryEnabled: true }),
    DeletionProtectionEnabled: noted(rules(...rulesOf.deletion), true),
    SSESpecification: noted([text(encryption)], { SSEEnabled: false }),
  };
  return {
    [tableId]: noted([text(tablePurpose), ...rules(...rulesOf.table)], {
      Type: 'AWS::DynamoDB::Table',
      ...kept,
      Properties: properties,
    }),
  };
}

/** Without its records, every effect whose message returns would happen again. */
const kept = { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' };

function indexResource({ name, partitionKey, sortKey, projection }: TableIndex): YamlMap {
  return {
    IndexName: name,
    KeySchema: [
      { AttributeName: partitionKey.name, KeyType: 'HASH' },
      ...(sortKey === undefined ? [] : [{ AttributeName: sortKey.name, KeyType: 'RANGE' }]),
    ],
    Projection:
      typeof projection === 'string'
        ? { ProjectionType: projection }
        : { ProjectionType: 'INCLUDE', NonKeyAttributes: projection },
  };
}

/** The name and the ARN of the claims table, whether the template has it or not. */
function tableReferences({ claimsTable }: Settings): { readonly name: Yaml; readonly arn: Yaml } {
  if (claimsTable === undefined) return { name: ref(tableId), arn: arn(tableId) };
  const [partition, region, account] = ['Partition', 'Region', 'AccountId'].map((name) => `\${AWS::${name}}`);
  return {
    name: claimsTable,
    arn: { 'Fn::Sub': `arn:${partition}:dynamodb:${region}:${account}:table/${claimsTable}` },
  };
}

/** The queue, its dead-letter queue, and their policies. */
export function queueResources(settings: Settings): YamlMap {
  const ids = idsOf(settings);
  // SQS refuses the attribute on a standard queue, also with the value false.
  const kind: YamlMap = settings.fifo ? { FifoQueue: true } : {};
  return {
    [ids.deadLetterQueue]: {
      Type: 'AWS::SQS::Queue',
      Properties: {
        ...kind,
        MessageRetentionPeriod: noted(rules(...rulesOf.deadLetterRetention), settings.deadLetterRetentionSeconds),
        SqsManagedSseEnabled: true,
      },
    },
    [ids.queue]: {
      Type: 'AWS::SQS::Queue',
      Properties: {
        ...kind,
        VisibilityTimeout: noted(rules(...rulesOf.visibility), settings.visibilityTimeoutSeconds),
        MessageRetentionPeriod: noted(rules(...rulesOf.retention), settings.retentionSeconds),
        RedrivePolicy: noted(rules(...rulesOf.redrive), {
          deadLetterTargetArn: arn(ids.deadLetterQueue),
          maxReceiveCount: noted(rules(...rulesOf.receives), settings.maxReceiveCount),
        }),
        SqsManagedSseEnabled: true,
      },
    },
    [`${ids.queue}Policy`]: tlsOnly(ids.queue),
    [`${ids.deadLetterQueue}Policy`]: tlsOnly(ids.deadLetterQueue),
  };
}

function tlsOnly(queue: string): YamlMap {
  return {
    Type: 'AWS::SQS::QueuePolicy',
    Properties: {
      Queues: [ref(queue)],
      PolicyDocument: {
        Version: '2012-10-17',
        Statement: [
          {
            Effect: 'Deny',
            Principal: { AWS: '*' },
            Action: 'sqs:*',
            Resource: arn(queue),
            Condition: { Bool: { 'aws:SecureTransport': 'false' } },
          },
        ],
      },
    },
  };
}

/** What the function's role is permitted, apart from its logs. */
export function roleStatements(settings: Settings): readonly YamlMap[] {
  const ids = idsOf(settings);
  const arns = {
    table: tableReferences(settings).arn,
    queue: arn(ids.queue),
    deadLetterQueue: arn(ids.deadLetterQueue),
  };
  return neededStatements(settings).map(({ sid, actions, on }) => ({
    Sid: sid,
    Effect: 'Allow',
    Action: actions,
    Resource: typeof on === 'string' ? arns[on] : on.arn,
  }));
}

/** The function's log group, and a role that may write only there. */
function roleResources(settings: Settings): YamlMap {
  const ids = idsOf(settings);
  const statements = [
    ...roleStatements(settings),
    { Sid: 'Logs', Effect: 'Allow', Action: logActions, Resource: arn(ids.logs) },
  ];
  return {
    [ids.logs]: {
      Type: 'AWS::Logs::LogGroup',
      ...kept,
      Properties: { RetentionInDays: consumerDefaults.logRetentionDays },
    },
    [ids.role]: {
      Type: 'AWS::IAM::Role',
      Properties: {
        AssumeRolePolicyDocument: {
          Version: '2012-10-17',
          Statement: [{ Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' }],
        },
        Policies: noted(permissionNotes, [
          { PolicyName: 'pawl', PolicyDocument: { Version: '2012-10-17', Statement: statements } },
        ]),
      },
    },
  };
}

/** What the function of every format has. */
export function functionProperties(settings: Settings): YamlMap {
  const ids = idsOf(settings);
  return {
    Runtime: noted(rules(...rulesOf.runtime), consumerDefaults.runtime),
    Handler: 'index.handler',
    Architectures: [consumerDefaults.architecture],
    MemorySize: consumerDefaults.memoryMb,
    Timeout: noted(rules(...rulesOf.timeout), settings.timeoutSeconds),
    Role: arn(ids.role),
    LoggingConfig: { LogGroup: ref(ids.logs) },
    Environment: noted([text(handlerReads)], { Variables: variables(settings) }),
  };
}

export const permissionNotes: readonly Note[] = [
  text('The function needs all of these. None of them deletes, scans or queries claims.'),
  ...rules(...rulesOf.permissions),
];

export const handlerReads =
  'The handler reads both: dynamoStore({ tableName: process.env.CLAIMS_TABLE }) and deadLetterQueue(process.env.DEAD_LETTER_QUEUE_URL).';

export function variables(settings: Settings): YamlMap {
  return {
    NODE_OPTIONS: '--enable-source-maps',
    CLAIMS_TABLE: tableReferences(settings).name,
    DEAD_LETTER_QUEUE_URL: ref(idsOf(settings).deadLetterQueue),
    ...(settings.workflow === undefined ? {} : { WORKFLOW_ARN: settings.workflow }),
  };
}

/** How Lambda polls the queue. AWS SAM and CloudFormation name it alike. */
export function pollingProperties(settings: Settings): YamlMap {
  const { batchSize, maxBatchingWindowSeconds, maxConcurrency } = settings;
  return {
    BatchSize: noted(rules(...rulesOf.batch), batchSize),
    ...(maxBatchingWindowSeconds === 0 ? {} : { MaximumBatchingWindowInSeconds: maxBatchingWindowSeconds }),
    ...(maxConcurrency === undefined
      ? {}
      : { ScalingConfig: noted(rules(...rulesOf.maxConcurrency), { MaximumConcurrency: maxConcurrency }) }),
    FunctionResponseTypes: noted(rules(...rulesOf.partialResponses), ['ReportBatchItemFailures']),
  };
}

/**
 * A stack. CloudFormation and AWS SAM write everything alike but the function and its event source.
 *
 * @param sections of the template, beside those that both have
 * @param resources the function, and its event source if that is one
 */
export function stackOf(settings: Settings, sections: YamlMap, resources: YamlMap): Template {
  const document = {
    AWSTemplateFormatVersion: '2010-09-09',
    Description: `The consumer ${settings.name}, whose messages take effect once`,
    ...sections,
    Resources: { ...tableResources(settings), ...queueResources(settings), ...roleResources(settings), ...resources },
    Outputs: outputs(settings),
  };
  return { kind: 'yaml', document };
}

/** What a producer and an operator need. */
export function outputs(settings: Settings): YamlMap {
  const ids = idsOf(settings);
  return {
    [`${ids.function}Name`]: { Description: 'For: npx pawl doctor <function>', Value: ref(ids.function) },
    [`${ids.queue}Url`]: { Value: ref(ids.queue) },
    [`${ids.deadLetterQueue}Url`]: { Value: ref(ids.deadLetterQueue) },
    ...(settings.claimsTable === undefined ? { [`${tableId}Name`]: { Value: ref(tableId) } } : {}),
  };
}
