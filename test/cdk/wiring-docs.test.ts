import { expect, test } from 'vitest';
import { pageParts, wiringTable } from '../../checks/wiring-table.ts';

test('docs/reference/wiring.md prints the rules as they are: node checks/wiring-table.ts writes them', () => {
  expect(pageParts().table).toBe(wiringTable());
});
