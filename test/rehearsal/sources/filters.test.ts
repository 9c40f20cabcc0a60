import type { SQSRecord } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { matchesPattern } from '../../../lib/rehearsal/engine/event-pattern.ts';
import { messagePasses } from '../../../lib/rehearsal/engine/filters.ts';

describe('a pattern', () => {
  test.each([
    ['a value', { a: ['x', 1] }, { a: 1 }, true],
    ['a value of another type', { a: ['1'] }, { a: 1 }, false],
    ['null', { a: [null] }, { a: null }, true],
    ['null, and the name is not there', { a: [null] }, {}, false],
    ['several names', { a: ['x'], b: ['y'] }, { a: 'x', b: 'z' }, false],
    ['a name inside another', { a: { b: ['x'] } }, { a: { b: 'x' } }, true],
    ['a list in the event', { a: ['x'] }, { a: ['w', 'x'] }, true],
    ['a name inside a list of objects', { a: { b: ['x'] } }, { a: [{ b: 'w' }, { b: 'x' }] }, true],
    ['two names that no object of a list has both', { a: { b: ['x'], c: [1] } }, { a: [{ b: 'x' }, { c: 1 }] }, false],
    ['an address', { a: [{ cidr: '10.0.0.0/8' }] }, { a: '10.1.2.3' }, true],
    ['another address', { a: [{ cidr: '10.0.0.0/8' }] }, { a: '11.1.2.3' }, false],
    ['exists', { a: [{ exists: true }] }, { a: 0 }, true],
    ['exists not', { a: [{ exists: false }] }, { a: 0 }, false],
    ['exists, of what has names inside', { a: [{ exists: true }] }, { a: { b: 1 } }, false],
    ['exists not, of what has names inside', { a: [{ exists: false }] }, { a: { b: 1 } }, true],
    ['exists not, of an empty list', { a: [{ exists: false }] }, { a: [] }, true],
    ['exists not, inside an empty list', { a: { b: [{ exists: false }] } }, { a: [] }, true],
    [
      'exists not, of what no object of a list has',
      { a: { b: [{ exists: false }] } },
      { a: [{ c: 1 }, { c: 2 }] },
      true,
    ],
    [
      'exists not, of what an object of a list has',
      { a: { b: [{ exists: false }] } },
      { a: [{ b: 1 }, { c: 1 }] },
      false,
    ],
    ['a prefix', { a: [{ prefix: 'x' }] }, { a: 'xy' }, true],
    ['a prefix of any case', { a: [{ prefix: { 'equals-ignore-case': 'X' } }] }, { a: 'xy' }, true],
    ['a suffix', { a: [{ suffix: 'x' }] }, { a: 'xy' }, false],
    ['a value of any case', { a: [{ 'equals-ignore-case': 'X' }] }, { a: 'x' }, true],
    ['a wildcard', { a: [{ wildcard: 'x*z.' }] }, { a: 'xyz.' }, true],
    ['a wildcard, whose point is a point', { a: [{ wildcard: 'x.' }] }, { a: 'xy' }, false],
    ['a wildcard with an asterisk', { a: [{ wildcard: String.raw`x\*y` }] }, { a: 'x*y' }, true],
    [
      'a wildcard with an asterisk, which is no other text',
      { a: [{ wildcard: String.raw`x\*y` }] },
      { a: 'xzy' },
      false,
    ],
    ['a wildcard with a backslash', { a: [{ wildcard: String.raw`x\\*` }] }, { a: String.raw`x\y` }, true],
    ['a range', { a: [{ numeric: ['>', 1, '<=', 2] }] }, { a: 2 }, true],
    ['a range, and the value is a text', { a: [{ numeric: ['=', 2] }] }, { a: '2' }, false],
    ['anything but', { a: [{ 'anything-but': ['x', 'y'] }] }, { a: 'z' }, true],
    ['anything but, and the name is not there', { a: [{ 'anything-but': 'x' }] }, {}, false],
    ['anything but, of what has names inside', { a: [{ 'anything-but': 'x' }] }, { a: { b: 'y' } }, false],
    ['anything but a prefix', { a: [{ 'anything-but': { prefix: 'x' } }] }, { a: 'xy' }, false],
    ['one of several', { $or: [{ a: ['x'] }, { b: ['y'] }] }, { b: 'y' }, true],
  ])('with %s', (_, pattern, event, expected) => {
    expect(matchesPattern(pattern, event)).toBe(expected);
  });

  test('with a comparison that is not known is an error, and no match', () => {
    expect(() => matchesPattern({ a: [{ near: 1 }] }, { a: 'x' })).toThrow('near');
    expect(() => matchesPattern({ a: [{ near: 1 }] }, {})).toThrow('near');
    expect(() => matchesPattern({ a: [{ near: 1 }] }, { a: { b: 1 } })).toThrow('near');
  });
});

/** AWS's own table of what becomes of a message: by the kind of its body, and the kind of the pattern's. */
test.each([
  ['JSON', 'JSON that it matches', '{"kind":"a"}', { body: { kind: ['a'] } }, true],
  ['JSON', 'other JSON', '{"kind":"b"}', { body: { kind: ['a'] } }, false],
  ['a text', 'JSON', 'a', { body: { kind: ['a'] } }, false],
  ['a text', 'that text', 'a', { body: ['a'] }, true],
  ['JSON', 'a text', '{"kind":"a"}', { body: ['{"kind":"a"}'] }, false],
  ['a text', 'no body, but an attribute', 'a', { messageAttributes: { kind: { stringValue: ['a'] } } }, true],
])('a message with %s and a pattern with %s', (_, __, body, pattern, expected) => {
  const message = {
    body,
    messageAttributes: { kind: { stringValue: 'a', dataType: 'String' } },
  } as Partial<SQSRecord> as SQSRecord;
  expect(messagePasses([pattern], message)).toBe(expected);
});
