import { expect, it } from 'vitest';
import { defaultsOf, type ExactRows } from '../../../lib/pawl/kernel/door-options.ts';
import { expectKinds } from '../../../lib/pawl/kernel/option-kinds.ts';

interface Options {
  readonly key: () => string;
  readonly waitMs?: number;
  readonly loud?: boolean;
}

const right = { key: {}, waitMs: { kind: 'whole', default: 5 }, loud: { kind: 'flag', default: false } } as const;

it('rows are exactly the options of their interface, or nothing compiles', () => {
  const { loud, ...fewer } = right;
  const more = { ...right, quiet: loud } as const;
  const asText = { ...right, waitMs: {} } as const;
  const asNumber = { ...right, loud: right.waitMs } as const;
  expect(right satisfies ExactRows<Options, typeof right>).toBe(right);
  // @ts-expect-error an option has no row
  fewer satisfies ExactRows<Options, typeof fewer>;
  // @ts-expect-error a row is no option
  more satisfies ExactRows<Options, typeof more>;
  // @ts-expect-error a number needs a range
  asText satisfies ExactRows<Options, typeof asText>;
  // @ts-expect-error a flag is no number
  asNumber satisfies ExactRows<Options, typeof asNumber>;
});

it('has the defaults of the rows that have one', () => {
  expect(defaultsOf(right)).toEqual({ waitMs: 5, loud: false });
});

const forever = { kind: 'whole', least: 60, so: 'an hour', or: "'forever'" } as const;
const rows = {
  ...right,
  retentionSeconds: forever,
  count: { kind: 'whole', least: 1, most: 9 },
  at: { kind: 'whole', least: 1, or: 'Infinity' },
  hear: { kind: 'function', like: 'a function of the event' },
  of: { kind: 'choice', of: ['a', 'b'], default: 'a' },
} as const;

it('takes what is of its kind and in range, and what is left out', () => {
  const given = { waitMs: 0, loud: true, retentionSeconds: 60, count: 9, at: Infinity, hear: () => 1, of: 'b' };
  expect(() => expectKinds(rows, given)).not.toThrow();
  expect(() => expectKinds(rows, { retentionSeconds: 'forever', waitMs: undefined })).not.toThrow();
});

it.each([
  [{ waitMs: -1 }, 'waitMs: expected a whole number, 0 or more, in milliseconds; got -1', 'wrong-time'],
  [{ waitMs: 'forever' }, 'waitMs: expected a whole number; only retentionSeconds', 'wrong-time'],
  [{ loud: 1 }, 'loud: expected true or false; got 1', 'wrong-option'],
  [{ retentionSeconds: 59 }, "retentionSeconds: expected at least 60: an hour, or 'forever'; got 59", 'wrong-time'],
  [{ count: 0 }, 'count: expected at least 1; got 0', 'wrong-option'],
  [{ count: 10 }, 'count: expected at most 9; got 10', 'wrong-option'],
  [{ at: 0.5 }, 'at: expected at least 1, as a whole number or Infinity; got 0.5', 'wrong-option'],
  [{ hear: 1 }, 'hear: expected a function of the event; got 1', 'wrong-handler'],
  [{ of: 'c' }, `of: expected 'a' or 'b'; got "c"`, 'wrong-option'],
])('refuses %o', (given, said, code) => {
  expect(() => expectKinds(rows, given)).toThrow(said);
  expect(() => expectKinds(rows, given)).toThrow(`errors.md#${code}`);
});
