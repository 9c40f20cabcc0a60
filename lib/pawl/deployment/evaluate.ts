import { listIn, partOf } from './template-values.ts';

/**
 * What CloudFormation makes of the functions in a template: the one evaluator, for stacks that are synthesized and for stand-ins of what is deployed.
 *
 * Owns: what each function means. Does not own: what a name stands for, and what becomes of what is not known, which are its caller's (`Known`).
 */

/** What the caller knows of a template. Each returns nothing for what it does not know. */
export interface Known {
  /** What `Ref` of a resource, a parameter or a pseudo parameter gives. `noValue` leaves its place out. */
  ref(name: string): unknown;
  /** What `Fn::GetAtt` gives. */
  attribute(logicalId: string, name: string): unknown;
  /** The definition of a condition. */
  condition?(name: string): unknown;
  /** A value of a mapping. */
  mapped?(map: string, first: string, second: string): unknown;
  /** What another stack exports. */
  imported?(name: string): unknown;
  /** The availability zones of a region. */
  zones?(): readonly string[];
  /** What stands in the place of a call that cannot be evaluated. It may throw. */
  unknown(name: string, argument: unknown): unknown;
}

/** `AWS::NoValue`: whatever has it is left out. */
export const noValue = Symbol('AWS::NoValue');

/** The value with every function evaluated, as far as that is known. */
export function evaluate(value: unknown, known: Known): unknown {
  if (Array.isArray(value)) return value.map((one) => evaluate(one, known)).filter((one) => one !== noValue);
  if (typeof value !== 'object' || value === null) return value;
  const call = functionOf(value);
  if (call !== undefined) return called(call.name, call.argument, known) ?? known.unknown(call.name, call.argument);
  const entries = Object.entries(value).map(([name, one]) => [name, evaluate(one, known)] as const);
  return Object.fromEntries(entries.filter(([, one]) => one !== noValue));
}

/** The function that a value is, such as `{ Ref: … }`. */
export function functionOf(value: unknown): { readonly name: string; readonly argument: unknown } | undefined {
  const [entry, ...others] = Object.entries(partOf(value));
  if (entry === undefined || others.length > 0) return undefined;
  const [name, argument] = entry;
  return name === 'Ref' || name.startsWith('Fn::') ? { name, argument } : undefined;
}

/** Whether a condition holds; nothing, if that is not known. */
export function holds(name: string, known: Known): boolean | undefined {
  const definition = known.condition?.(name);
  return definition === undefined ? undefined : isTrue(definition, known);
}

/** Nothing where it is not known. */
function called(name: string, argument: unknown, known: Known): unknown {
  const arguments_ = listIn(argument);
  switch (name) {
    case 'Ref':
      return typeof argument === 'string' ? known.ref(argument) : undefined;
    case 'Fn::GetAtt':
      return typeof argument === 'string'
        ? attributeOf(argument, known)
        : known.attribute(String(arguments_[0]), arguments_.slice(1).join('.'));
    case 'Fn::ImportValue': {
      const exported = textOf(argument, known);
      return exported === undefined ? undefined : known.imported?.(exported);
    }
    case 'Fn::If': {
      const is = holds(String(arguments_[0]), known);
      return is === undefined ? undefined : evaluate(arguments_[is ? 1 : 2], known);
    }
    case 'Fn::FindInMap': {
      const [map, first, second] = arguments_.slice(0, 3).map((one) => textOf(one, known));
      if (map === undefined || first === undefined || second === undefined) return undefined;
      const found = known.mapped?.(map, first, second) ?? partOf(arguments_[3])['DefaultValue'];
      return evaluate(found, known);
    }
    case 'Fn::GetAZs':
      return known.zones?.();
    case 'Fn::Join': {
      const parts = listIn(evaluate(arguments_[1], known)).map((part) => textOf(part, known));
      return parts.includes(undefined) ? undefined : parts.join(String(arguments_[0]));
    }
    case 'Fn::Split':
      return textOf(arguments_[1], known)?.split(String(arguments_[0]));
    case 'Fn::Select':
      return listIn(evaluate(arguments_[1], known))[Number(textOf(arguments_[0], known))];
    case 'Fn::Sub':
      return typeof argument === 'string'
        ? substituted(argument, {}, known)
        : substituted(String(arguments_[0]), partOf(arguments_[1]), known);
    case 'Fn::Base64': {
      const plain = textOf(argument, known);
      return plain === undefined ? undefined : Buffer.from(plain).toString('base64');
    }
    case 'Fn::Length': {
      const list = evaluate(argument, known);
      return Array.isArray(list) ? list.length : undefined;
    }
    case 'Fn::ToJsonString':
      return JSON.stringify(evaluate(argument, known));
    default:
      return isTrue({ [name]: argument }, known);
  }
}

/** A value that is a text in the end. CloudFormation makes texts of numbers and truths. */
export function textOf(value: unknown, known: Known): string | undefined {
  const evaluated = evaluate(value, known);
  if (typeof evaluated === 'string') return evaluated;
  return typeof evaluated === 'number' || typeof evaluated === 'boolean' ? String(evaluated) : undefined;
}

/** @param path such as `Queue.Arn` */
function attributeOf(path: string, known: Known): unknown {
  const dot = path.indexOf('.');
  return known.attribute(path.slice(0, dot), path.slice(dot + 1));
}

function isTrue(definition: unknown, known: Known): boolean | undefined {
  const [[name, argument] = ['', undefined]] = Object.entries(partOf(definition));
  const all = (truths: readonly (boolean | undefined)[]) => (truths.includes(undefined) ? undefined : truths);
  switch (name) {
    case 'Condition':
      return holds(String(argument), known);
    case 'Fn::Equals': {
      const [one, other] = listIn(argument).map((side) => JSON.stringify(evaluate(side, known)));
      return one === other;
    }
    case 'Fn::And':
      return all(listIn(argument).map((one) => isTrue(one, known)))?.every((one) => one);
    case 'Fn::Or':
      return all(listIn(argument).map((one) => isTrue(one, known)))?.some((one) => one);
    case 'Fn::Not': {
      const is = isTrue(listIn(argument)[0], known);
      return is === undefined ? undefined : !is;
    }
    default:
      return undefined;
  }
}

/** What is not known stays as it is written. */
function substituted(pattern: string, values: Readonly<Record<string, unknown>>, known: Known): string {
  return pattern.replaceAll(/\$\{(!?)([^}]+)\}/g, (whole, literal: string, name: string) => {
    if (literal === '!') return `\${${name}}`;
    const call = name.includes('.') ? { 'Fn::GetAtt': name } : { Ref: name };
    return textOf(name in values ? values[name] : call, known) ?? whole;
  });
}
