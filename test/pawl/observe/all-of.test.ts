import { describe, expect, it, vi } from 'vitest';
import { logEvents as logEventsOfCore } from '../../../lib/pawl/engine/events.ts';
import { allOf, type ClaimEvent, logEvents } from '../../../lib/pawl/observe/index.ts';
import { granted } from './events.ts';

describe('allOf', () => {
  it('tells every listener, in order', () => {
    const heard: [string, ClaimEvent][] = [];
    const listener = (name: string) => (event: ClaimEvent) => heard.push([name, event]);
    allOf(listener('first'), listener('second'))(granted);
    expect(heard).toEqual([
      ['first', granted],
      ['second', granted],
    ]);
  });

  it('tells the others when one throws, and throws nothing itself', () => {
    const last = vi.fn();
    const broken = () => {
      throw new Error('the collector is down');
    };
    expect(() => allOf(broken, last, broken)(granted)).not.toThrow();
    expect(last).toHaveBeenCalledExactlyOnceWith(granted);
  });

  it('is content with nobody', () => {
    expect(() => allOf()(granted)).not.toThrow();
  });
});

describe('logEvents', () => {
  it('is the one of the core', () => {
    expect(logEvents).toBe(logEventsOfCore);
  });
});
