import type { SqsLocal } from './sqs-local.ts';
import type { Synthesized } from './synthesize.ts';
import { ACCOUNT, type Names, REGION, type TemplateResource } from './template.ts';

/** Names everything before anything exists, as CloudFormation does: a queue may name a dead-letter queue further down. */
export function nameResources(
  { template, stackName }: Synthesized,
  sqs: Pick<SqsLocal, 'address'>,
): ReadonlyMap<string, Names> {
  const names = new Map<string, Names>();
  for (const [logicalId, resource] of Object.entries(template.Resources)) {
    const name = ownName(resource) ?? madeName(stackName, logicalId, resource);
    if (resource.Type === 'AWS::SQS::Queue') {
      const { url, arn } = sqs.address(name);
      names.set(logicalId, { ref: url, attributes: { Arn: arn, QueueName: name, QueueUrl: url } });
    } else {
      names.set(logicalId, { ref: name, attributes: { Arn: arnOf(resource.Type, name) } });
    }
  }
  return names;
}

/** What a resource is called where its service is called by name. */
export function physicalName(names: ReadonlyMap<string, Names>, logicalId: string): string {
  const known = names.get(logicalId);
  return known?.attributes['QueueName'] ?? known?.ref ?? logicalId;
}

/** The property that names a resource of a type. Elsewhere the same property may name another resource. */
const NAME_PROPERTY: Readonly<Record<string, string>> = {
  'AWS::DynamoDB::Table': 'TableName',
  'AWS::DynamoDB::GlobalTable': 'TableName',
  'AWS::SQS::Queue': 'QueueName',
  'AWS::Lambda::Function': 'FunctionName',
};

function ownName({ Type, Properties = {} }: TemplateResource): string | undefined {
  const name = Properties[NAME_PROPERTY[Type] ?? ''];
  return typeof name === 'string' ? name : undefined;
}

function madeName(stackName: string, logicalId: string, { Properties = {} }: TemplateResource): string {
  const suffix = Properties['FifoQueue'] === true ? '.fifo' : '';
  return `${stackName}-${logicalId}${suffix}`.replaceAll(/[^\w.-]/g, '-');
}

/** What stands before a name in an ARN, where anything does. */
const IN_ARN: Readonly<Record<string, string>> = {
  'AWS::DynamoDB::Table': 'table/',
  'AWS::DynamoDB::GlobalTable': 'table/',
  'AWS::Lambda::Function': 'function:',
};

function arnOf(type: string, name: string): string {
  return `arn:aws:${type.split('::')[1]?.toLowerCase()}:${REGION}:${ACCOUNT}:${IN_ARN[type] ?? ''}${name}`;
}
