import {
  CloudFormationClient,
  DescribeStacksCommand,
  paginateListStackResources,
} from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  GetRoleCommand,
  GetRolePolicyCommand,
  IAMClient,
  ListRolePoliciesCommand,
  UpdateAssumeRolePolicyCommand,
} from '@aws-sdk/client-iam';
import {
  GetFunctionConfigurationCommand,
  InvokeCommand,
  LambdaClient,
  PutFunctionConcurrencyCommand,
  paginateListFunctions,
} from '@aws-sdk/client-lambda';
import {
  GetQueueAttributesCommand,
  paginateListQueues,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import aws4 from 'aws4';
import { list, record, rehearsedAccount, rehearsedRegion } from '../../lib/rehearsal/engine/app/template.ts';
import type { QueueDepth } from '../../lib/rehearsal/engine/servers/sqs-local.ts';

export interface StackResource {
  readonly type: string;
  readonly logicalId: string;
  readonly name: string;
}

/** A rule of EventBridge's. */
interface RuleSchedule {
  readonly expression: string;
  readonly isEnabled: boolean;
  /** The ARNs of its targets. */
  readonly targets: readonly string[];
}

/** The account to which a stack was deployed, as the AWS SDK sees it. */
export interface Account {
  readonly sqs: { readonly client: SQSClient };
  readonly dynamo: DynamoDBClient;
  depth(queueUrl: string): Promise<QueueDepth>;
  visibilitySeconds(queueUrl: string): Promise<number>;
  setVisibilitySeconds(queueUrl: string, seconds: number): Promise<void>;
  functionTimeoutSeconds(name: string): Promise<number>;
  /** Lets so many invocations of a function run at once. Any more are throttled. */
  limitConcurrency(name: string, most: number): Promise<void>;
  /** The actions that the policies of a role permit. */
  actionsOf(roleName: string): Promise<ReadonlySet<string>>;
  /** Lets the account assume a role that only a service may assume, until it is disposed of. */
  letAccountAssume(roleName: string): Promise<AsyncDisposable>;
  /** Runs a function, and returns its response. @throws Error if it fails */
  invoke(name: string, event: unknown): Promise<unknown>;
  /** The schedule of a rule, and whom it calls. */
  scheduleOf(rule: string): Promise<RuleSchedule>;
  /** Gives a rule another schedule. Its targets stay. */
  setSchedule(rule: string, expression: string): Promise<void>;
  /** Where the stage `$default` of an HTTP API is in the emulator. @param url as AWS has it: `https://{id}.execute-api…/path` */
  reachable(url: string): string;
  /** The names that the stack's resources got, by type. */
  stackResources(stack: string): Promise<readonly StackResource[]>;
  /** What is left of a stack that was destroyed, apart from what the stack keeps. */
  remains(stack: string): Promise<readonly string[]>;
  destroy(): void;
}

/** One client for each service. */
interface Clients {
  readonly sqs: SQSClient;
  readonly lambda: LambdaClient;
  readonly dynamo: DynamoDBClient;
  readonly cloudFormation: CloudFormationClient;
  readonly iam: IAMClient;
}

export function createAccount(endpoint: string): Account {
  const config = { endpoint, region: rehearsedRegion, credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };
  const clients: Clients = {
    sqs: new SQSClient(config),
    lambda: new LambdaClient(config),
    dynamo: new DynamoDBClient(config),
    cloudFormation: new CloudFormationClient(config),
    iam: new IAMClient(config),
  };
  return {
    sqs: { client: clients.sqs },
    dynamo: clients.dynamo,
    depth: (queueUrl) => depth(clients, queueUrl),
    visibilitySeconds: async (queueUrl) => Number((await attributes(clients, queueUrl))['VisibilityTimeout']),
    async setVisibilitySeconds(QueueUrl, seconds) {
      const Attributes = { VisibilityTimeout: String(seconds) };
      await clients.sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
    },
    async functionTimeoutSeconds(FunctionName) {
      return (await clients.lambda.send(new GetFunctionConfigurationCommand({ FunctionName }))).Timeout ?? 0;
    },
    async limitConcurrency(FunctionName, ReservedConcurrentExecutions) {
      await clients.lambda.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions }));
    },
    actionsOf: (roleName) => actionsOf(clients, roleName),
    letAccountAssume: (roleName) => letAccountAssume(clients, roleName),
    invoke: (name, event) => invoke(clients, name, event),
    scheduleOf: (rule) => scheduleOf(endpoint, rule),
    async setSchedule(Name, ScheduleExpression) {
      await askEvents(endpoint, 'PutRule', { Name, ScheduleExpression });
    },
    reachable: (url) => reachable(endpoint, url),
    stackResources: (stack) => stackResources(clients, stack),
    remains: async (stack) => [
      ...(await queuesOf(clients, stack)),
      ...(await functionsOf(clients, stack)),
      ...(await statusOf(clients, stack)),
    ],
    destroy() {
      for (const client of Object.values(clients)) client.destroy();
    },
  };
}

async function actionsOf({ iam }: Clients, RoleName: string): Promise<ReadonlySet<string>> {
  const actions = new Set<string>();
  const { PolicyNames = [] } = await iam.send(new ListRolePoliciesCommand({ RoleName }));
  for (const PolicyName of PolicyNames) {
    const { PolicyDocument } = await iam.send(new GetRolePolicyCommand({ RoleName, PolicyName }));
    const { Statement } = record(JSON.parse(decodeURIComponent(PolicyDocument ?? '{}')));
    for (const statement of list(Statement))
      for (const action of [record(statement)['Action']].flat()) actions.add(String(action));
  }
  return actions;
}

