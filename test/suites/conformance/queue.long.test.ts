import { describe } from 'vitest';
import { queueSweep } from './queue.ts';
import { runsOf, testCells } from './sweep.ts';

describe('killed at every await, and in pairs, and at those of other middlewares: no mail is lost, and none is sent twice', () => {
  testCells('queue', queueSweep, runsOf);
});
