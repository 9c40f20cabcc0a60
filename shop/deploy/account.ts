import {
  CloudFormationClient,
  DescribeStacksCommand,
  paginateListStackResources,
} from '@aws-sdk/client-cloudformation';
import { DynamoDBClient, ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import { GetFunctionConfigurationCommand, LambdaClient, paginateListFunctions } from '@aws-sdk/client-lambda';
import {
  GetQueueAttributesCommand,
  paginateListQueues,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { REGION } from '../../lib/rehearsal/template.ts';

/** How many messages a queue holds, by what they are doing. */
export interface Depth {
  readonly ready: number;
  readonly delayed: number;
  readonly inFlight: number;
}

/** The claims of a table. */
export interface Claims {
  readonly total: number;
  /** How many are in each status. */
  readonly byStatus: ReadonlyMap<string, number>;
  readonly parked: ReadonlySet<string>;
}

/** The account that the stack was deployed to, as the AWS SDK sees it. */
export interface Account {
  readonly sqs: { readonly client: SQSClient };
  depth(queueUrl: string): Promise<Depth>;
  visibilitySeconds(queueUrl: string): Promise<number>;
  setVisibilitySeconds(queueUrl: string, seconds: number): Promise<void>;
  functionTimeoutSeconds(name: string): Promise<number>;
  /** The names that the stack's resources got, by type. */
  stackResources(
    stack: string,
  ): Promise<readonly { readonly type: string; readonly logicalId: string; readonly name: string }[]>;
  /** The claims, or `undefined` when there is no such table. */
  claims(table: string): Promise<Claims | undefined>;
  /** What there is of a stack that was destroyed, apart from what it was told to keep. */
  remains(stack: string): Promise<readonly string[]>;
  destroy(): void;
}

export function createAccount(endpoint: string): Account {
  const config = { endpoint, region: REGION, credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };
  const sqs = new SQSClient(config);
  const lambda = new LambdaClient(config);
  const dynamo = new DynamoDBClient(config);
  const cloudFormation = new CloudFormationClient(config);

  async function attributes(QueueUrl: string): Promise<Readonly<Record<string, string>>> {
    const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }));
    return Attributes ?? {};
  }

  return {
    sqs: { client: sqs },
    async depth(queueUrl) {
      const found = await attributes(queueUrl);
      return {
        ready: Number(found['ApproximateNumberOfMessages']),
        delayed: Number(found['ApproximateNumberOfMessagesDelayed']),
        inFlight: Number(found['ApproximateNumberOfMessagesNotVisible']),
      };
    },
    visibilitySeconds: async (queueUrl) => Number((await attributes(queueUrl))['VisibilityTimeout']),
    async setVisibilitySeconds(QueueUrl, seconds) {
      await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { VisibilityTimeout: String(seconds) } }));
    },
    async functionTimeoutSeconds(FunctionName) {
      return (await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }))).Timeout ?? 0;
    },
    async stackResources(StackName) {
      const found: { type: string; logicalId: string; name: string }[] = [];
      for await (const page of paginateListStackResources({ client: cloudFormation }, { StackName })) {
        for (const {
          ResourceType = '',
          LogicalResourceId = '',
          PhysicalResourceId = '',
        } of page.StackResourceSummaries ?? []) {
          found.push({ type: ResourceType, logicalId: LogicalResourceId, name: PhysicalResourceId });
        }
      }
      return found;
    },
    async claims(TableName) {
      const client = DynamoDBDocumentClient.from(dynamo);
      const byStatus = new Map<string, number>();
      const parked = new Set<string>();
      try {
        for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true })) {
          for (const { id, status } of Items) {
            byStatus.set(String(status), (byStatus.get(String(status)) ?? 0) + 1);
            if (status === 'parked') parked.add(String(id));
          }
        }
      } catch (error) {
        if (error instanceof ResourceNotFoundException) return undefined;
        throw error;
      }
      const total = [...byStatus.values()].reduce((sum, count) => sum + count, 0);
      return { total, byStatus, parked };
    },
    async remains(stack) {
      const found: string[] = [];
      for await (const { QueueUrls = [] } of paginateListQueues({ client: sqs }, { QueueNamePrefix: stack })) {
        found.push(...QueueUrls);
      }
      for await (const { Functions = [] } of paginateListFunctions({ client: lambda }, {})) {
        found.push(...Functions.map(({ FunctionName = '' }) => FunctionName).filter((name) => name.startsWith(stack)));
      }
      try {
        const { Stacks = [] } = await cloudFormation.send(new DescribeStacksCommand({ StackName: stack }));
        found.push(...Stacks.map(({ StackName, StackStatus }) => `${StackName} (${StackStatus})`));
      } catch (error) {
        // CloudFormation has no exception of its own for a stack that is not there.
        if (!(error instanceof Error && /does not exist/.test(error.message))) throw error;
      }
      return found;
    },
    destroy() {
      for (const client of [sqs, lambda, dynamo, cloudFormation]) client.destroy();
    },
  };
}
