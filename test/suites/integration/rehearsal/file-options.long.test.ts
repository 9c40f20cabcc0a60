import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { hintsOf, rehearsed } from '../../../support/rehearsed.ts';

/** What a rehearsal file says of its app besides the traffic, at the real engine. */

test('parameters take the place of the defaults of the template', async () => {
  const few = await rehearsed({ code: 'plain.mjs' }, {}, { intents: 2, parameters: { Receives: 2 } });
  expect(hintsOf(few)).toContain('max-receive-count');
  const asWritten = await rehearsed({ code: 'plain.mjs' }, {}, { intents: 2 });
  expect(hintsOf(asWritten)).not.toContain('max-receive-count');
});

test('clockSpeed runs the schedules with a rate by themselves', async () => {
  const result = await rehearsed(
    { code: 'ticks.mjs', everyHour: true },
    {},
    {
      clockSpeed: 3_600,
      expect: { email: () => 'at-least-once' },
      async traffic({ announce }) {
        announce({ intent: 'tick' });
        // An hour is a second.
        await sleep(2_500);
      },
    },
  );
  expect(result.effects).toMatchObject([{ effect: 'email', intents: 1, done: 1 }]);
});

test('messages that a function has hidden for hours come back when nothing else is under way', async () => {
  const result = await rehearsed({ code: 'hides.mjs' }, {}, { intents: 2, settleSeconds: 8, story: 'order-1' });
  expect(result.effects).toMatchObject([{ done: 2, unfinished: [], unjudged: [] }]);
  expect(result).toMatchObject({ good: true, left: 0 });
  expect(result.story?.lines.join('\n')).toMatch(
    /receives .* 1st time[\s\S]*hidden: 4\d{4}\.\d s PASS[\s\S]*receives .* 2nd time/,
  );
});
