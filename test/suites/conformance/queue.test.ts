import { describe } from 'vitest';
import { queueSweep } from './queue.ts';
import { testCells } from './sweep.ts';
import type { Tried } from './table.ts';

// All cells, and a part of the faults: most of them where most authors are. `queue.long.test.ts` has the rest.
const runsOf = ({ core }: Tried) => (core === 7 ? 7 : 3);

describe('killed at its awaits, and at those of other middlewares: no mail is lost, and none is sent twice', () => {
  testCells('queue', queueSweep, runsOf);
});
