import { isOfFunction } from '../lambda/stub.ts';
import { type Findings, type FoundAt, notRunAt, type Stub } from '../not-run.ts';
import type { SqsLocal } from '../servers/sqs-local.ts';
import type { Assembly, Synthesized } from './assembly.ts';
import { constructOf, isAt } from './constructs.ts';
import { examine } from './examine.ts';
import { nameResources, physicalName } from './names.ts';
import { createResolver, type Resolver } from './resolver.ts';
import type { TypeRules } from './rule.ts';
import { type Names, record } from './template.ts';
import { type RuleOf, ruleFrom } from './types.ts';

/** One resource of the app, in the stack that it exists in. */
export interface Resource extends FoundAt {
  /** What it is called where its service is called by name. */
  readonly name: string;
  readonly names: Names;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly scope: StackScope;
}

/** One stack of the app, and what its references lead to. */
interface StackScope {
  readonly stack: Synthesized;
  readonly names: ReadonlyMap<string, Names>;
  readonly resolver: Resolver;
  /** The logical ids without a stand-in whose made-up names were used since this was emptied last. */
  readonly madeUp: Set<string>;
  /** The resources that exist: those whose condition holds. */
  readonly resources: readonly Resource[];
}

/** All templates of an app, read together: a stack may refer to what is in another. */
export interface AppScope {
  readonly stacks: readonly StackScope[];
  readonly findings: Findings;
  /** The stub of a resource, if the author gives one. */
  stubOf(resource: Pick<Resource, 'logicalId' | 'stack'>): Stub | undefined;
}

export interface AppScopeOptions {
  /** Where queues are, or will be. */
  readonly sqs: Pick<SqsLocal, 'address'>;
  /** What the services that a rehearsal has say of types of resources. */
  readonly services: readonly { readonly types: TypeRules }[];
  readonly stubs?: Readonly<Record<string, Stub>>;
  readonly parameters?: Readonly<Record<string, unknown>>;
}

type Building = { -readonly [Key in keyof StackScope]: StackScope[Key] } & { names: Map<string, Names> };

/** Reads all templates of an app, and finds what of them a rehearsal does not run. */
export function readApp({ stacks, missing }: Assembly, options: AppScopeOptions): AppScope {
  const ruleOf = ruleFrom(options.services);
  const building: Building[] = [];
  for (const stack of stacks) building.push(scopeOf(stack, building, options));
  const own =
    ({ resolver }: Building) =>
    (value: unknown) =>
      textOrNothing(resolver, value);
  // Twice: the name of one resource may refer to another, or to one of another stack.
  const owners = new Map<string, string>();
  for (const scope of [...building, ...building]) {
    const { stack, names } = scope;
    nameResources(stack, { ruleOf, text: own(scope), queueAt: options.sqs.address, names, owners });
    scope.madeUp.clear();
  }
  for (const scope of building) scope.resources = resourcesOf(scope);
  const findings: Findings = { listed: [], refused: [] };
  const stubbed = matchStubs(building, options.stubs ?? {}, ruleOf);
  const all = building.flatMap(({ resources }) => resources);
  for (const resource of all) examineStubbed(resource, stubbed.get(resource), ruleOf, findings);
  for (const { stack } of building) refuseTransform(stack, findings);
  for (const provider of missing) {
    const why = 'The app looks this up in an AWS account. A rehearsal has what the CDK puts in its place.';
    findings.listed.push({ stack: '', construct: provider, type: 'context', why });
  }
  const byPlace = new Map([...stubbed].map(([resource, stub]) => [placeOf(resource), stub]));
  return { stacks: building, findings, stubOf: (resource) => byPlace.get(placeOf(resource)) };
}

function placeOf({ stack, logicalId }: Pick<Resource, 'logicalId' | 'stack'>): string {
  return `${stack}/${logicalId}`;
}

function scopeOf(stack: Synthesized, all: readonly Building[], { parameters }: AppScopeOptions): Building {
  const names = new Map<string, Names>();
  const madeUp = new Set<string>();
  const outer = stack.nestedIn && all.find((one) => one.stack.stackName === stack.nestedIn?.stackName);
  const given = outer?.stack.template.Resources[stack.nestedIn?.logicalId ?? ''];
  const passed = record(given?.Properties?.['Parameters']);
  const resolver = createResolver(stack.template, stack.stackName, names, {
    parameter: (name) =>
      name in passed ? outer?.resolver.resolve(passed[name]) : (parameters?.[name] ?? storedBy(all, stack, name)),
    onMadeUp: (logicalId) => madeUp.add(logicalId),
    importValue: (name) => exported(all, name),
    attribute: (logicalId, name) => outputOfNested(all, stack, logicalId, name),
  });
  return { stack, names, madeUp, resolver, resources: [] };
}

function textOrNothing({ text }: Resolver, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  try {
    return text(value);
  } catch {
    // What it refers to has no name yet, or never will. Then CloudFormation's own name is as good.
    return undefined;
  }
}

