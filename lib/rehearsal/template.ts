/** The parts of a CloudFormation template that a rehearsal reads. */
export interface Template {
  readonly Resources: Readonly<Record<string, TemplateResource>>;
  readonly Parameters?: Readonly<Record<string, { readonly Default?: unknown }>>;
}

export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly Metadata?: Readonly<Record<string, unknown>>;
}

/** What a resource that exists is called, for everything that refers to it. */
export interface Names {
  /** What `Ref` gives. */
  readonly ref: string;
  /** What `Fn::GetAtt` gives, by attribute name. */
  readonly attributes: Readonly<Record<string, string>>;
}

export const REGION = 'us-east-1';
/** The account that the SQS stand-in writes into its ARNs; redrive policies find their queue only when they agree. */
export const ACCOUNT = '000000000000';

/** Fills references in, as CloudFormation would when it deploys the template here. */
export interface Resolver {
  /** The value with every intrinsic function replaced. @throws Error if it uses one that a rehearsal does not understand */
  resolve(value: unknown): unknown;
  /** The same for a value that is a text in the end. @throws Error if it is not */
  text(value: unknown): string;
}

/** What references are resolved against. */
interface Scope {
  readonly template: Template;
  /** What each resource is called, by its logical id. */
  readonly names: ReadonlyMap<string, Names>;
  readonly pseudo: Readonly<Record<string, string>>;
}

/** Makes a resolver for one template, given what each of its resources is called. */
export function createResolver(template: Template, stackName: string, names: ReadonlyMap<string, Names>): Resolver {
  const scope: Scope = {
    template,
    names,
    pseudo: {
      'AWS::Region': REGION,
      'AWS::AccountId': ACCOUNT,
      'AWS::Partition': 'aws',
      'AWS::URLSuffix': 'amazonaws.com',
      'AWS::StackName': stackName,
      'AWS::StackId': `arn:aws:cloudformation:${REGION}:${ACCOUNT}:stack/${stackName}/local`,
    },
  };
  return { resolve: (value) => resolve(scope, value), text: (value) => text(scope, value) };
}

function resolve(scope: Scope, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((inner) => resolve(scope, inner));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [only] = entries;
  if (entries.length === 1 && only !== undefined && (only[0] === 'Ref' || only[0].startsWith('Fn::'))) {
    return call(scope, only[0], only[1]);
  }
  return Object.fromEntries(entries.map(([key, inner]) => [key, resolve(scope, inner)]));
}

function text(scope: Scope, value: unknown): string {
  const resolved = resolve(scope, value);
  if (typeof resolved === 'string') return resolved;
  if (typeof resolved === 'number' || typeof resolved === 'boolean') return String(resolved);
  throw new Error(`The template should give a text here, and gives ${JSON.stringify(value)}.`);
}

function call(scope: Scope, name: string, argument: unknown): unknown {
  switch (name) {
    case 'Ref':
      return ref(scope, String(argument));
    case 'Fn::GetAtt': {
      const [logicalId, ...path] = Array.isArray(argument) ? argument.map(String) : String(argument).split('.');
      return attribute(scope, logicalId ?? '', path.join('.'));
    }
    case 'Fn::Join': {
      const [separator, parts] = pair(argument);
      return list(resolve(scope, parts))
        .map((part) => text(scope, part))
        .join(String(separator));
    }
    case 'Fn::Split': {
      const [separator, whole] = pair(argument);
      return text(scope, whole).split(String(separator));
    }
    case 'Fn::Select': {
      const [index, parts] = pair(argument);
      return list(resolve(scope, parts))[Number(text(scope, index))];
    }
    case 'Fn::Sub': {
      const [pattern, values] = Array.isArray(argument) ? pair(argument) : [argument, {}];
      return substitute(scope, String(pattern), record(values));
    }
    default:
      throw new Error(`The template uses ${name}, which a rehearsal does not understand.`);
  }
}

function ref({ pseudo, names, template }: Scope, name: string): unknown {
  const known = pseudo[name] ?? names.get(name)?.ref ?? template.Parameters?.[name]?.Default;
  if (known === undefined) throw new Error(`The template refers to ${name}, which a rehearsal does not have.`);
  return known;
}

function attribute({ names }: Scope, logicalId: string, name: string): string {
  const known = names.get(logicalId)?.attributes[name];
  if (known === undefined) {
    throw new Error(`The template wants ${logicalId}.${name}, which a rehearsal does not have.`);
  }
  return known;
}

function substitute(scope: Scope, pattern: string, values: Readonly<Record<string, unknown>>): string {
  return pattern.replaceAll(/\$\{(!?)([^}]+)\}/g, (_, literal: string, name: string) => {
    if (literal === '!') return `\${${name}}`;
    if (name in values) return text(scope, values[name]);
    const dot = name.indexOf('.');
    return dot === -1 ? text(scope, ref(scope, name)) : attribute(scope, name.slice(0, dot), name.slice(dot + 1));
  });
}

/** A value as an object with names, or an empty one. */
export function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};
}

/** A value as a list, or an empty one. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function pair(value: unknown): readonly [unknown, unknown] {
  const [first, second] = list(value);
  return [first, second];
}
