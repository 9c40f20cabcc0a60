import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { longFiles, shareOf } from '../support/shares.ts';

it('the list of long files has each of them, once', () => {
  const isLong = (file: string) => file.endsWith('.long.test.ts') || /firstOf\(/.test(readFileSync(file, 'utf8'));
  const there = globSync('test/**/*.test.ts').filter(isLong);
  const names = there.map((file) => file.slice('test/'.length, -'.test.ts'.length));
  expect(longFiles.toSorted(), 'a new one goes into test/support/long-files.txt, beside what takes as long').toEqual(
    names.toSorted(),
  );
});

it.each([1, 2, 3, 4])('of %d shares, each has as many files as the others, and each file is in one', (count) => {
  const shares = Map.groupBy(longFiles, (name) => shareOf(`/any/test/${name}.test.ts`, count));
  expect([...shares.keys()].toSorted()).toEqual(Array.from({ length: count }, (_, share) => share + 1));
  const sizes = [...shares.values()].map(({ length }) => length);
  expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
});
