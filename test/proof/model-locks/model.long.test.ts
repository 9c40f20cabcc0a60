import { describe, expect, it } from 'vitest';
import { type ModelOptions, Violation } from '../../../proof/model-locks/model.ts';
import { type Breakage, breakages } from '../../../proof/model-locks/planted.ts';
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
  retries: 1,
};

describe('two holders at three resources, in every order of their steps', () => {
  it.each<[string, Partial<ModelOptions>]>([
    ['with renewals and lost responses', { crashes: 0, ticks: 2, commits: 2, lostAnswers: 2, renewals: true }],
    ['one of which wants all of them', { wanted: [['a', 'b', 'c'], ['b']] }],
    ['a worker crashes, and a response is lost', { crashed: 'gone', ticks: 2, lostAnswers: 1 }],
    ['a worker goes on that was thought to have crashed', {}],
    ['piece by piece, with a response lost', { most: 1, crashes: 0, commits: 2, lostAnswers: 1 }],
    ['piece by piece, and a worker crashes', { most: 1, crashed: 'gone' }],
    // No lease ends: what is locked in the end was left behind.
    ['piece by piece, and a worker goes on that was thought to have crashed', { most: 1, ticks: 0 }],
  ])('none commits what the other has, none waits for ever, and nothing stays locked: %s', (_, differs) => {
    const { worlds, stuck, finished, resourcesLocked } = search({ ...overlapping, ...differs });
    expect(stuck).toEqual([]);
    expect(finished).toBeGreaterThan(0);
    expect(resourcesLocked).toBe(0);
    expect(worlds).toBeGreaterThan(8000);
  });

  it.each<[Breakage, Partial<ModelOptions>, string]>([
    ['unguarded', {}, 'commits, and a is not under it'],
    ['no-hand-over', {}, 'invariant 3'],
    ['no-take-over', {}, 'invariant 3'],
    ['no-let-go', { most: 1 }, 'invariant 1'],
    ['frees-all', { most: 1 }, 'invariant 1'],
    ['no-last-look', {}, 'invariant 6'],
    ['no-own-lock', { most: 1 }, 'invariant 4'],
  ])('finds what is wrong without a part: %s', (broken, differs, found) => {
    const searched = () => search({ ...overlapping, ...differs, broken });
    expect(searched, breakages[broken]).toThrow(Violation);
    expect(searched).toThrow(found);
  });
});
