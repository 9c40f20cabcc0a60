import { describe } from 'vitest';
import { ofSweep } from '../../support/whole.ts';
import { queueSweep } from './queue.ts';
import { testCells } from './sweep.ts';

describe('killed at every await, and in pairs, and at those of other middlewares: no mail is lost, and none is sent twice', () => {
  testCells('queue', queueSweep, () => ofSweep(300, { part: 80 }));
});
