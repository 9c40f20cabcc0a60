import { ACCOUNT, list, type Names, REGION, record, type Template } from './template.ts';

/** Fills references in, as CloudFormation would when it deploys the template here. */
export interface Resolver {
  /** The value with every intrinsic function replaced. @throws Error if it uses one that a rehearsal does not understand */
  resolve(value: unknown): unknown;
  /** The same for a value that is a text in the end. @throws Error if it is not */
  text(value: unknown): string;
  /** Whether a condition of the template holds; what has no condition always exists. */
  holds(condition: string | undefined): boolean;
}

/** What a template cannot know by itself. */
export interface Surroundings {
  /** The value of a parameter, in place of its default. */
  readonly parameter?: (name: string) => unknown;
  /** The value that a stack exports under this name. @throws Error if no stack does */
  readonly importValue?: (name: string) => unknown;
  /** An attribute that is no name of a resource, such as an output of a nested stack; `undefined` if it does not know it. */
  readonly attribute?: (logicalId: string, name: string) => unknown;
  /** Gets the logical id of each resource without a stand-in whose made-up name was used. */
  readonly onMadeUp?: (logicalId: string) => void;
}

/** What references are resolved against. */
interface Scope {
  readonly template: Template;
  /** What each resource is called, by its logical id. */
  readonly names: ReadonlyMap<string, Names>;
  readonly pseudo: Readonly<Record<string, unknown>>;
  readonly surroundings: Surroundings;
}

/** `AWS::NoValue`: whatever has it is left out. */
const NO_VALUE = Symbol('AWS::NoValue');

/** Makes a resolver for one template, given what each of its resources is called. */
export function createResolver(
  template: Template,
  stackName: string,
  names: ReadonlyMap<string, Names>,
  surroundings: Surroundings = {},
): Resolver {
  const scope: Scope = {
    template,
    names,
    surroundings,
    pseudo: {
      'AWS::Region': REGION,
      'AWS::AccountId': ACCOUNT,
      'AWS::Partition': 'aws',
      'AWS::URLSuffix': 'amazonaws.com',
      'AWS::StackName': stackName,
      'AWS::StackId': `arn:aws:cloudformation:${REGION}:${ACCOUNT}:stack/${stackName}/local`,
      'AWS::NotificationARNs': [],
      'AWS::NoValue': NO_VALUE,
    },
  };
  return {
    resolve(value) {
      const resolved = resolve(scope, value);
      return resolved === NO_VALUE ? undefined : resolved;
    },
    text: (value) => text(scope, value),
    holds: (condition) => condition === undefined || holds(scope, condition),
  };
}

function resolve(scope: Scope, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((inner) => resolve(scope, inner)).filter((inner) => inner !== NO_VALUE);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [only] = entries;
  if (entries.length === 1 && only !== undefined && isIntrinsic(only[0])) return call(scope, only[0], only[1]);
  return Object.fromEntries(
    entries.map(([key, inner]) => [key, resolve(scope, inner)]).filter(([, inner]) => inner !== NO_VALUE),
  );
}

function isIntrinsic(key: string): boolean {
  return key === 'Ref' || key.startsWith('Fn::');
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
    case 'Fn::ImportValue':
      return imported(scope, text(scope, argument));
    case 'Fn::If': {
      const [condition, then, otherwise] = list(argument);
      return resolve(scope, holds(scope, String(condition)) ? then : otherwise);
    }
    case 'Fn::FindInMap':
      return findInMap(scope, list(argument));
    case 'Fn::GetAZs':
      return [`${REGION}a`, `${REGION}b`, `${REGION}c`];
    case 'Fn::Equals':
    case 'Fn::And':
    case 'Fn::Or':
    case 'Fn::Not':
      return isTrue(scope, { [name]: argument });
    default:
      return textCall(scope, name, argument);
  }
}

