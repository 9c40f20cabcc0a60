import { describe } from 'vitest';
import { httpSweep } from './http.ts';
import { runsOf, testCells } from './sweep.ts';

describe('killed at every await, and in pairs, and at those of other middlewares: no payment is lost, and none is made twice', () => {
  testCells('http', httpSweep, runsOf);
});
