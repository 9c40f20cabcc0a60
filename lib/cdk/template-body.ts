import {
  CfnElement,
  type CfnResource,
  DefaultTokenResolver,
  type IPostProcessor,
  type IResolvable,
  type IResolveContext,
  Reference,
  Stage,
  Tokenization,
} from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { functionOf, type Properties } from 'pawl/deployment';

/*
 * What stands in the template. It owns rendering, and how often that happens; it evaluates nothing, and knows no rule.
 *
 * 1. A resource is rendered as CDK renders it for the template: `addPropertyOverride`, `addPropertyDeletionOverride`, aspects and the
 *    setters of the L1 class all count.
 * 2. A reference keeps the construct that it refers to. A logical id alone is no identity: two stacks of one class have the same ones.
 */

/** Stands before the path of a construct, where a logical id would be. No logical id contains it. */
export const construct = '@';

/** Renders tokens as CloudFormation's functions, and references with the path of what they refer to. */
export class ReferenceResolver extends DefaultTokenResolver {
  constructor() {
    super({ join: (left, right) => joined([...parts(left), ...parts(right)]) });
  }

  override resolveToken(token: IResolvable, context: IResolveContext, postProcessor: IPostProcessor): unknown {
    const isOurs = Reference.isReference(token) && CfnElement.isCfnElement(token.target);
    const name = isOurs ? token.displayName : '';
    if (!isOurs || name.startsWith('AWS::')) return super.resolveToken(token, context, postProcessor);
    const target = `${construct}${token.target.node.path}`;
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

/** An app, or a stage of it: what is synthesized together, one stage after the other. */
export function assemblyOf(scope: IConstruct): IConstruct {
  return Stage.of(scope) ?? scope.node.root;
}

/** What stands in the template, with its references as they are. */
export function bodyOf(resource: CfnResource): Properties | undefined {
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

/** Whether the construction of the stage is done. */
export function isComplete(scope: IConstruct): boolean {
  return passes.has(assemblyOf(scope));
}

/** The ARN of a resource, made once in a pass. */
export function arnOnce(
  resource: CfnResource,
  make: (resource: CfnResource) => string | undefined,
): string | undefined {
  return once(passes.get(assemblyOf(resource))?.arns, resource, make);
}

/** Says that something is still added to the stage. */
export function markUnderConstruction(scope: IConstruct): void {
  passes.delete(assemblyOf(scope));
}
