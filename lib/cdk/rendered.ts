import { CfnElement, CfnResource, Stack, Tokenization } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { evaluate, type Properties, partOf, withoutPartition } from 'pawl/deployment';
import { arnOnce, assemblyOf, bodyOf, construct, isComplete, ReferenceResolver } from './template-body.ts';

/*
 * What CloudFormation is given, as far as it is known at synth time. It owns the evaluation of references and the ARNs; it knows no rule. What
 * stands in the template is in `template-body.ts`. References and ARNs are one file because each needs the other.
 *
 * A value that is known only at deployment keeps a text of its own in braces. Two such texts are equal only if they are about the same thing.
 */

/** A resource as it stands in the template, with its references evaluated. */
export interface Rendered {
  readonly properties: Properties;
  readonly deletionPolicy: unknown;
}

/** The resources of these types in every stack of the stage. Another stage may not be complete yet, and CDK lets none refer to it. */
export function resourcesOf(anywhere: IConstruct, ...types: readonly string[]): readonly CfnResource[] {
  return assemblyOf(anywhere)
    .node.findAll()
    .filter((node) => CfnResource.isCfnResource(node))
    .filter(({ cfnResourceType }) => types.includes(cfnResourceType));
}

/** The template's resource behind a construct; undefined when the construct was imported. */
export function resourceBehind(construct: IConstruct, ...types: readonly string[]): CfnResource | undefined {
  const child = construct.node.defaultChild ?? construct;
  return CfnResource.isCfnResource(child) && types.includes(child.cfnResourceType) ? child : undefined;
}

/** Undefined when the resource is left out of its template. */
export function rendered(resource: CfnResource): Rendered | undefined {
  const body = bodyOf(resource);
  if (body === undefined) return undefined;
  return { properties: partOf(evaluated(resource, body['Properties'])), deletionPolicy: body['DeletionPolicy'] };
}

/** The value of a token, with its references evaluated: an ARN is a text, in which the unknown parts are in braces. */
export function resolvedIn(scope: IConstruct, value: unknown): unknown {
  return evaluated(scope, Tokenization.resolve(value, { scope, resolver: new ReferenceResolver(), preparing: false }));
}

/** One property, and no other is evaluated: a queue may refer to itself. */
function property(resource: CfnResource, name: string): unknown {
  if (!isComplete(resource)) return soFar(resource, `${name.charAt(0).toLowerCase()}${name.slice(1)}`);
  return evaluated(resource, partOf(bodyOf(resource)?.['Properties'])[name]);
}

/**
 * One property of a resource as it is set so far, for an app under construction. A resource must not be rendered as a whole then: CDK keeps the first
 * result of a lazy value, so that a layer which is added to the function later would be missing from the template.
 *
 * @param name as the L1 class has it, such as `queueName`
 */
export function soFar(resource: CfnResource, name: string): unknown {
  return resolvedIn(resource, Reflect.get(resource, name));
}

/** What only a deployment can evaluate stays as it is. */
function evaluated(scope: IConstruct, value: unknown): unknown {
  return evaluate(value, {
    ref: (name) => pseudo(scope, name) ?? referred(scope, name, 'Ref'),
    attribute: (target, name) => referred(scope, target, name),
    unknown: (name, argument) => ({ [name]: argument }),
  });
}

/** A partition is written as `aws` everywhere: an app is in one, and only equality counts. */
function pseudo(scope: IConstruct, name: string): string | undefined {
  const stack = Stack.of(scope);
  switch (name) {
    case 'AWS::Region':
      return regionOf(stack);
    case 'AWS::AccountId':
      return accountOf(stack);
    case 'AWS::Partition':
      return 'aws';
    case 'AWS::URLSuffix':
      return 'amazonaws.com';
    default:
      return name.startsWith('AWS::') ? `{${name} of ${stack.node.addr}}` : undefined;
  }
}

/** Two stacks whose environment is not known may be deployed to two accounts: each has a text of its own. */
export function regionOf(stack: Stack): string {
  return known(stack.region) ?? `{region of ${stack.node.addr}}`;
}

function accountOf(stack: Stack): string {
  return known(stack.account) ?? `{account of ${stack.node.addr}}`;
}

function known(text: string): string | undefined {
  return Tokenization.reverseString(text).tokens.length > 0 ? undefined : text;
}

