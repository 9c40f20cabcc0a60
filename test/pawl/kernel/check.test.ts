import { describe, expect as expectThat, it } from 'vitest';
import { expect, expectWhole } from '../../../lib/pawl/kernel/check.ts';
import { OptionError } from '../../../lib/pawl/kernel/errors.ts';

function messageOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    expectThat(error).toBeInstanceOf(OptionError);
    return (error as Error).message;
  }
}

describe('an option', () => {
  it('is let through when it is as expected', () => {
    expectThat(messageOf(() => expect(true, 'table', 'a name', ''))).toBeUndefined();
    expectThat(messageOf(() => expect('claims', 'table', 'a name', 'claims'))).toBeUndefined();
  });

  it.each([
    ['', 'got ""'],
    ['a "b"', 'got "a \\"b\\""'],
    [5, 'got 5'],
    [undefined, 'got undefined'],
    [() => 'secret', 'got a function'],
    [null, 'got null'],
    [['secret'], 'got a list of 1'],
    [{ token: 'secret' }, 'got an object with token'],
    [{}, 'got an object with no fields'],
    [Promise.resolve('secret'), 'got a promise; await it first'],
  ])('is refused with its name, what was expected, and what came', (came, got) => {
    expectThat(messageOf(() => expect(false, 'table', 'a name', came))).toBe(
      `table: expected a name; ${got}. See node_modules/pawl/docs/errors.md#wrong-option`,
    );
  });

  it.each([0, 1, Number.MAX_SAFE_INTEGER])('that is to be a whole number may be %s', (value) => {
    expectThat(messageOf(() => expectWhole('leaseMs', value))).toBeUndefined();
  });

  it.each([-1, 0.5, Number.NaN, 2 ** 53, Number.POSITIVE_INFINITY, undefined])(
    'that is to be a whole number may not be %s',
    (value) => {
      expectThat(messageOf(() => expectWhole('leaseMs', value))).toBe(
        `leaseMs: expected a whole number, 0 or more, in milliseconds; got ${value}. See node_modules/pawl/docs/errors.md#wrong-option`,
      );
    },
  );
});
