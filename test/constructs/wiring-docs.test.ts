import { expect, test } from 'vitest';
import { pageParts, wiringTable } from '../../bench/wiring-table.ts';

test('docs/wiring.md prints the rules as they are: node bench/wiring-table.ts writes them', () => {
  expect(pageParts().table).toBe(wiringTable());
});
