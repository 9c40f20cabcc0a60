import {
  CfnElement,
  CfnResource,
  DefaultTokenResolver,
  type IPostProcessor,
  type IResolvable,
  type IResolveContext,
  Reference,
  Stack,
  Stage,
  Tokenization,
} from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { listIn, type Properties, partOf } from './template-values.ts';

/*
 * What CloudFormation is given, as far as it is known at synth time. It owns rendering and the evaluation of references; it knows no rule.
 *
 * 1. A resource is rendered as CDK renders it for the template: `addPropertyOverride`, `addPropertyDeletionOverride`, aspects and the
 *    setters of the L1 class all count.
 * 2. A reference keeps the construct that it refers to. A logical id alone says nothing: two stacks of one class have the same ones.
 * 3. What is only known at deployment keeps a text of its own in braces. Two such texts are equal only if they are about the same thing.
 */

/** A resource as it stands in the template, with its references evaluated. */
export interface Rendered {
  readonly properties: Properties;
  readonly deletionPolicy: unknown;
}

/** Stands before the path of a construct, where a logical id would be. No logical id contains it. */
const CONSTRUCT = '@';

/** Renders tokens as CloudFormation's functions, and references with the path of what they refer to. */
class ReferenceResolver extends DefaultTokenResolver {
  constructor() {
    super({ join: (left, right) => joined([...parts(left), ...parts(right)]) });
  }

  override resolveToken(token: IResolvable, context: IResolveContext, postProcessor: IPostProcessor): unknown {
    const isOurs = Reference.isReference(token) && CfnElement.isCfnElement(token.target);
    const name = isOurs ? token.displayName : '';
    if (!isOurs || name.startsWith('AWS::')) return super.resolveToken(token, context, postProcessor);
    const target = `${CONSTRUCT}${token.target.node.path}`;
    return name === 'Ref' ? { Ref: target } : { 'Fn::GetAtt': [target, name] };
  }
}

function parts(value: unknown): readonly unknown[] {
  if (value === undefined || value === '') return [];
  const inner = functionOf(value);
  if (inner?.name === 'Fn::Join' && Array.isArray(inner.argument) && inner.argument[0] === '') return inner.argument[1];
  return [value];
}

function joined(all: readonly unknown[]): unknown {
  if (all.every((one) => typeof one === 'string' || typeof one === 'number')) return all.join('');
  return all.length === 1 ? all[0] : { 'Fn::Join': ['', all] };
}

/** The intrinsic function that a value is, such as `{ Ref: … }`. */
function functionOf(value: unknown): { readonly name: string; readonly argument: unknown } | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const [entry, ...others] = Object.entries(value);
  if (entry === undefined || others.length > 0) return undefined;
  const [name, argument] = entry;
  return name === 'Ref' || name.startsWith('Fn::') ? { name, argument } : undefined;
}

/** An app, or a stage of it: what is synthesized together, one stage after the other. */
function assemblyOf(scope: IConstruct): IConstruct {
  return Stage.of(scope) ?? scope.node.root;
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

/** What stands in the template, with its references as they are. */
function bodyOf(resource: CfnResource): Properties | undefined {
  return once(passes.get(assemblyOf(resource))?.bodies, resource, renderedBody);
}

/** What a pass knows already is not made again: an app has many consumers, and each looks at all of its resources. */
function once<T>(known: Map<CfnResource, T> | undefined, resource: CfnResource, make: (resource: CfnResource) => T): T {
  if (known?.has(resource)) return known.get(resource) as T;
  const made = make(resource);
  known?.set(resource, made);
  return made;
}

function renderedBody(resource: CfnResource): Properties | undefined {
  const whole: { readonly Resources?: Readonly<Record<string, Properties>> } = Tokenization.resolve(
    // The one way to what is rendered with its overrides. CDK marks it as internal, and declares it all the same.
    resource._toCloudFormation(),
    { scope: resource, resolver: new ReferenceResolver(), preparing: false },
  );
  return Object.values(whole.Resources ?? {})[0];
}

/** One validation of a stage: each of its consumers asks once, and nothing changes in between. */
interface Pass {
  readonly asked: Set<IConstruct>;
  readonly bodies: Map<CfnResource, Properties | undefined>;
  readonly arns: Map<CfnResource, string | undefined>;
}

/** The stages whose construction is done. */
const passes = new WeakMap<IConstruct, Pass>();

/** Says that the construction of the stage around `asking` is done: from now on its resources are rendered as a whole, each once. */
export function markComplete(asking: IConstruct): void {
  const assembly = assemblyOf(asking);
  const pass = passes.get(assembly);
  if (pass !== undefined && !pass.asked.has(asking)) pass.asked.add(asking);
  else passes.set(assembly, { asked: new Set([asking]), bodies: new Map(), arns: new Map() });
}

/** Says that something is still added to the stage. */
export function markUnderConstruction(scope: IConstruct): void {
  passes.delete(assemblyOf(scope));
}

/** One property, without evaluating the others: a queue may refer to itself. */
function property(resource: CfnResource, name: string): unknown {
  if (!passes.has(assemblyOf(resource))) return soFar(resource, `${name.charAt(0).toLowerCase()}${name.slice(1)}`);
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

function evaluated(scope: IConstruct, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => evaluated(scope, one));
  if (typeof value !== 'object' || value === null) return value;
  const call = functionOf(value);
  if (call !== undefined) return evaluatedCall(scope, call.name, call.argument) ?? value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, evaluated(scope, one)]));
}

