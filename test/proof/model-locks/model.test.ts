import { describe, expect, it } from 'vitest';
import { type ModelOptions, Violation } from '../../../proof/model-locks/model.ts';
import { search } from '../../../proof/model-locks/search.ts';

const overlapping: ModelOptions = {
  wanted: [
    ['a', 'b'],
    ['b', 'c'],
  ],
  most: 100,
  crashes: 1,
  crashed: 'goes-on',
  ticks: 1,
  commits: 1,
  lostAnswers: 0,
  renewals: false,
};

describe('two holders at three resources, in every order of their steps', { timeout: 240_000 }, () => {
  it.each<[string, Partial<ModelOptions>]>([
    ['with renewals and lost answers', { crashes: 0, ticks: 2, commits: 2, lostAnswers: 2, renewals: true }],
    ['one of which wants all of them', { wanted: [['a', 'b', 'c'], ['b']] }],
    ['a worker crashes, and an answer is lost', { crashed: 'gone', ticks: 2, lostAnswers: 1 }],
    ['a worker goes on that was thought to have crashed', {}],
    ['piece by piece, with an answer lost', { most: 1, crashes: 0, commits: 2, lostAnswers: 1 }],
    ['piece by piece, and a worker crashes', { most: 1, crashed: 'gone' }],
  ])('none commits what the other has, and none waits for ever: %s', (_, differs) => {
    const { worlds, stuck, finished, resourcesLocked } = search({ ...overlapping, ...differs });
    expect(stuck).toEqual([]);
    expect(finished).toBeGreaterThan(0);
    expect(resourcesLocked).toBe(0);
    expect(worlds).toBeGreaterThan(1000);
  });

  it.each(['unguarded', 'no-hand-over', 'no-take-over'] as const)(
    'finds what is wrong without a part: %s',
    (broken) => {
      expect(() => search({ ...overlapping, broken })).toThrow(Violation);
    },
  );
});
