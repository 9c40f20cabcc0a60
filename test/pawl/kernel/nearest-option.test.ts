import { describe, expect, it } from 'vitest';
import { nearestOf } from '../../../lib/pawl/kernel/unknown-option.ts';

describe('the nearest known name', () => {
  it.each([
    ['laese', 'exchanged letters count as one'],
    ['leas', 'a letter is missing'],
    ['leasse', 'a letter is too many'],
    ['lexse', 'a letter is another one'],
    ['LEASE', 'case does not count'],
  ])('is found: %s, where %s', (name) => {
    expect(nearestOf(name, ['lease'])).toBe('lease');
  });

  it.each([
    ['lxyse', 'two letters of five are others'],
    ['lxese', 'a letter is out of its place, and another one is wrong'],
    ['laxse', 'a letter is out of its place, and another one is wrong'],
    ['elsae', 'letters are exchanged twice'],
  ])('is not found: %s, where %s', (name) => {
    expect(nearestOf(name, ['lease'])).toBeUndefined();
  });

  it('is the one that begins like it, from four letters on', () => {
    expect(nearestOf('time', ['timeoutMs'])).toBe('timeoutMs');
    expect(nearestOf('tim', ['timeoutMs'])).toBeUndefined();
    expect(nearestOf('timeoutMsOfTheHandler', ['timeoutMs'])).toBe('timeoutMs');
    expect(nearestOf('outMs', ['timeoutMs'])).toBeUndefined();
    expect(nearestOf('theVeryLongTimeoutMs', ['timeoutMs'])).toBeUndefined();
  });

  it('is the first of those that are equally near', () => {
    expect(nearestOf('leaseC', ['leaseA', 'leaseB'])).toBe('leaseA');
    expect(nearestOf('leaseBs', ['leaseA', 'leaseB'])).toBe('leaseB');
  });

  it('is not looked for where the name is longer than 64 characters', () => {
    expect(nearestOf('k'.repeat(64), ['k'.repeat(63)])).toBe('k'.repeat(63));
    expect(nearestOf('k'.repeat(65), ['x'.repeat(64)])).toBeUndefined();
  });
});
