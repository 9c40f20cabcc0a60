/** The parts of a CloudFormation template that the local stack reads. */
export interface Template {
  readonly Resources: Readonly<Record<string, TemplateResource>>;
  readonly Parameters?: Readonly<Record<string, { readonly Default?: unknown }>>;
}

export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
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

/** A template as it would be deployed here: the names of its resources, and values with their references filled in. */
export interface Resolver {
  /** The value with every intrinsic function replaced. @throws when it uses one that is not understood here. */
  resolve(value: unknown): unknown;
  text(value: unknown): string;
}

/** Makes a resolver for one template, given what each of its resources is called. */
export function createResolver(template: Template, stackName: string, names: ReadonlyMap<string, Names>): Resolver {
  const pseudo: Readonly<Record<string, string>> = {
    'AWS::Region': REGION,
    'AWS::AccountId': ACCOUNT,
    'AWS::Partition': 'aws',
    'AWS::URLSuffix': 'amazonaws.com',
    'AWS::StackName': stackName,
    'AWS::StackId': `arn:aws:cloudformation:${REGION}:${ACCOUNT}:stack/${stackName}/local`,
  };

  function ref(name: string): unknown {
    const known = pseudo[name] ?? names.get(name)?.ref ?? template.Parameters?.[name]?.Default;
    if (known === undefined) throw new Error(`The template refers to ${name}, which the local stack does not have.`);
    return known;
  }

  function attribute(logicalId: string, name: string): string {
    const known = names.get(logicalId)?.attributes[name];
    if (known === undefined) {
      throw new Error(`The template wants ${logicalId}.${name}, which the local stack does not have.`);
    }
    return known;
  }

  function substitute(pattern: string, values: Readonly<Record<string, unknown>>): string {
    return pattern.replaceAll(/\$\{(!?)([^}]+)\}/g, (_, literal: string, name: string) => {
      if (literal === '!') return `\${${name}}`;
      if (name in values) return text(values[name]);
      const dot = name.indexOf('.');
      return dot === -1 ? text(ref(name)) : attribute(name.slice(0, dot), name.slice(dot + 1));
    });
  }

  function call(name: string, argument: unknown): unknown {
    switch (name) {
      case 'Ref':
        return ref(String(argument));
      case 'Fn::GetAtt': {
        const [logicalId, ...path] = Array.isArray(argument) ? argument.map(String) : String(argument).split('.');
        return attribute(logicalId ?? '', path.join('.'));
      }
      case 'Fn::Join': {
        const [separator, parts] = pair(argument);
        return list(resolve(parts)).map(text).join(String(separator));
      }
      case 'Fn::Split': {
        const [separator, whole] = pair(argument);
        return text(whole).split(String(separator));
      }
      case 'Fn::Select': {
        const [index, parts] = pair(argument);
        return list(resolve(parts))[Number(text(index))];
      }
      case 'Fn::Sub': {
        const [pattern, values] = Array.isArray(argument) ? pair(argument) : [argument, {}];
        return substitute(String(pattern), record(values));
      }
      default:
        throw new Error(`The template uses ${name}, which the local stack does not understand.`);
    }
  }

  function resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value);
    const [only] = entries;
    if (entries.length === 1 && only !== undefined && (only[0] === 'Ref' || only[0].startsWith('Fn::'))) {
      return call(only[0], only[1]);
    }
    return Object.fromEntries(entries.map(([key, inner]) => [key, resolve(inner)]));
  }

  function text(value: unknown): string {
    const resolved = resolve(value);
    if (typeof resolved === 'string') return resolved;
    if (typeof resolved === 'number' || typeof resolved === 'boolean') return String(resolved);
    throw new Error(`The template should give a text here, and gives ${JSON.stringify(value)}.`);
  }

  return { resolve, text };
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
