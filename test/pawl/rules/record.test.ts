import { describe, expect, it } from 'vitest';
import type { ClaimRecord } from '../../../lib/pawl/rules/record.ts';
import { sourceOf, understood } from '../../../lib/pawl/rules/record.ts';
import { successor } from '../../../lib/pawl/rules/successor.ts';
import { record } from '../../support/records.ts';

describe('a record', () => {
  it.each(['in-flight', 'released', 'completed', 'rejected', 'parked'] as const)(
    'that is %s is understood',
    (status) => {
      const found = record({ status });
      expect(understood(found)).toBe(found);
      expect(understood(undefined)).toBeUndefined();
    },
  );

  it.each([
    [{ v: 2 }, 'the record under this key is left alone: expected a claim of schema 1, found schema 2'],
    [
      { status: 'paused' },
      'the record under this key is left alone: expected a claim of schema 1, found schema 1, with a status of its own',
    ],
  ])('of a later version is left alone: %o', (strange, message) => {
    expect(() => understood({ ...record(), ...strange } as ClaimRecord)).toThrow(message);
  });

  it('counts its writes', () => {
    const { rev: _, v: __, ...draft } = record();
    expect(successor(undefined, draft)).toEqual({ ...draft, rev: 1, v: 1 });
    expect(successor(record({ rev: 7 }), draft)).toEqual({ ...draft, rev: 8, v: 1 });
  });

  it('says which message holds it only while its first grant lasts', () => {
    expect(sourceOf({ source: 'm-1', fence: 1 })).toBe('m-1');
    expect(sourceOf({ source: 'm-1', fence: 2 })).toBeUndefined();
    expect(sourceOf({ source: undefined, fence: 1 })).toBeUndefined();
  });
});
