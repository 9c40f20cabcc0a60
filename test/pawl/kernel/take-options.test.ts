import { describe, expect, it } from 'vitest';
import { OptionError } from '../../../lib/pawl/kernel/errors.ts';
import { expectOptions, ofOtherDoors } from '../../../lib/pawl/kernel/take-options.ts';

const taken = {
  door: 'once',
  known: { operation: {}, leaseMs: {}, schema: {} },
  refused: ofOtherDoors({}),
  docs: 'docs/reference/options.md',
} as const;

function refusal(options: unknown, more: object = {}): string | undefined {
  try {
    expectOptions(options as object, { ...taken, ...more });
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(OptionError);
    return (error as Error).message;
  }
}

describe('a door', () => {
  it('takes the options that it knows', () => {
    expect(refusal({ operation: 'send-email', leaseMs: 5 })).toBeUndefined();
    expect(refusal({})).toBeUndefined();
  });

  it.each(['schema', 'deadLetters', 'onInFlight', 'concurrency', 'backoffSeconds'])(
    'that is no queue refuses %s, and says why; given as undefined, it is ignored',
    (name) => {
      expect(refusal({ [name]: 1 })).toBe(
        `${name}: once does not take it: it is an option of consumers of SQS; leave it out. See node_modules/pawl/docs/errors.md#other-door`,
      );
      expect(refusal({ [name]: undefined })).toBeUndefined();
    },
  );

  it.each(['caller', 'required', 'isFinal'])('that is not HTTP refuses %s, also where it is false', (name) => {
    expect(refusal({ [name]: false })).toBe(
      `${name}: once does not take it: it is an option of HTTP; leave it out. See node_modules/pawl/docs/errors.md#other-door`,
    );
  });

  it('names the nearest option that it takes, and the page', () => {
    expect(refusal({ leasMs: 5 })).toBe(
      "once: there is no option 'leasMs'. Did you mean 'leaseMs'? See node_modules/pawl/docs/reference/options.md and node_modules/pawl/docs/errors.md#unknown-option",
    );
  });

  it('does not advise an option that it refuses', () => {
    expect(refusal({ schemas: 5 })).toBe(
      "once: there is no option 'schemas'. It takes operation, leaseMs. See node_modules/pawl/docs/reference/options.md and node_modules/pawl/docs/errors.md#unknown-option",
    );
  });

  it('says all that is unknown', () => {
    expect(refusal({ leasMs: 5, operatoin: 'a' })).toBe(
      "once: there is no option 'leasMs'. Did you mean 'leaseMs'? See node_modules/pawl/docs/reference/options.md. " +
        "once: there is no option 'operatoin'. Did you mean 'operation'? See node_modules/pawl/docs/reference/options.md and node_modules/pawl/docs/errors.md#unknown-option",
    );
  });

  it('takes no option from a prototype: a copy of the options would not have it', () => {
    const inherited = Object.create({ leaseMs: 5 });
    expect(refusal(inherited)).toContain('leaseMs: once found it on the prototype of options');
    expect(refusal(Object.assign(inherited, { leaseMs: 6 }))).toBeUndefined();
    expect(refusal(Object.create({ leaseMs: undefined }))).toBeUndefined();
  });

  it('refuses nothing by itself', () => {
    expect(refusal({ caller: 1 }, { refused: undefined })).toContain("there is no option 'caller'");
  });

  it.each([
    [null, 'null'],
    [undefined, 'undefined'],
    ['operation', 'string'],
  ])('expects an object: %s is none', (options, type) => {
    expect(refusal(options)).toBe(
      `once: expected options to be an object; got ${type}. See node_modules/pawl/docs/reference/options.md and node_modules/pawl/docs/errors.md#wrong-option`,
    );
    expect(refusal(options, { within: 'unlock' })).toContain('expected unlock to be an object');
  });
});
