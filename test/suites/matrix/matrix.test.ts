import { describe, expect, test } from 'vitest';
import { nameOf, sweepCell } from './sweep.ts';
import { allSwept, cells, doors, features } from './table.ts';

test('the matrix has a cell for every feature at every door, and none is empty', () => {
  expect(cells).toHaveLength(doors.length * features.length);
  for (const { cell } of cells) {
    if (cell.kind === 'swept') expect(cell.policies.length).toBeGreaterThan(0);
  }
});

// More of each are in `matrix.long.test.ts`.
describe('killed at every await, each effect happens once, and the record says so in the end', () => {
  test.each(allSwept.map((swept) => [nameOf(swept), swept] as const))('%s', (_, swept) => sweepCell(swept, 10));
});
