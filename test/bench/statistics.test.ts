import { expect, it } from 'vitest';
import { startingWith } from '../../bench/cost/sizes.ts';
import { median, medianInterval, pairedRatio, percentile } from '../../bench/cost/statistics.ts';

it('takes a percentile by order, not by position, and between two values where it falls there', () => {
  expect(percentile([30, 10, 20], 0.5)).toBe(20);
  expect(percentile([10, 20], 0.5)).toBe(15);
  expect(percentile([1, 2, 3, 4, 5], 1)).toBe(5);
  expect(median([9])).toBe(9);
});

it('says nothing of no values, rather than zero', () => {
  expect(median([])).toBeNaN();
});

it('compares round by round, so that a machine that slows down for a while changes no ratio', () => {
  expect(pairedRatio([2, 20, 2], [1, 10, 1])).toBe(2);
  // One odd round of ours is not the result, either.
  expect(pairedRatio([2, 900, 2], [1, 1, 1])).toBe(2);
});

it('lets every contender begin a round, and each work once in it', () => {
  const all = ['a', 'b', 'c'];
  expect([0, 1, 2, 3].map((round) => startingWith(round, all).join(''))).toEqual(['abc', 'bca', 'cab', 'abc']);
});

it('gives an interval that is wide for few values, and holds the median of many', () => {
  expect(medianInterval([3, 1, 2])).toEqual([1, 3]);
  const many = Array.from({ length: 100 }, (_, index) => index + 1);
  expect(medianInterval(many)).toEqual([40, 61]);
});
