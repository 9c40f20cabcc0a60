import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, vi } from 'vitest';
import { openIndex } from '../../lib/pawl/stores/dynamodb/open-index.ts';

/** What an account answers to those who only look at it. */
export interface DescribedAccount {
  /** The resources of each stack: type and physical id. */
  readonly stacks: Readonly<Record<string, readonly (readonly [type: string, id: string])[] | 'denied'>>;
  readonly functions: Readonly<Record<string, object | 'denied'>>;
  readonly reservedConcurrency?: Readonly<Record<string, number>>;
  readonly mappings: readonly { readonly FunctionArn: string; readonly EventSourceArn: string }[] | 'denied';
  /** The attributes of each queue. */
  readonly queues: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly table: object;
  /** The table of its outbox, by the name `outbox`, and the attribute by which it deletes. */
  readonly outbox?: { readonly table: object | 'denied'; readonly ttl: string | undefined };
  /** The rules of EventBridge, by their names, each with the function that it starts. */
  readonly rules?: Readonly<Record<string, DescribedRule>> | 'denied';
  readonly alarms?: readonly object[] | 'denied';
  /** The maximum of `SweepNotRegistered` over the last day; undefined where there is no such metric. */
  readonly notRegistered?: number | 'denied' | undefined;
  /** What IAM says of an action, on the keys that the question names; `undefined` if it names none. */
  readonly decisionOn: (action: string, leadingKeys?: readonly string[]) => string;
}

interface DescribedRule {
  readonly target: string;
  readonly ScheduleExpression?: string;
  readonly EventPattern?: string;
  readonly State: string;
}

/** The ARN of something in the account. */
export const arn = (service: string, name: string) => `arn:aws:${service}:eu-west-1:123456789012:${name}`;

/** A sound table of claims with its index, as `DescribeTable` has it. */
export const describedTable = {
  TableName: 'claims',
  TableArn: arn('dynamodb', 'table/claims'),
  DeletionProtectionEnabled: true,
  KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
  AttributeDefinitions: [
    { AttributeName: 'id', AttributeType: 'S' },
    { AttributeName: 'open', AttributeType: 'S' },
    { AttributeName: 'firstSeenAt', AttributeType: 'N' },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'open',
      IndexStatus: 'ACTIVE',
      KeySchema: [
        { AttributeName: 'open', KeyType: 'HASH' },
        { AttributeName: 'firstSeenAt', KeyType: 'RANGE' },
      ],
      Projection: {
        ProjectionType: 'INCLUDE',
        NonKeyAttributes: [...openIndex.projected],
      },
    },
  ],
};

/** An endpoint of AWS for the SDK's own clients, which answers as the account is described. */
export async function startDescribedAccount(account: DescribedAccount) {
  const server = createServer(async (request, response) => {
    const { status = 200, body } = answer(account, request, await textOf(request));
    response.writeHead(status, { 'content-type': typeof body === 'string' ? 'text/xml' : 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** For the tests of a file: describes the account that the SDK's own clients find, in place of the one before. It ends with its test. */
export function useDescribedAccounts(): (account: DescribedAccount) => Promise<void> {
  let stop = async () => {};
  beforeEach(() => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'any');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'any');
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await stop();
    stop = async () => {};
  });
  return async (account) => {
    await stop();
    const server = await startDescribedAccount(account);
    stop = server.stop;
    vi.stubEnv('AWS_ENDPOINT_URL', server.endpoint);
  };
}

interface Answer {
  readonly status?: number;
  readonly body: unknown;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request) text += part;
  return text;
}

function answer(account: DescribedAccount, request: IncomingMessage, text: string): Answer {
  const target = String(request.headers['x-amz-target'] ?? '').split('.')[1];
  if (target !== undefined) return jsonAnswer(account, target, JSON.parse(text), String(request.headers.host));
  const url = new URL(request.url ?? '/', 'http://aws');
  return url.pathname === '/' ? queryAnswer(account, new URLSearchParams(text)) : lambdaAnswer(account, url);
}

function jsonAnswer(
  account: DescribedAccount,
  target: string,
  input: Readonly<Record<string, string>>,
  host: string,
): Answer {
  switch (target) {
    case 'GetQueueUrl':
      return { body: { QueueUrl: `http://${host}/123456789012/${input['QueueName']}` } };
    case 'GetQueueAttributes':
      return { body: { Attributes: account.queues[input['QueueUrl']?.split('/').at(-1) ?? ''] } };
    case 'DescribeTable': {
      const table = input['TableName'] === 'outbox' ? account.outbox?.table : account.table;
      return table === 'denied' ? denied : { body: { Table: table } };
    }
    case 'GetItem':
      return { body: {} };
    case 'ListRuleNamesByTarget':
    case 'DescribeRule':
    case 'DescribeAlarms':
    case 'GetMetricStatistics':
      return watchAnswer(account, target, input);
    case 'DescribeTimeToLive': {
      const AttributeName = input['TableName'] === 'outbox' ? account.outbox?.ttl : 'expiresAt';
      const TimeToLiveStatus = AttributeName === undefined ? 'DISABLED' : 'ENABLED';
      return { body: { TimeToLiveDescription: { TimeToLiveStatus, AttributeName } } };
    }
    default:
      return {
        body: {
          ContinuousBackupsDescription: {
            ContinuousBackupsStatus: 'ENABLED',
            PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: 'ENABLED' },
          },
        },
      };
  }
}

