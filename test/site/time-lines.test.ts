import { describe, expect, it } from 'vitest';
import { draw } from '../../site/time-lines/draw.ts';
import { readStories } from '../../site/time-lines/story.ts';
import { createTimeLines, inEveryRun, lines } from '../support/time-line.ts';

const stories = [...readStories()];

describe('the time-lines', () => {
  it.each(stories)('of %s shows every death and every effect of its story', (_, story) => {
    const deaths = story.filter(({ act }) => act === 'dies').length;
    const effects = story.filter(({ act }) => act === 'applies').length;
    for (const scheme of ['light', 'dark'] as const) {
      const svg = draw(story, 'a cell', scheme);
      expect(svg.match(/>dies</g)?.length ?? 0).toBe(deaths);
      expect(svg.match(/>the provider applies the effect</g)?.length ?? 0).toBe(effects);
      expect(svg).toContain('<title>a cell</title>');
    }
  });

  it('kill one worker in each story', () => {
    expect(stories).toHaveLength(28);
    for (const [cell, story] of stories)
      expect(
        story.filter(({ act }) => act === 'dies'),
        cell,
      ).toHaveLength(1);
  });

  it('refuse an act that they cannot draw', () => {
    expect(() => draw([{ at: 0, worker: 1, act: 'sleeps' }], 'a cell', 'light')).toThrow('"sleeps"');
  });
});

describe('a story', () => {
  const at = Date.UTC(2026, 10, 22, 15, 0);
  let now = at;
  const noted = () => {
    now = at;
    return createTimeLines(() => now++);
  };

  it('gives each sandbox, and each delivery to it, a worker of its own', () => {
    const timeLines = noted();
    timeLines.note('order-1', 'sandbox-a', 'asks');
    timeLines.note('order-1', 'sandbox-a', 'dies');
    timeLines.note('order-1', 'sandbox-b', 'asks');
    timeLines.note('order-1', undefined, 'calls');
    expect(lines(timeLines.storyOf('order-1'))).toEqual(['0 1 asks', '1 1 dies', '2 2 asks', '3 2 calls']);
  });

  it('is the same however often the provider was asked too early, and differs when an act is missing', () => {
    const early = [
      { at: 0, worker: 1, act: 'dies' },
      { at: 1, worker: 2, act: 'hears too early' },
      { at: 2, worker: 3, act: 'hears applied' },
    ] as const;
    expect(inEveryRun(early)).toEqual(inEveryRun([early[0], early[2]]));
    expect(inEveryRun(early)).not.toEqual(inEveryRun([early[0]]));
  });
});
