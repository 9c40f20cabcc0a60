import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memberText } from '../../../../lib/pawl/payload/envelopes/member-text.ts';

test('the text of a member is what was written for its value, in any document', () => {
  const tricky = fc.string({
    unit: fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', ' ', '\n', 'a'),
    maxLength: 6,
  });
  const { value } = fc.letrec<{ readonly value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.oneof(tricky, fc.integer(), fc.double(), fc.boolean(), fc.constant(null)),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(tricky, tie('value'), { maxKeys: 3 }),
    ),
  }));
  const document = fc.dictionary(tricky, value, { minKeys: 1, maxKeys: 4, noNullPrototype: true });
  fc.assert(
    fc.property(document, fc.nat(4), fc.nat(), (object, indent, which) => {
      const text = JSON.stringify(object, undefined, indent);
      const names = Object.keys(object);
      const name = names[which % names.length] ?? '';
      // As it was written, and not as JSON.parse reads it: the one of Node 24 takes a name that is one escaped character for a backslash, at times.
      const written = JSON.stringify(object[name], undefined, indent);
      expect(memberText(text, name)).toBe(written.replaceAll('\n', `\n${' '.repeat(indent)}`));
    }),
    { numRuns: 200 },
  );
});

test.each([
  [
    'digits that a double cannot hold',
    '{"id": 1, "detail": {"n": 12345678901234567890.10}}',
    '{"n": 12345678901234567890.10}',
  ],
  ['spaces and line ends', '\r\n{ "detail"\t:\n [1, 2]\n}\n', '[1, 2]'],
  ['a name that is escaped', '{"d\\u0065tail":true}', 'true'],
  ['the last of two members with one name', '{"detail":1,"detail":2}', '2'],
  ['brackets and quotes inside a text', '{"a":"}]\\"{","detail":"\\\\"}', '"\\\\"'],
  ['a member of the same name further inside', '{"a":{"detail":1},"detail":3}', '3'],
  ['no such member', '{"a":{"detail":1}}', undefined],
  ['an empty object', '{ }', undefined],
])('%s', (_, text, expected) => {
  expect(memberText(text, 'detail')).toBe(expected);
});