async function letAccountAssume({ iam }: Clients, RoleName: string): Promise<AsyncDisposable> {
  const { Role } = await iam.send(new GetRoleCommand({ RoleName }));
  const before = decodeURIComponent(Role?.AssumeRolePolicyDocument ?? '');
  const set = (PolicyDocument: string) => iam.send(new UpdateAssumeRolePolicyCommand({ RoleName, PolicyDocument }));
  const Statement = {
    Effect: 'Allow',
    Action: 'sts:AssumeRole',
    Principal: { AWS: `arn:aws:iam::${rehearsedAccount}:root` },
  };
  await set(JSON.stringify({ Version: '2012-10-17', Statement }));
  return { [Symbol.asyncDispose]: async () => void (await set(before)) };
}

async function invoke({ lambda }: Clients, FunctionName: string, event: unknown): Promise<unknown> {
  const Payload = Buffer.from(JSON.stringify(event));
  const { FunctionError, Payload: response } = await lambda.send(new InvokeCommand({ FunctionName, Payload }));
  const text = Buffer.from(response ?? []).toString('utf8');
  if (FunctionError !== undefined) throw new Error(`${FunctionName} failed: ${text}`);
  return JSON.parse(text);
}

async function scheduleOf(endpoint: string, Rule: string): Promise<RuleSchedule> {
  const { ScheduleExpression, State } = await askEvents(endpoint, 'DescribeRule', { Name: Rule });
  const { Targets } = await askEvents(endpoint, 'ListTargetsByRule', { Rule });
  return {
    expression: String(ScheduleExpression),
    isEnabled: State === 'ENABLED',
    targets: list(Targets).map((target) => String(record(target)['Arn'])),
  };
}

/** A request to EventBridge. Its SDK client would be one more package, for three calls. @throws Error if it is refused */
async function askEvents(
  endpoint: string,
  operation: string,
  input: object,
): Promise<Readonly<Record<string, unknown>>> {
  const { host } = new URL(endpoint);
  const body = JSON.stringify(input);
  const headers = { 'Content-Type': 'application/x-amz-json-1.1', 'X-Amz-Target': `AWSEvents.${operation}` };
  const request = { host, method: 'POST', path: '/', service: 'events', region: rehearsedRegion, headers, body };
  const signed = aws4.sign(request, { accessKeyId: 'test', secretAccessKey: 'test' });
  const response = await fetch(endpoint, { method: 'POST', body, headers: signed.headers as Record<string, string> });
  const text = await response.text();
  if (!response.ok) throw new Error(`EventBridge refused ${operation}: ${response.status} ${text}`);
  return record(JSON.parse(text === '' ? '{}' : text));
}

/** Not every machine resolves names below `localhost`: the emulator takes the API's id in the path as well. */
function reachable(endpoint: string, url: string): string {
  // Not `new URL`: to it, the emulator's `{id}.execute-api.127.0.0.1` is an address with parts that are no numbers.
  const [, id = '', path = ''] = /^https:\/\/([^./]+)\.[^/]+(\/.*)?$/.exec(url) ?? [];
  return `${endpoint}/_aws/execute-api/${id}/$default${path}`;
}

async function attributes({ sqs }: Clients, QueueUrl: string): Promise<Readonly<Record<string, string>>> {
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }));
  return Attributes ?? {};
}

async function depth(clients: Clients, queueUrl: string): Promise<QueueDepth> {
  const found = await attributes(clients, queueUrl);
  return {
    ready: Number(found['ApproximateNumberOfMessages']),
    delayed: Number(found['ApproximateNumberOfMessagesDelayed']),
    inFlight: Number(found['ApproximateNumberOfMessagesNotVisible']),
  };
}

async function stackResources(
  { cloudFormation: client }: Clients,
  StackName: string,
): Promise<readonly StackResource[]> {
  const found: StackResource[] = [];
  for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName })) {
    for (const { ResourceType = '', LogicalResourceId = '', PhysicalResourceId = '' } of StackResourceSummaries) {
      found.push({ type: ResourceType, logicalId: LogicalResourceId, name: PhysicalResourceId });
    }
  }
  return found;
}

async function queuesOf({ sqs: client }: Clients, stack: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { QueueUrls = [] } of paginateListQueues({ client }, { QueueNamePrefix: stack })) {
    found.push(...QueueUrls);
  }
  return found;
}

async function functionsOf({ lambda: client }: Clients, stack: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { Functions = [] } of paginateListFunctions({ client }, {})) {
    found.push(...Functions.map(({ FunctionName = '' }) => FunctionName).filter((name) => name.startsWith(stack)));
  }
  return found;
}

async function statusOf({ cloudFormation }: Clients, StackName: string): Promise<readonly string[]> {
  try {
    const { Stacks = [] } = await cloudFormation.send(new DescribeStacksCommand({ StackName }));
    return Stacks.map((stack) => `${stack.StackName} (${stack.StackStatus})`);
  } catch (error) {
    // CloudFormation has no exception of its own for a stack that is not there.
    if (error instanceof Error && error.message.includes('does not exist')) return [];
    throw error;
  }
}
