import { describe } from 'vitest';
import { httpSweep } from './http.ts';
import { testCells } from './sweep.ts';
import type { Tried } from './table.ts';

// All cells, and a part of the faults: most of them where most authors are. `http.long.test.ts` has the rest.
const runsOf = ({ core }: Tried) => (core === 7 ? 7 : 3);

describe('killed at its awaits, and at those of other middlewares: no payment is lost, and none is made twice', () => {
  testCells('http', httpSweep, runsOf);
});
