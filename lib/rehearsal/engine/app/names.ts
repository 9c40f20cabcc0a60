import type { SqsLocal } from '../servers/sqs-local.ts';
import type { Synthesized } from './assembly.ts';
import { ACCOUNT, type Names, REGION, type TemplateResource } from './template.ts';

/** How a type of resource is called. `Name` is the part that only this resource has. */
interface Naming {
  /** The property that names a resource of the type. Elsewhere the same property may name another resource. */
  readonly property?: string;
  /** @default what CloudFormation makes of the stack's name and the logical id */
  readonly make?: (made: string, resource: TemplateResource) => string;
  /** What `Ref` and `Fn::GetAtt` give for a name. */
  readonly names: (name: string) => Names;
}

/** What stands for the address of an API, until its server has one. */
export function apiHost(name: string): string {
  return `${name}.execute-api.${REGION}.amazonaws.com`;
}

/** The same for a function URL. */
export function functionUrlHost(name: string): string {
  return `${name}.lambda-url.${REGION}.on.aws`;
}

const arn = (service: string, rest: string) => `arn:aws:${service}:${REGION}:${ACCOUNT}:${rest}`;
const fifo = (made: string, { Properties = {} }: TemplateResource) =>
  made + (String(Properties['FifoQueue'] ?? Properties['FifoTopic']) === 'true' ? '.fifo' : '');

/** The ARN of a table's stream in a template. DynamoDB Local gives another one, when it creates the table. */
export function streamArnOf(table: string): string {
  return arn('dynamodb', `table/${table}/stream/rehearsal`);
}

const TABLE: Naming = {
  property: 'TableName',
  names: (name) => ({
    ref: name,
    attributes: { Arn: arn('dynamodb', `table/${name}`), StreamArn: streamArnOf(name) },
  }),
};

const NAMINGS: Readonly<Record<string, Naming>> = {
  'AWS::DynamoDB::Table': TABLE,
  'AWS::DynamoDB::GlobalTable': TABLE,
  'AWS::Lambda::Function': {
    property: 'FunctionName',
    names: (name) => ({ ref: name, attributes: { Arn: arn('lambda', `function:${name}`) } }),
  },
  'AWS::Lambda::Url': {
    names: (name) => ({ ref: name, attributes: { FunctionUrl: `https://${functionUrlHost(name)}/` } }),
  },
  'AWS::SNS::Topic': {
    property: 'TopicName',
    make: fifo,
    names: (name) => ({ ref: arn('sns', name), attributes: { TopicArn: arn('sns', name), TopicName: name } }),
  },
  'AWS::S3::Bucket': {
    property: 'BucketName',
    make: (made) => made.toLowerCase().replaceAll('_', '-'),
    names: (name) => ({
      ref: name,
      attributes: {
        Arn: `arn:aws:s3:::${name}`,
        DomainName: `${name}.s3.amazonaws.com`,
        RegionalDomainName: `${name}.s3.${REGION}.amazonaws.com`,
      },
    }),
  },
  'AWS::ApiGatewayV2::Api': {
    names: (name) => ({ ref: name, attributes: { ApiId: name, ApiEndpoint: `https://${apiHost(name)}` } }),
  },
  'AWS::ApiGateway::RestApi': {
    names: (name) => ({ ref: name, attributes: { RestApiId: name, RootResourceId: `${name}-root` } }),
  },
  'AWS::ApiGateway::Resource': { names: (name) => ({ ref: name, attributes: { ResourceId: name } }) },
  'AWS::ApiGateway::Stage': { property: 'StageName', names: (name) => ({ ref: name, attributes: {} }) },
  'AWS::ApiGatewayV2::Stage': { property: 'StageName', names: (name) => ({ ref: name, attributes: {} }) },
  'AWS::Events::Rule': { names: (name) => ({ ref: name, attributes: { Arn: arn('events', `rule/${name}`) } }) },
  'AWS::Scheduler::Schedule': {
    names: (name) => ({ ref: name, attributes: { Arn: arn('scheduler', `schedule/default/${name}`) } }),
  },
};

