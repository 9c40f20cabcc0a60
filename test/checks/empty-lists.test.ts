import { describe, expect, it, test } from 'vitest';
import { notEmpty } from '../../checks/not-empty.ts';

test('an empty list of cases is refused, by each and by for, of describe and of test', () => {
  for (const make of [describe.each, describe.for, test.each, test.for, it.each, it.for]) {
    expect(() => (make as (cases: readonly unknown[]) => unknown)([])).toThrow(
      /expected at least one case, found none/,
    );
  }
  expect(() => notEmpty('pages', [])).toThrow('pages: expected at least one, found none');
});
