import type { KeyValue } from '../kernel/key.ts';

/**
 * The key is a field of the body, by its path.
 *
 * @example
 * key: bodyField('order.id')
 */
export function bodyField(path: string): (input: { readonly body: unknown }) => KeyValue {
  const names = path.split('.');
  return (input) => {
    let value: unknown = input.body;
    for (const name of names) {
      value = fieldOf(value, name);
    }
    // Whatever it is: a value that is no key is refused by name, rather than taken for missing.
    return value as KeyValue;
  };
}

/** What was sent under this name: `constructor`, and the `length` of a list, are nothing that was sent. */
function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const isSent = Object.prototype.propertyIsEnumerable.call(value, name);
  return isSent ? Reflect.get(value, name) : undefined;
}

/**
 * The key is made of several parts, all of which must be there. `a` + `bc` and `ab` + `c` are different keys.
 *
 * @example
 * key: compositeKey(bodyField('customerId'), bodyField('invoiceMonth')) // `c-17/2026-11`
 */
export function compositeKey<Input>(...parts: readonly ((input: Input) => KeyValue)[]): (input: Input) => KeyValue {
  return (input) => {
    const texts: string[] = [];
    for (const part of parts) {
      const value = part(input);
      if (value === undefined || value === null || value === '') return undefined;
      // A part that is no key at all is handed on as it is, to be refused by name.
      if (typeof value !== 'string' && !Number.isSafeInteger(value)) return value;
      texts.push(encodeURIComponent(value));
    }
    return texts.join('/');
  };
}
