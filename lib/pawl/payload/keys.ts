import { expect, expectFunction } from '../kernel/check.ts';
import type { KeyValue } from '../kernel/key.ts';
import { propertyOf } from '../kernel/unknown.ts';
import { missingIn, sayingMissing } from './missing-key.ts';

/**
 * The type of a body that has a field at this path. Of a body of which nothing is known, every path is accepted; so is every path through a list, and
 * a path that is only known when the program runs.
 * In the editor, a path that the schema does not have reads as a sentence.
 */
type AtPath<Body, Path extends string> = unknown extends Body
  ? unknown
  : string extends Path
    ? unknown
    : Path extends `${infer Name}.${infer Rest}`
      ? [Field<Body, Name>] extends [never]
        ? NoField<Path>
        : [AtPath<Field<Body, Name>, Rest>] extends [string]
          ? NoField<Path>
          : unknown
      : [Field<Body, Path>] extends [never]
        ? NoField<Path>
        : unknown;

/** What stands under a name, in any member of a union. */
type Field<Body, Name extends string> = Body extends readonly unknown[]
  ? unknown
  : Body extends object
    ? Name extends keyof Body
      ? Body[Name]
      : never
    : never;

type NoField<Path extends string> = `bodyField: the body has no field '${Path}'`;

/** A key that is a field of the body. */
export interface BodyField<Path extends string> {
  <Body>(input: { readonly body: Body & AtPath<Body, Path> }): KeyValue;
  /** Never called. Beside a call alone, TypeScript would make the type of the body generic where no schema says it. */
  new (never: never): never;
}

/**
 * The key is a field of the body, by its path. Where a schema types the body, TypeScript refuses a path that the schema does not have.
 *
 * @throws OptionError unless the path is a text
 * @example
 * const options: SqsOptions<Order> = {
 *   operation: 'send-email',
 *   store,
 *   schema: Order,
 *   key: bodyField('id'),
 *   onAbandoned: 'park',
 * };
 */
export function bodyField<const Path extends string>(path: Path): BodyField<Path> {
  const isPath = typeof path === 'string' && path !== '' && path.split('.').every((name) => name !== '');
  expect(isPath, 'bodyField', "the name of a field, or a path such as 'order.id'", path, 'wrong-key-option');
  const names = path.split('.');
  function fieldAtPath(input: { readonly body: unknown }): KeyValue {
    let value: unknown = input.body;
    for (const name of names) {
      value = fieldOf(value, name);
    }
    // Whatever it is: a value that is no key is refused by name, rather than taken for missing.
    return value as KeyValue;
  }
  sayingMissing(fieldAtPath, (input) => missingField(propertyOf(input, 'body'), names));
  return fieldAtPath as BodyField<Path>;
}

/** Which field of a path is not there, or is empty. Names only: no value of a body belongs into a message. */
function missingField(body: unknown, names: readonly string[]): string | undefined {
  let value = body;
  for (const [index, name] of names.entries()) {
    value = fieldOf(value, name);
    const path = names.slice(0, index + 1).join('.');
    if (value === undefined) return `the body has no field '${path}'`;
    if (value === null || value === '') return `the field '${path}' of the body is ${value === '' ? 'empty' : 'null'}`;
  }
  return undefined;
}

/** What was sent under this name: `constructor`, and the `length` of a list, are nothing that was sent. */
function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const isSent = Object.prototype.propertyIsEnumerable.call(value, name);
  return isSent ? Reflect.get(value, name) : undefined;
}

/** A key that is made of several fields of the body. */
export interface BodyFields<Paths extends readonly string[]> {
  <Body>(input: { readonly body: Body & AtPaths<Body, Paths> }): KeyValue;
  /** Never called, as of `BodyField`. */
  new (never: never): never;
}

type AtPaths<Body, Paths extends readonly string[]> = Paths extends readonly [
  infer First extends string,
  ...infer Rest extends readonly string[],
]
  ? AtPath<Body, First> & AtPaths<Body, Rest>
  : unknown;

/** What all of the functions take. */
type InputOf<Part> = (Part extends (input: infer Input) => KeyValue ? (input: Input) => void : never) extends (
  input: infer All,
) => void
  ? All
  : never;

/**
 * The key is made of several parts, all of which must be there. `a` + `bc` and `ab` + `c` are different keys. Its parts are
 * `bodyField` and other keys of `pawl/sqs`, or functions of the input, as `once` takes them.
 *
 * @throws OptionError when there are no parts, or a part is no function
 * @example
 * import { bodyField } from 'pawl/sqs';
 *
 * const key = compositeKey(bodyField('customerId'), bodyField('invoiceMonth')); // `c-17/2026-11`
 * const keyOfInput = compositeKey((bill: { customerId: string; month: string }) => bill.customerId, (bill) => bill.month);
 */
export function compositeKey<const Paths extends readonly string[]>(
  ...parts: { readonly [Index in keyof Paths]: BodyField<Paths[Index]> }
): BodyFields<Paths>;
/** As above, of any functions of the input. */
export function compositeKey<Input>(...parts: readonly ((input: Input) => KeyValue)[]): (input: Input) => KeyValue;
/** As above, of fields of the body together with other functions. */
export function compositeKey<const Parts extends readonly ((input: never) => KeyValue)[]>(
  ...parts: Parts
): (input: InputOf<Parts[number]>) => KeyValue;
export function compositeKey<Input>(...parts: readonly ((input: Input) => KeyValue)[]): (input: Input) => KeyValue {
  expect(
    parts.length > 0,
    'compositeKey',
    "at least one part, such as bodyField('customerId')",
    'none',
    'wrong-key-option',
  );
  for (const part of parts) {
    const given: unknown = part;
    const named = typeof given === 'string' ? given : 'customerId';
    expectFunction(
      'compositeKey',
      `functions: bodyField('${named}'), or (input) => input.${named} for once`,
      part,
      'wrong-key-option',
    );
  }
  function key(input: Input): KeyValue {
    const texts: string[] = [];
    for (const part of parts) {
      const value = part(input);
      if (value === undefined || value === null || value === '') return undefined;
      // A part that is no key at all is handed on as it is, to be refused by name.
      if (typeof value !== 'string' && !Number.isSafeInteger(value)) return value;
      texts.push(encodeURIComponent(value));
    }
    return texts.join('/');
  }
  return sayingMissing(key, (input) => parts.map((part) => missingIn(part, input)).find((said) => said !== undefined));
}