/** What a reference to a resource, by its construct or by its logical id in the same stack, stands for. */
function referred(scope: IConstruct, target: string, attribute: string): unknown {
  const element = target.startsWith(construct)
    ? atPath(scope, target.slice(construct.length))
    : Stack.of(scope)
        .node.findAll()
        .filter((node) => CfnElement.isCfnElement(node))
        .find((node) => node.stack === Stack.of(scope) && logicalIdOf(node) === target);
  if (element === undefined) return undefined;
  const arn = CfnResource.isCfnResource(element) ? arnOf(element) : undefined;
  if (arn !== undefined && attribute === 'Arn') return arn;
  if (arn !== undefined && attribute === 'Ref') return refOf(element, arn);
  return `{${attribute} of ${element.node.addr}}`;
}

function logicalIdOf(element: CfnElement): unknown {
  return element.stack.resolve(element.logicalId);
}

function atPath(scope: IConstruct, path: string): IConstruct | undefined {
  const { root } = scope.node;
  const ids = path.split('/').slice(root.node.id === '' ? 0 : 1);
  return ids.reduce<IConstruct | undefined>((node, id) => node?.node.tryFindChild(id), root);
}

/** How the ARNs are made of those resources that rules are about: service, property of the name, and what stands before the name. */
const namedServices: Readonly<Record<string, readonly [service: string, nameProperty: string, before: string]>> = {
  'AWS::SQS::Queue': ['sqs', 'QueueName', ''],
  'AWS::Lambda::Function': ['lambda', 'FunctionName', 'function:'],
  'AWS::DynamoDB::Table': ['dynamodb', 'TableName', 'table/'],
  'AWS::DynamoDB::GlobalTable': ['dynamodb', 'TableName', 'table/'],
  'AWS::IAM::Role': ['iam', 'RoleName', 'role/'],
  'AWS::IAM::ManagedPolicy': ['iam', 'ManagedPolicyName', 'policy/'],
};

/** The ARN of a resource of the app; undefined for types that no rule is about. */
export function arnOf(resource: CfnResource): string | undefined {
  return arnOnce(resource, madeArn);
}

function madeArn(resource: CfnResource): string | undefined {
  const { cfnResourceType: type, stack } = resource;
  if (type === 'AWS::Lambda::Alias' || type === 'AWS::Lambda::Version') {
    const name = type === 'AWS::Lambda::Alias' ? property(resource, 'Name') : undefined;
    const qualifier = typeof name === 'string' ? name : `{version of ${resource.node.addr}}`;
    const whose = functionArn(stack, property(resource, 'FunctionName')) ?? `{function of ${resource.node.addr}}`;
    return `${whose}:${qualifier}`;
  }
  const named = namedServices[type];
  if (named === undefined) return undefined;
  const [service, nameProperty, before] = named;
  const given = property(resource, nameProperty);
  const name = typeof given === 'string' ? given : `{name of ${resource.node.addr}}`;
  const region = service === 'iam' ? '' : regionOf(stack);
  return `arn:aws:${service}:${region}:${accountOf(stack)}:${before}${name}`;
}

/** What Ref returns: a name, the URL of a queue, or the ARN of an alias, a version or a managed policy. */
function refOf(element: IConstruct, arn: string): string {
  const [, , service, region, account, ...rest] = arn.split(':');
  const name = rest.join(':');
  switch (CfnResource.isCfnResource(element) ? element.cfnResourceType : undefined) {
    case 'AWS::SQS::Queue':
      return `https://${service}.${region}.amazonaws.com/${account}/${name}`;
    case 'AWS::Lambda::Function':
      return name.slice('function:'.length);
    case 'AWS::DynamoDB::Table':
    case 'AWS::DynamoDB::GlobalTable':
    case 'AWS::IAM::Role':
      return name.slice(name.indexOf('/') + 1);
    default:
      return arn;
  }
}

/** The ARN of what Lambda takes as the name of a function: a name, a part of an ARN, or a whole one, each with or without a qualifier. */
export function functionArn(stack: Stack, name: unknown): string | undefined {
  if (typeof name !== 'string') return undefined;
  if (name.startsWith('arn:')) return withoutPartition(name);
  const [account, rest] = name.includes(':function:') ? name.split(':function:') : [accountOf(stack), name];
  return `arn:aws:lambda:${regionOf(stack)}:${account}:function:${rest}`;
}
