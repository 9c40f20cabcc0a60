import { describe, test } from 'vitest';
import { sweepEnvelopes, sweptEnvelopes } from './envelopes.ts';

describe('killed at every await, a consumer with an envelope neither doubles nor loses', () => {
  test.each(sweptEnvelopes)('%s', (_, sweep) => sweepEnvelopes(sweep, 1000));
});
