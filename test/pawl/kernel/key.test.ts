import { describe, expect, it } from 'vitest';
import { identifyingText } from '../../../lib/pawl/kernel/key.ts';
import { unhandledRejections } from '../../support/rejections.ts';

describe('a value that identifies something', () => {
  it('is its text, or the decimal text of a safe integer', () => {
    expect(identifyingText('order-17', 'the key')).toBe('order-17');
    expect(identifyingText(17, 'the key')).toBe('17');
    expect(identifyingText(0, 'the key')).toBe('0');
    expect(identifyingText(Number.MIN_SAFE_INTEGER, 'the key')).toBe('-9007199254740991');
  });

  it.each([undefined, null, ''])('is not missing: %s is refused', (value) => {
    expect(() => identifyingText(value, 'the key')).toThrow(
      expect.objectContaining({
        problem: 'missing-key',
        message: 'the key is missing or empty. See node_modules/pawl/docs/errors.md#missing-key',
      }),
    );
  });

  it.each([
    [2 ** 53, 'the owner is 9007199254740992; expected well-formed text or a safe integer'],
    [0.5, 'the owner is 0.5; expected well-formed text or a safe integer'],
    [Number.NaN, 'the owner is NaN; expected well-formed text or a safe integer'],
    [17n, 'the owner is of type bigint; expected well-formed text or a safe integer'],
    [true, 'the owner is of type boolean; expected well-formed text or a safe integer'],
    [{ id: 'secret' }, 'the owner is of type object; expected well-formed text or a safe integer'],
    ['secret \ud800', 'the owner is of type string; expected well-formed text or a safe integer'],
  ])(
    'is neither rounded, nor ill-formed, nor of another type: %s is refused, and no payload is in the message',
    (value, message) => {
      expect(() => identifyingText(value, 'the owner')).toThrow(
        expect.objectContaining({
          problem: 'invalid-key',
          message: `${message}. See node_modules/pawl/docs/errors.md#invalid-key`,
        }),
      );
    },
  );

  it.each([
    [`order-${{}}`, "[object Object]' in it; expected the text of a field: an object"],
    [`order-${(async () => 1)()}`, "[object Promise]' in it; expected the text of a field: a promise"],
    [`${new Map()}/1`, "[object ' in it; expected the text of a field: an object"],
    [`${new Date('never')}`, "Invalid Date' in it; expected the text of a field: a date that is none"],
  ])('is no text that every input has, from a template: %s', (value, said) => {
    expect(() => identifyingText(value, 'the key')).toThrow(
      expect.objectContaining({
        problem: 'invalid-key',
        message: `the key is a text with '${said} was put into a template. See node_modules/pawl/docs/errors.md#invalid-key`,
      }),
    );
  });

  it('may be any other text in brackets', () => {
    for (const key of ['[object]', '[order 7]', 'object Object', 'Invalid-Date']) {
      expect(identifyingText(key, 'the key')).toBe(key);
    }
  });

  it('is no promise, and one that fails later ends no process', async () => {
    const unhandled = await unhandledRejections(async () => {
      expect(() => identifyingText(Promise.reject(new Error('late')), 'the key')).toThrow(
        'the key is a promise; expected',
      );
    });
    expect(unhandled).toEqual([]);
  });
});
