import { expect, expectFunction, expectWhole } from './check.ts';
import type { OptionRows, Whole } from './door-options.ts';

/**
 * Refuses values that are not of their options' kinds, or out of range. An option that is missing, or `undefined`, has its default.
 *
 * @throws OptionError that names the option, what was expected and what was given
 */
export function expectKinds(rows: OptionRows, options: object): void {
  for (const [name, row] of Object.entries(rows)) {
    const value: unknown = Reflect.get(options, name);
    if (value === undefined) continue;
    switch (row.kind) {
      case 'whole':
        expectInRange(name, row, value);
        break;
      case 'flag':
        expect(typeof value === 'boolean', name, 'true or false', value);
        break;
      case 'function':
        expectFunction(name, row.like ?? 'a function', value, 'wrong-handler');
        break;
      case 'choice':
        expect(
          row.of.some((one) => one === value),
          name,
          row.of.map((one) => `'${one}'`).join(' or '),
          value,
        );
        break;
    }
  }
}

/** @throws OptionError */
export function expectInRange(name: string, { least = 0, most = Infinity, so, or }: Whole, value: unknown): void {
  const other = or === undefined ? '' : `, or ${or}`;
  if (or === 'Infinity' ? value === Infinity : or !== undefined && value === 'forever') return;
  const code = name.endsWith('Ms') || name.endsWith('Seconds') ? 'wrong-time' : undefined;
  const advice = `a whole number; only retentionSeconds may be 'forever'. Leave ${name} out for its default`;
  expect(value !== 'forever', name, advice, value, 'wrong-time');
  if (or !== 'Infinity') expectWhole(name, value, code, other);
  const isInRange = Number.isSafeInteger(value) && (value as number) >= least;
  const range = or === 'Infinity' ? ', as a whole number or Infinity' : `${so === undefined ? '' : `: ${so}`}${other}`;
  expect(isInRange, name, `at least ${least}${range}`, value, code);
  expect((value as number) <= most, name, `at most ${most}`, value, code);
}
