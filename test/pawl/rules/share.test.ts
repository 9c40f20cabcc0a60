import { describe, expect, it } from 'vitest';
import { isInShare } from '../../../lib/pawl/rules/share.ts';

const ids = Array.from({ length: 20_000 }, (_, index) => `issue-gift-card#order-${index}`);

describe('a share of the keys', () => {
  it('has as many keys as it says, also of keys that count up', () => {
    for (const share of [0.01, 0.1, 0.5]) {
      const part = ids.filter((id) => isInShare(id, share)).length / ids.length;
      expect(Math.abs(part - share)).toBeLessThan(3 * Math.sqrt((share * (1 - share)) / ids.length));
    }
  });

  it('has none at 0, all at 1, and never loses a key when it grows', () => {
    expect(ids.some((id) => isInShare(id, 0))).toBe(false);
    expect(ids.every((id) => isInShare(id, 1))).toBe(true);
    expect(ids.some((id) => isInShare(id, 0.1) && !isInShare(id, 0.2))).toBe(false);
  });

  it('is the same in every version: these fell this way in the first one', () => {
    expect(ids.slice(0, 40).flatMap((id, index) => (isInShare(id, 0.2) ? [index] : []))).toEqual([
      1, 8, 24, 30, 31, 34,
    ]);
  });
});
