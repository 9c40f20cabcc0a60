import { describe, expect, it } from 'vitest';
import { claimState, unchanged } from '../../lib/claims/store.ts';
import { record } from '../support/records.ts';
import { someDay } from '../support/virtual-host.ts';

/** As a version of pawl without revisions wrote it. */
const early = { ...record({ rev: undefined }), v: 1 as const };

describe('a claim', () => {
  it('is still the one that was seen by its owner and its revision alone', () => {
    expect(claimState(record({ claimId: 'first', rev: 7 }))).toEqual({ claimId: 'first', rev: 7 });
    expect(unchanged(record({ rev: 7 }), record({ rev: 7 }))).toBe(true);
    expect(unchanged(record({ rev: 7 }), record({ rev: 8 }))).toBe(false);
    expect(unchanged(record({ rev: 7 }), record({ rev: 7, claimId: 'another' }))).toBe(false);
  });

  it('of schema 1 is the same by owner, status and lease, and as long as it has no revision', () => {
    expect(unchanged(early, early)).toBe(true);
    expect(unchanged(early, { ...early, claimId: 'another' })).toBe(false);
    expect(unchanged(early, { ...early, status: 'released' })).toBe(false);
    expect(unchanged(early, { ...early, leaseUntil: someDay })).toBe(false);
    expect(unchanged(early, { ...early, rev: 1, v: 2 })).toBe(false);
    expect(unchanged({ ...early, rev: 1, v: 2 }, early)).toBe(false);
  });

  it('that was not there is unchanged only while there is none', () => {
    expect(unchanged(undefined, undefined)).toBe(true);
    expect(unchanged(undefined, record())).toBe(false);
    expect(unchanged(record(), undefined)).toBe(false);
  });
});
