import { describe, expect, it } from 'vitest';
import { claimState, unchanged } from '../../../lib/pawl/rules/store.ts';
import { record } from '../../support/records.ts';

describe('a claim', () => {
  it('is still the one that was seen by its owner and its revision alone', () => {
    expect(claimState(record({ claimId: 'first', rev: 7 }))).toEqual({ claimId: 'first', rev: 7 });
    expect(unchanged(record({ rev: 7 }), record({ rev: 7 }))).toBe(true);
    expect(unchanged(record({ rev: 7 }), record({ rev: 8 }))).toBe(false);
    expect(unchanged(record({ rev: 7 }), record({ rev: 7, claimId: 'another' }))).toBe(false);
  });

  it('that was not there is unchanged only while there is none', () => {
    expect(unchanged(undefined, undefined)).toBe(true);
    expect(unchanged(undefined, record())).toBe(false);
    expect(unchanged(record(), undefined)).toBe(false);
  });
});