/** Undefined for what only a deployment can evaluate. */
function evaluatedCall(scope: IConstruct, name: string, argument: unknown): unknown {
  switch (name) {
    case 'Ref':
      return typeof argument === 'string' ? (pseudo(scope, argument) ?? referred(scope, argument, 'Ref')) : undefined;
    case 'Fn::GetAtt': {
      const [target, attribute] = typeof argument === 'string' ? argument.split('.') : listIn(argument);
      return referred(scope, String(target), String(attribute));
    }
    case 'Fn::Join': {
      const [separator, given] = listIn(argument);
      const texts = listIn(evaluated(scope, given));
      return texts.every((text) => typeof text === 'string') ? texts.join(String(separator)) : undefined;
    }
    case 'Fn::Split': {
      const [separator, given] = listIn(argument);
      const text = evaluated(scope, given);
      return typeof text === 'string' ? text.split(String(separator)) : undefined;
    }
    case 'Fn::Select': {
      const [index, given] = listIn(argument);
      return listIn(evaluated(scope, given))[Number(index)];
    }
    case 'Fn::Sub':
      return typeof argument === 'string' ? substituted(scope, argument) : undefined;
    default:
      return undefined;
  }
}

function substituted(scope: IConstruct, text: string): string {
  return text.replace(/\$\{([\w.:]+)\}/g, (whole, name: string) => {
    const [target = '', attribute = 'Ref'] = name.split('.');
    const value = pseudo(scope, target) ?? referred(scope, target, attribute);
    return typeof value === 'string' ? value : whole;
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

export function accountOf(stack: Stack): string {
  return known(stack.account) ?? `{account of ${stack.node.addr}}`;
}

function known(text: string): string | undefined {
  return Tokenization.reverseString(text).tokens.length > 0 ? undefined : text;
}

/** What is known, of a text that may be in braces. */
export function isKnown(text: string | undefined): text is string {
  return text !== undefined && !text.includes('{');
}

/** What a reference to a resource, by its construct or by its logical id in the same stack, stands for. */
function referred(scope: IConstruct, target: string, attribute: string): unknown {
  const element = target.startsWith(CONSTRUCT)
    ? atPath(scope, target.slice(CONSTRUCT.length))
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
const NAMED: Readonly<Record<string, readonly [service: string, nameProperty: string, before: string]>> = {
  'AWS::SQS::Queue': ['sqs', 'QueueName', ''],
  'AWS::Lambda::Function': ['lambda', 'FunctionName', 'function:'],
  'AWS::DynamoDB::Table': ['dynamodb', 'TableName', 'table/'],
  'AWS::DynamoDB::GlobalTable': ['dynamodb', 'TableName', 'table/'],
  'AWS::IAM::Role': ['iam', 'RoleName', 'role/'],
  'AWS::IAM::ManagedPolicy': ['iam', 'ManagedPolicyName', 'policy/'],
};

/** The ARN of a resource of the app; undefined for types that no rule is about. */
export function arnOf(resource: CfnResource): string | undefined {
  return once(passes.get(assemblyOf(resource))?.arns, resource, madeArn);
}

function madeArn(resource: CfnResource): string | undefined {
  const { cfnResourceType: type, stack } = resource;
  if (type === 'AWS::Lambda::Alias' || type === 'AWS::Lambda::Version') {
    const name = type === 'AWS::Lambda::Alias' ? property(resource, 'Name') : undefined;
    const qualifier = typeof name === 'string' ? name : `{version of ${resource.node.addr}}`;
    const whose = functionArn(stack, property(resource, 'FunctionName')) ?? `{function of ${resource.node.addr}}`;
    return `${whose}:${qualifier}`;
  }
  const named = NAMED[type];
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

/** The same ARN without the name of an alias or a version. */
export function unqualified(arn: string): string {
  return arn.split(':').slice(0, 7).join(':');
}

export function withoutPartition(arn: string): string {
  return arn.replace(/^arn:aws[a-z-]*:/, 'arn:aws:');
}
