import { describe, test } from 'vitest';
import { ofSweep } from '../../support/whole.ts';
import { nameOf, sweepCell } from './sweep.ts';
import { allSwept } from './table.ts';

describe('killed at every await, and in pairs, each effect happens once, and the record says so in the end', () => {
  test.each(allSwept.map((swept) => [nameOf(swept), swept] as const))('%s', (_, swept) =>
    sweepCell(swept, ofSweep(500, { part: 60 })),
  );
});