/** What EventBridge and CloudWatch say about what a schedule starts. */
function watchAnswer(
  { rules = {}, alarms = [], notRegistered }: DescribedAccount,
  target: string,
  input: Readonly<Record<string, string>>,
): Answer {
  if (target === 'DescribeAlarms') return alarms === 'denied' ? denied : { body: { MetricAlarms: alarms } };
  if (target === 'GetMetricStatistics') {
    if (notRegistered === 'denied') return denied;
    return { body: { Datapoints: notRegistered === undefined ? [] : [{ Maximum: notRegistered }] } };
  }
  if (rules === 'denied') return denied;
  if (target === 'DescribeRule') return { body: rules[input['Name'] ?? ''] };
  const names = Object.keys(rules).filter((name) => rules[name]?.target === input['TargetArn']);
  // A page has one name.
  const page = Number(input['NextToken'] ?? 0);
  const NextToken = page + 1 < names.length ? String(page + 1) : undefined;
  return { body: { RuleNames: names.slice(page, page + 1), NextToken } };
}

function queryAnswer(account: DescribedAccount, form: URLSearchParams): Answer {
  const action = form.get('Action') ?? '';
  const wrap = (inner: string) => `<${action}Response><${action}Result>${inner}</${action}Result></${action}Response>`;
  if (action === 'ListStackResources') {
    const resources = account.stacks[form.get('StackName') ?? ''];
    if (resources === undefined || resources === 'denied') {
      const code = resources === undefined ? 'ValidationError' : 'AccessDenied';
      return { status: 400, body: `<ErrorResponse><Error><Code>${code}</Code></Error></ErrorResponse>` };
    }
    const members = resources.map(
      ([type, id]) =>
        `<member><ResourceType>${type}</ResourceType><PhysicalResourceId>${id}</PhysicalResourceId></member>`,
    );
    return { body: wrap(`<StackResourceSummaries>${members.join('')}</StackResourceSummaries>`) };
  }
  const valuesOf = (part: string) => [...form].filter(([name]) => name.includes(part)).map(([, value]) => value);
  const actions = valuesOf('ActionNames.');
  const isOfKeys = valuesOf('ContextKeyName').includes('dynamodb:LeadingKeys');
  const keys = isOfKeys ? valuesOf('ContextKeyValues.') : undefined;
  // IAM names what a policy asks for, and the question does not say.
  const missing = isOfKeys ? '' : '<MissingContextValues><member>dynamodb:LeadingKeys</member></MissingContextValues>';
  const detail = (decision: string) =>
    decision === 'limited' ? `implicitDeny</EvalDecision>${missing}` : `${decision}</EvalDecision>`;
  const results = actions.map(
    (name) =>
      `<member><EvalActionName>${name}</EvalActionName><EvalDecision>${detail(account.decisionOn(name, keys))}</member>`,
  );
  return { body: wrap(`<IsTruncated>false</IsTruncated><EvaluationResults>${results.join('')}</EvaluationResults>`) };
}

const denied = { status: 403, body: { __type: 'AccessDeniedException', message: 'not authorized' } } as const;

function lambdaAnswer(account: DescribedAccount, url: URL): Answer {
  const [, , kind, name = '', what] = decodeURIComponent(url.pathname).split('/');
  if (kind === 'event-source-mappings') {
    const [aFunction, queue] = [url.searchParams.get('FunctionName'), url.searchParams.get('EventSourceArn')];
    if (account.mappings === 'denied') return denied;
    const mappings = account.mappings.filter(
      ({ FunctionArn, EventSourceArn }) =>
        (aFunction === null || FunctionArn.endsWith(`:function:${aFunction}`)) &&
        (queue === null || EventSourceArn === queue),
    );
    return { body: { EventSourceMappings: mappings } };
  }
  if (what === 'aliases') return { body: { Aliases: [] } };
  if (what === 'concurrency') return { body: { ReservedConcurrentExecutions: account.reservedConcurrency?.[name] } };
  const configuration = account.functions[name];
  if (configuration === 'denied') return denied;
  return configuration === undefined
    ? { status: 404, body: { Type: 'User', __type: 'ResourceNotFoundException' } }
    : { body: configuration };
}
