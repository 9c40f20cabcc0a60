import { describe } from 'vitest';
import { ofSweep } from '../../support/whole.ts';
import { httpSweep } from './http.ts';
import { testCells } from './sweep.ts';

describe('killed at every await, and in pairs, and at those of other middlewares: no payment is lost, and none is made twice', () => {
  testCells('http', httpSweep, () => ofSweep(300, { part: 80 }));
});
