import { readFileSync } from 'node:fs';
import { onlyOnKeys } from '../../lib/pawl/deployment/condition.ts';

/** The timeout of the functions, and the visibility timeouts of a queue that fits it and of one that does not. */
const functionSeconds = 30;
export const visibilitySeconds = 60;
const tooShortSeconds = 5;

/** How the keys begin that the role of `ByKey` may reach. */
export const ownKeys = 'mine#';

const code = readFileSync(new URL('function.cjs', import.meta.url), 'utf8');
const table = { 'Fn::GetAtt': ['Table', 'Arn'] };
const queue = { 'Fn::GetAtt': ['Queue', 'Arn'] };

interface Statement {
  readonly Effect: 'Allow';
  readonly Action: readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

function allow(Resource: unknown, ...Action: readonly string[]): Statement {
  return { Effect: 'Allow', Action, Resource };
}

/** A function with the code of all of them, and a role that permits these statements and its logs. */
function functionWith(name: string, statements: readonly Statement[]) {
  return {
    [`${name}Role`]: {
      Type: 'AWS::IAM::Role',
      Properties: {
        AssumeRolePolicyDocument: {
          Version: '2012-10-17',
          Statement: [{ Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' }],
        },
        Policies: [
          {
            PolicyName: 'verify',
            PolicyDocument: {
              Version: '2012-10-17',
              Statement: [
                ...statements,
                allow({ 'Fn::GetAtt': ['Logs', 'Arn'] }, 'logs:CreateLogStream', 'logs:PutLogEvents'),
              ],
            },
          },
        ],
      },
    },
    [name]: {
      Type: 'AWS::Lambda::Function',
      Properties: {
        Runtime: 'nodejs24.x',
        Handler: 'index.handler',
        Architectures: ['arm64'],
        MemorySize: 1024,
        Timeout: functionSeconds,
        Role: { 'Fn::GetAtt': [`${name}Role`, 'Arn'] },
        Environment: { Variables: { TABLE: { Ref: 'Table' }, QUEUE_URL: { Ref: 'Queue' } } },
        // A group of its own: the one that Lambda makes would outlive the stack.
        LoggingConfig: { LogGroup: { Ref: 'Logs' } },
        Code: { ZipFile: code },
      },
    },
  };
}

const resources = {
  Table: {
    Type: 'AWS::DynamoDB::Table',
    DeletionPolicy: 'Delete',
    Properties: {
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
      StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
    },
  },
  DeadLetters: { Type: 'AWS::SQS::Queue', Properties: {} },
  Queue: {
    Type: 'AWS::SQS::Queue',
    Properties: {
      VisibilityTimeout: visibilitySeconds,
      RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': ['DeadLetters', 'Arn'] }, maxReceiveCount: 5 },
    },
  },
  ShortQueue: { Type: 'AWS::SQS::Queue', Properties: { VisibilityTimeout: tooShortSeconds } },
  Logs: { Type: 'AWS::Logs::LogGroup', DeletionPolicy: 'Delete', Properties: { RetentionInDays: 1 } },
  ...functionWith('ByStatement', [allow(table, 'dynamodb:PartiQLInsert', 'dynamodb:PartiQLUpdate')]),
  ...functionWith('ByItem', [allow(table, 'dynamodb:PutItem', 'dynamodb:UpdateItem')]),
  ...functionWith('ByKey', [
    {
      ...allow(table, 'dynamodb:PartiQLInsert', 'dynamodb:PartiQLUpdate', 'dynamodb:BatchGetItem'),
      Condition: onlyOnKeys([{ startsWith: ownKeys }]),
    },
  ]),
  ...functionWith('Worker', [
    allow(table, 'dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:BatchGetItem', 'dynamodb:PartiQLInsert'),
    allow(
      { 'Fn::GetAtt': ['Table', 'StreamArn'] },
      'dynamodb:GetRecords',
      'dynamodb:GetShardIterator',
      'dynamodb:DescribeStream',
      'dynamodb:ListStreams',
    ),
    allow(
      [queue, { 'Fn::GetAtt': ['ShortQueue', 'Arn'] }],
      'sqs:ReceiveMessage',
      'sqs:DeleteMessage',
      'sqs:GetQueueAttributes',
      'sqs:ChangeMessageVisibility',
    ),
  ]),
  FromQueue: {
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: {
      FunctionName: { Ref: 'Worker' },
      EventSourceArn: queue,
      BatchSize: 10,
      MaximumBatchingWindowInSeconds: 2,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    },
  },
  FromStream: {
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: {
      FunctionName: { Ref: 'Worker' },
      EventSourceArn: { 'Fn::GetAtt': ['Table', 'StreamArn'] },
      StartingPosition: 'TRIM_HORIZON',
      BatchSize: 10,
      FilterCriteria: { Filters: [{ Pattern: '{"dynamodb":{"Keys":{"id":{"S":[{"prefix":"stream#"}]}}}}' }] },
    },
  },
} as const;

const output = (Value: unknown) => ({ Value });

/** The temporary stack: a table like pawl's, queues, and one function under four roles. */
export const template = {
  Description: 'Temporary: npm run e2e -- account of pawl. It may be deleted at any time.',
  Resources: resources,
  Outputs: {
    Table: output({ Ref: 'Table' }),
    Queue: output({ Ref: 'Queue' }),
    QueueArn: output(queue),
    DeadLetters: output({ Ref: 'DeadLetters' }),
    DeadLettersArn: output({ 'Fn::GetAtt': ['DeadLetters', 'Arn'] }),
    ShortQueueArn: output({ 'Fn::GetAtt': ['ShortQueue', 'Arn'] }),
    ByStatement: output({ Ref: 'ByStatement' }),
    ByItem: output({ Ref: 'ByItem' }),
    ByKey: output({ Ref: 'ByKey' }),
    Worker: output({ Ref: 'Worker' }),
  },
};

/** What of the stack the checks use, by the names of its outputs. */
export type Resources = Readonly<Record<keyof typeof template.Outputs, string>>;
