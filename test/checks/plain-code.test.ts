import { describe, expect, test } from 'vitest';
import { habitsIn } from '../../checks/plain-code.ts';

const found = (text: string) => habitsIn('lib/a.ts', text);

describe('a habit that hides a type is found', () => {
  test.each([
    ['const a = b as unknown as C;', 'as unknown as'],
    ['return Object(error)[brand];', 'Object(…)'],
    ['const { name } = Object(await read());', 'Object(…)'],
    ['const text = `$' + '{Object(error).name}`;', 'Object(…)'],
    ['if (/^(retry|park)$/.test(policy)) return;', 'a regex over words'],
    ['const known = /retry|park/i;', 'a regex over words'],
    ['return /^(?:done|dead-letter|again)$/.exec(text) !== null;', 'a regex over words'],
  ])('%s', (line, habit) => {
    expect(found(`const before = 1;\n${line}\n`)).toEqual([expect.stringContaining(`lib/a.ts:2: ${habit}. Instead: `)]);
  });

  test.each([
    ['a comment', '// not `as unknown as`, nor Object(x).y, nor /^(a|b)$/'],
    ['a docstring', '/**\n * Object(x).y\n */'],
    ['a quoted text', "throw new Error('as unknown as');"],
    ['the methods of Object', 'Object.keys(a).map((b) => c.Object(b));'],
    ['a pattern that is more than words', 'const item = /^(content-(?!location)|digest$)/i;'],
    ['a division', 'const share = a / b | c / d;'],
  ])('but not in %s', (_, text) => expect(found(text)).toEqual([]));
});

const foundInTest = (text: string) => habitsIn('test/a.test.ts', text);

describe('a verdict by the speed of a machine is found', () => {
  test.each([
    ["test('a', { timeout: 120_000 }, () => {", 'a time-out of less than ten minutes'],
    ['  timeout: 5_000,', 'a time-out of less than ten minutes'],
    ['  }, 60_000);', 'a time-out of less than ten minutes'],
    ['await vi.waitFor(() => expect(a).toBe(1));', 'vi.waitFor'],
  ])('%s', (line, habit) => {
    expect(foundInTest(`${line}\n`)).toEqual([expect.stringContaining(`test/a.test.ts:1: ${habit}. Instead: `)]);
  });

  test.each(['  timeout: 600_000,', '  }, 900_000);', '  }, kills * 60_000);', 'const context = { timeout: 30 };'])(
    'but not in %s',
    (line) => expect(foundInTest(`${line}\n`)).toEqual([]),
  );
});