/** Parts of what runs here: they have a name only so that other parts find them. */
const PARTS = new Set([
  'AWS::CloudFormation::Stack',
  'AWS::ApiGatewayV2::Integration',
  'AWS::ApiGatewayV2::Route',
  'AWS::ApiGateway::Method',
  'AWS::ApiGateway::Deployment',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Lambda::Permission',
  'AWS::SNS::Subscription',
  'AWS::IAM::Role',
]);

/** What is found by its name, in the one place where a rehearsal has it. */
const IN_ONE_PLACE = new Set([
  'AWS::SQS::Queue',
  'AWS::SNS::Topic',
  'AWS::DynamoDB::Table',
  'AWS::DynamoDB::GlobalTable',
  'AWS::Lambda::Function',
]);

/**
 * Names everything before anything exists, as CloudFormation does: a queue may name a dead-letter queue further down.
 *
 * @param own the text of a property, such as the name that the app gives to a queue
 * @param names gets the names
 * @param owners which resource has a name, for all stacks
 */
export function nameResources(
  { template, stackName }: Synthesized,
  sqs: Pick<SqsLocal, 'address'>,
  own: (value: unknown) => string | undefined,
  names: Map<string, Names>,
  owners: Map<string, string>,
): void {
  /** In another region or account, another resource of the type may have this name. Here they are in one place. */
  const free = (name: string, logicalId: string, { Type }: TemplateResource) => {
    if (!IN_ONE_PLACE.has(Type)) return name;
    const [id, owner] = [`${Type} ${name}`, `${stackName}/${logicalId}`];
    if ((owners.get(id) ?? owner) !== owner) return name.replace(/(?=\.fifo$)|(?<!\.fifo)$/, `-${stackName}`);
    owners.set(id, owner);
    return name;
  };
  for (const [logicalId, resource] of Object.entries(template.Resources ?? {})) {
    const made = `${stackName}-${logicalId}`.replaceAll(/[^\w.-]/g, '-');
    const { Type, Properties = {} } = resource;
    if (Type === 'AWS::SQS::Queue') {
      const name = free(own(Properties['QueueName']) ?? fifo(made, resource), logicalId, resource);
      const { url, arn: queueArn } = sqs.address(name);
      names.set(logicalId, { ref: url, attributes: { Arn: queueArn, QueueName: name, QueueUrl: url } });
      continue;
    }
    const ofFunction = qualified(Type, Properties, own);
    if (ofFunction !== undefined) {
      names.set(logicalId, ofFunction);
      continue;
    }
    const naming = NAMINGS[Type];
    if (naming !== undefined) {
      const name = (naming.property && own(Properties[naming.property])) ?? naming.make?.(made, resource) ?? made;
      names.set(logicalId, naming.names(free(name, logicalId, resource)));
      continue;
    }
    const service = Type.split('::')[1]?.toLowerCase() ?? 'custom';
    const attributes = { Arn: arn(service, made) };
    names.set(logicalId, { ref: made, attributes, ...(PARTS.has(Type) ? {} : { madeUp: true as const }) });
  }
}

/** What a version or an alias of a function is called; `undefined` for anything else. */
function qualified(
  Type: string,
  Properties: Readonly<Record<string, unknown>>,
  own: (value: unknown) => string | undefined,
) {
  if (Type !== 'AWS::Lambda::Version' && Type !== 'AWS::Lambda::Alias') return undefined;
  // A template holds one version of a function: the one that is deployed with it.
  const qualifier = Type === 'AWS::Lambda::Alias' ? (own(Properties['Name']) ?? 'alias') : '1';
  const name = (own(Properties['FunctionName']) ?? '').replace(/^arn:.*:function:/, '');
  const ref = arn('lambda', `function:${name}:${qualifier}`);
  return { ref, attributes: { Arn: ref, AliasArn: ref, FunctionArn: ref, Version: qualifier } };
}

/** What a resource is called where its service is called by name. */
export function physicalName(names: ReadonlyMap<string, Names>, logicalId: string): string {
  const known = names.get(logicalId);
  const { QueueName, TopicName } = known?.attributes ?? {};
  return QueueName ?? TopicName ?? known?.ref ?? logicalId;
}
