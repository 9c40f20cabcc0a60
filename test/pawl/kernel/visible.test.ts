import fc from 'fast-check';
import { expect, it } from 'vitest';
import { visible } from '../../../lib/pawl/kernel/visible.ts';

/** Texts in which control characters, marks of direction, what has no width, and halves of pairs are as likely as letters. */
const nasty = fc
  .array(
    fc.oneof(
      fc.constantFrom(...'ab\\"#1'),
      fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
      fc.constantFrom(
        '\u001b[2J',
        '\u009b31m',
        '\r\n',
        '\u202e',
        '\u2066',
        '\u200b',
        '\u200d',
        '\ufeff',
        '\u00ad',
        '\u{e0041}',
        '\ud800',
        '\u3164',
      ),
    ),
  )
  .map((parts) => parts.join(''));

const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029]/u;

it('leaves nothing in a text that a terminal obeys, that turns its direction, or that hides', () => {
  fc.assert(
    fc.property(nasty, (text) => void expect(visible(text)).not.toMatch(hidden)),
    { numRuns: 2000 },
  );
});

it('leaves JSON the same JSON', () => {
  fc.assert(
    fc.property(nasty, (text) => {
      expect(JSON.parse(visible(JSON.stringify([text])))).toEqual([text]);
    }),
    { numRuns: 2000 },
  );
});

it('shows two keys that differ as two, and an ordinary one as it is', () => {
  const plain = (text: string) => text.replaceAll('\\', '');
  fc.assert(
    fc.property(nasty.map(plain), nasty.map(plain), (one, other) => {
      expect(visible(one) === visible(other)).toBe(one === other);
    }),
    { numRuns: 2000 },
  );
  expect(visible('Zoë-注文-17 🎁')).toBe('Zoë-注文-17 🎁');
});

it('keeps the lines and tabs of a body, if that is said', () => {
  expect(visible('{\n\t"a": 1\r}', '\n\t')).toBe('{\n\t"a": 1\\u000d}');
});
