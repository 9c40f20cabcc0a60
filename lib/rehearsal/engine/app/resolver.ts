import { evaluate, holds, type Known, noValue, textOf } from 'pawl/deployment';
import { type Names, rehearsedAccount, rehearsedRegion, type Template } from './template.ts';

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
      'AWS::Region': rehearsedRegion,
      'AWS::AccountId': rehearsedAccount,
      'AWS::Partition': 'aws',
      'AWS::URLSuffix': 'amazonaws.com',
      'AWS::StackName': stackName,
      'AWS::StackId': `arn:aws:cloudformation:${rehearsedRegion}:${rehearsedAccount}:stack/${stackName}/local`,
      'AWS::NotificationARNs': [],
      'AWS::NoValue': noValue,
    },
  };
  const known = knownIn(scope);
  return {
    resolve(value) {
      const resolved = evaluate(value, known);
      return resolved === noValue ? undefined : resolved;
    },
    text(value) {
      const text = textOf(value, known);
      if (text !== undefined) return text;
      throw new Error(`The template should give a text here, and gives ${JSON.stringify(value)}.`);
    },
    holds: (condition) => condition === undefined || isTrue(condition, known),
  };
}

/** What a rehearsal knows of a template. What it does not know, it refuses by name. */
function knownIn(scope: Scope): Known {
  const { template } = scope;
  return {
    ref: (name) => ref(scope, name),
    attribute: (logicalId, name) => attribute(scope, logicalId, name),
    condition(name) {
      const definition = template.Conditions?.[name];
      if (definition !== undefined) return definition;
      throw new Error(`The template has no condition ${name}.`);
    },
    mapped: (map, first, second) => template.Mappings?.[map]?.[first]?.[second],
    imported: (name) => imported(scope, name),
    zones: () => [`${rehearsedRegion}a`, `${rehearsedRegion}b`, `${rehearsedRegion}c`],
    unknown(name, argument) {
      throw new Error(
        `The template uses ${name} of ${JSON.stringify(argument)}, which a rehearsal does not understand.`,
      );
    },
  };
}

function isTrue(condition: string, known: Known): boolean {
  const is = holds(condition, known);
  if (is !== undefined) return is;
  throw new Error(`The template has a condition that a rehearsal does not understand: ${condition}.`);
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