function exported(all: readonly Building[], name: string): unknown {
  for (const { stack, resolver } of all) {
    for (const { Export, Value, Condition } of Object.values(stack.template.Outputs ?? {})) {
      if (Export === undefined || textOrNothing(resolver, Export.Name) !== name) continue;
      if (resolver.holds(Condition)) return resolver.resolve(Value);
    }
  }
  throw new Error(`The template imports ${name}, which no stack of the app exports.`);
}

/** What a stack of the app puts into Systems Manager, if a parameter of this one is read from there. */
function storedBy(all: readonly Building[], { template }: Synthesized, parameter: string): unknown {
  const { Type = '', Default } = template.Parameters?.[parameter] ?? {};
  if (!Type.startsWith('AWS::SSM::Parameter::Value') || Default === undefined) return undefined;
  for (const { stack, resolver } of all) {
    for (const { Type: type, Properties = {} } of Object.values(stack.template.Resources ?? {})) {
      if (type !== 'AWS::SSM::Parameter' || textOrNothing(resolver, Properties['Name']) !== Default) continue;
      return resolver.resolve(Properties['Value']);
    }
  }
  return undefined;
}

/** `Outputs.Name` of a nested stack, as the stack around it asks for it. */
function outputOfNested(
  all: readonly Building[],
  { stackName }: Synthesized,
  logicalId: string,
  name: string,
): unknown {
  const nested = all.find(
    ({ stack: { nestedIn } }) => nestedIn?.stackName === stackName && nestedIn.logicalId === logicalId,
  );
  const output = nested?.stack.template.Outputs?.[name.replace(/^Outputs\./, '')];
  return output && nested?.resolver.resolve(output.Value);
}

function resourcesOf(scope: Building): readonly Resource[] {
  const { stack, names, resolver } = scope;
  return Object.entries(stack.template.Resources ?? {})
    .filter(([, { Condition }]) => resolver.holds(Condition))
    .map(([logicalId, resource]) => ({
      logicalId,
      construct: constructOf(logicalId, resource),
      stack: stack.stackName,
      type: resource.Type,
      name: physicalName(names, logicalId),
      names: names.get(logicalId) ?? { ref: logicalId, attributes: {} },
      properties: resource.Properties ?? {},
      scope,
    }));
}

/**
 * Gives each stub its resource, and the names that it says.
 *
 * @throws Error if a stub has no resource, or more than one
 */
function matchStubs(
  all: readonly Building[],
  stubs: Readonly<Record<string, Stub>>,
  ruleOf: RuleOf,
): ReadonlyMap<Resource, Stub> {
  const resources = all.flatMap((scope) => scope.resources);
  const matched = new Map<Resource, Stub>();
  for (const [wanted, stub] of Object.entries(stubs)) {
    const resource = onlyStubbed(resources, wanted, stub, ruleOf);
    matched.set(resource, stub);
    const { names } = resource;
    const known = { ref: stub.ref ?? names.ref, attributes: { ...names.attributes, ...stub.attributes } };
    all.find(({ stack }) => stack.stackName === resource.stack)?.names.set(resource.logicalId, known);
  }
  return matched;
}

/** A stub with a handler, a command or a URL is for a function, any other for something that is not run. The resource itself goes before those inside it. */
function onlyStubbed(resources: readonly Resource[], wanted: string, stub: Stub, ruleOf: RuleOf): Resource {
  const stubbable = resources.filter(({ type }) =>
    isOfFunction(stub) ? type === 'AWS::Lambda::Function' : ruleOf(type).kind !== 'run',
  );
  const inside = stubbable.filter(({ construct }) => isAt(construct, wanted));
  const exact = inside.filter(({ construct }) => `/${construct}`.endsWith(`/${wanted}`));
  const notRun = (exact.length > 0 ? exact : inside).filter(({ type }) => ruleOf(type).kind !== 'without-effect');
  const found = notRun.length > 0 ? notRun : exact.length > 0 ? exact : inside;
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const named = (some: readonly Resource[]) => some.map(({ construct, type }) => `${construct} (${type})`).join(', ');
  if (only !== undefined) throw new Error(`The stub ${wanted} may be for ${named(found)}. Name more of the path.`);
  const candidates = stubbable.filter(({ type }) => ruleOf(type).kind !== 'without-effect');
  throw new Error(
    `The stub ${wanted} stands for nothing. A stub can stand for: ${named(candidates) || 'nothing in this app'}.`,
  );
}

/** What is stubbed is listed all the same: the author said how it is not run. */
function examineStubbed(resource: Resource, stub: Stub | undefined, ruleOf: RuleOf, findings: Findings): void {
  if (stub === undefined) {
    examine(resource, resource.properties, ruleOf, findings);
    return;
  }
  const why = isOfFunction(stub) ? 'The stub gives what an invocation returns.' : 'The stub gives its names.';
  findings.listed.push({ ...notRunAt(resource, why), stubbed: true });
}

function refuseTransform({ stackName, template }: Synthesized, { refused }: Findings): void {
  if (template.Transform === undefined) return;
  const why = 'CloudFormation would change the template before it deploys it. A rehearsal cannot.';
  refused.push({ stack: stackName, construct: stackName, type: 'Transform', why });
}
