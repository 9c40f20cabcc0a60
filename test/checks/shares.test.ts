import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { heavy, shareOf } from '../support/shares.ts';

const files = globSync('test/**/*.test.ts');

it('every heavy file is there', () => {
  const there = new Set(files.map((file) => file.slice('test/'.length, -'.test.ts'.length)));
  expect(heavy.filter((name) => !there.has(name))).toEqual([]);
  expect(new Set(heavy).size).toBe(heavy.length);
});

describe.each([1, 3, 5])('of %d shares', (count) => {
  const shares = Array.from({ length: count }, (_, share) => share + 1);

  it('each heavy file is in one, and all of them have as many', () => {
    const sizes = shares.map(
      (share) => heavy.filter((name) => shareOf(`/any/test/${name}.test.ts`, count) === share).length,
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(heavy.length);
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
  });

  it('all have what is not heavy', () => {
    const light = files.filter((file) => shareOf(`/any/${file}`, count) === undefined);
    expect(light.length).toBe(files.length - heavy.length);
  });
});
