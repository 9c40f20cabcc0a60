import { describe, expect, it } from 'vitest';
import { isStill, type RecordState } from '../../../lib/pawl/kernel/record.ts';

interface Seen {
  readonly owner: string;
  readonly rev: number;
  readonly note?: string;
}

const stateOf = ({ owner, rev }: Seen): RecordState => ({ owner, rev });
const still = (seen: Seen | undefined, found: Seen | undefined) => isStill(stateOf, seen, found);

describe('a record', () => {
  it('is still the one that was seen when each attribute of its state has the same value', () => {
    expect(still({ owner: 'a', rev: 3 }, { owner: 'a', rev: 3 })).toBe(true);
    expect(still({ owner: 'a', rev: 3 }, { owner: 'b', rev: 3 })).toBe(false);
    expect(still({ owner: 'a', rev: 3 }, { owner: 'a', rev: 4 })).toBe(false);
  });

  it('is compared by its state alone: what the state leaves out may differ', () => {
    expect(still({ owner: 'a', rev: 3, note: 'before' }, { owner: 'a', rev: 3, note: 'after' })).toBe(true);
  });

  it('is compared by the attributes of both states, also where the two have different ones', () => {
    const byKind = ({ owner, rev }: Seen): RecordState => (rev === 0 ? { owner } : { rev });
    expect(isStill<Seen>(byKind, { owner: 'a', rev: 0 }, { owner: 'a', rev: 1 })).toBe(false);
    expect(isStill<Seen>(byKind, { owner: 'a', rev: 1 }, { owner: 'a', rev: 0 })).toBe(false);
  });

  it('that was not there is still not there, and nothing else is', () => {
    expect(still(undefined, undefined)).toBe(true);
    expect(still(undefined, { owner: 'a', rev: 1 })).toBe(false);
    expect(still({ owner: 'a', rev: 1 }, undefined)).toBe(false);
  });
});