/** The functions that only work on texts. */
function textCall(scope: Scope, name: string, argument: unknown): unknown {
  switch (name) {
    case 'Fn::Join': {
      const [separator, parts] = list(argument);
      return list(resolve(scope, parts))
        .map((part) => text(scope, part))
        .join(String(separator));
    }
    case 'Fn::Split': {
      const [separator, whole] = list(argument);
      return text(scope, whole).split(String(separator));
    }
    case 'Fn::Select': {
      const [index, parts] = list(argument);
      return list(resolve(scope, parts))[Number(text(scope, index))];
    }
    case 'Fn::Sub': {
      const [pattern, values] = Array.isArray(argument) ? argument : [argument, {}];
      return substitute(scope, String(pattern), record(values));
    }
    case 'Fn::Base64':
      return Buffer.from(text(scope, argument)).toString('base64');
    case 'Fn::Length':
      return list(resolve(scope, argument)).length;
    case 'Fn::ToJsonString':
      return JSON.stringify(resolve(scope, argument));
    default:
      throw new Error(`The template uses ${name}, which a rehearsal does not understand.`);
  }
}

function ref(scope: Scope, name: string): unknown {
  const { pseudo, names, template, surroundings } = scope;
  if (name in pseudo) return pseudo[name];
  const known = names.get(name);
  if (known?.madeUp === true) surroundings.onMadeUp?.(name);
  if (known !== undefined) return known.ref;
  const given = surroundings.parameter?.(name);
  if (given !== undefined) return given;
  const parameter = template.Parameters?.[name];
  if (parameter?.Type?.startsWith('AWS::SSM::Parameter') === true) {
    throw new Error(
      `The template's parameter ${name} is read from Systems Manager, which a rehearsal does not have. Give its value in \`parameters\`.`,
    );
  }
  if (parameter?.Default !== undefined) return parameter.Default;
  if (parameter !== undefined) {
    throw new Error(`The template's parameter ${name} has no default. Give its value in \`parameters\`.`);
  }
  throw new Error(`The template refers to ${name}, which a rehearsal does not have.`);
}

function attribute({ names, surroundings }: Scope, logicalId: string, name: string): unknown {
  const named = names.get(logicalId);
  const known = named?.attributes[name] ?? surroundings.attribute?.(logicalId, name);
  if (named?.madeUp === true) surroundings.onMadeUp?.(logicalId);
  if (known !== undefined) return known;
  if (named?.madeUp === true) return `${named.ref}.${name}`;
  throw new Error(`The template wants ${logicalId}.${name}, which a rehearsal does not have.`);
}

function imported({ surroundings }: Scope, name: string): unknown {
  if (surroundings.importValue !== undefined) return surroundings.importValue(name);
  throw new Error(`The template uses Fn::ImportValue of ${name}, and there is no other stack.`);
}

function findInMap(scope: Scope, [map, first, second, otherwise]: readonly unknown[]): unknown {
  const found = scope.template.Mappings?.[text(scope, map)]?.[text(scope, first)]?.[text(scope, second)];
  if (found !== undefined) return resolve(scope, found);
  const fallback = record(otherwise)['DefaultValue'];
  if (fallback !== undefined) return resolve(scope, fallback);
  throw new Error(`The template's mapping ${text(scope, map)} has no ${text(scope, first)}.${text(scope, second)}.`);
}

function holds(scope: Scope, condition: string): boolean {
  const definition = scope.template.Conditions?.[condition];
  if (definition !== undefined) return isTrue(scope, definition);
  throw new Error(`The template has no condition ${condition}.`);
}

function isTrue(scope: Scope, definition: unknown): boolean {
  const [[name, argument] = ['', undefined]] = Object.entries(record(definition));
  switch (name) {
    case 'Condition':
      return holds(scope, String(argument));
    case 'Fn::Equals': {
      const [one, other] = list(argument);
      return JSON.stringify(resolve(scope, one)) === JSON.stringify(resolve(scope, other));
    }
    case 'Fn::And':
      return list(argument).every((one) => isTrue(scope, one));
    case 'Fn::Or':
      return list(argument).some((one) => isTrue(scope, one));
    case 'Fn::Not':
      return !isTrue(scope, list(argument)[0]);
    default:
      throw new Error(`The template has a condition that a rehearsal does not understand: ${name}.`);
  }
}

function substitute(scope: Scope, pattern: string, values: Readonly<Record<string, unknown>>): string {
  return pattern.replaceAll(/\$\{(!?)([^}]+)\}/g, (_, literal: string, name: string) => {
    if (literal === '!') return `\${${name}}`;
    if (name in values) return text(scope, values[name]);
    const dot = name.indexOf('.');
    return text(scope, dot === -1 ? ref(scope, name) : attribute(scope, name.slice(0, dot), name.slice(dot + 1)));
  });
}
