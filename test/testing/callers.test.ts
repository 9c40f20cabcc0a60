import { expect, it } from 'vitest';
import { type CrashSweepOptions, crashSweep, type FaultAt, type World } from '../../lib/testing/index.ts';
import { forgetfulProvider, order, orders } from './providers.ts';

/*
 * Callers: each asks again until it gets a final answer.
 */

type Provider = ReturnType<typeof forgetfulProvider>;
type Answers = (world: World, provider: Provider) => (input: unknown) => Promise<unknown>;

const swept = (handler: Answers, faults: readonly FaultAt[] = [], options: Partial<CrashSweepOptions<Provider>> = {}) =>
  crashSweep({
    messages: order,
    callers: {},
    provider: forgetfulProvider,
    handler,
    effects: () => 7,
    replay: faults,
    ...options,
  });

const pay: Answers =
  (world, { send }) =>
  async (input) => {
    await world.io('pay', () => send((input as { orderId: string }).orderId));
    return { statusCode: 201 };
  };

it('hand over the body, wait longer each time, and end with a final answer', async () => {
  const { findings } = await swept(pay, [
    { at: 1, fault: 'throw' },
    { at: 3, fault: 'kill-after' },
  ]);
  expect(findings[0]?.story).toEqual([
    '      0 ms  worker 1 is asked for request 1, attempt 1',
    '      0 ms  worker 1 #1 pay: it fails, and is not applied',
    '     20 ms  worker 1 #2 return',
    '     20 ms  worker 1 responds to request 1: again',
    '   1020 ms  worker 1 is asked for request 1, attempt 2',
    '   1020 ms  worker 1 #3 pay: it is applied, and the worker is killed',
    '   1040 ms  worker 1 is killed',
    '   1040 ms  worker 1 responds to request 1: again',
    '   3040 ms  worker 2 is asked for request 1, attempt 3',
    '   3040 ms  worker 2 #4 pay',
    '   3080 ms  worker 2 #5 return',
    '   3080 ms  worker 2 responds to request 1: done',
    '       end  message 1: acknowledged; effect × 7',
  ]);
});

it('give an attempt up before the function does, and do not hear its answer', async () => {
  const slow: Answers = (world, { send }) => {
    let attempts = 0;
    return async () => {
      attempts++;
      await world.io('pay', () => send('o-1'), { takesMs: attempts === 1 ? 29_500 : 40 });
      return { statusCode: attempts === 1 ? 400 : 201 };
    };
  };
  const { fates, findings } = await swept(slow, [], { sandboxes: 1 });
  expect(fates).toMatchObject({ acknowledged: 1 });
  expect(findings[0]?.story).not.toContainEqual(expect.stringContaining('refused'));
});

it('are stuck when they have asked for as often as they do', async () => {
  const { stuck, findings } = await swept(() => async () => ({ statusCode: 503 }), [], {
    effects: () => 0,
    callers: { attempts: 3 },
  });
  expect(stuck).toMatchObject([{ message: 1, fate: 'stuck' }]);
  expect(findings[0]?.story.filter((line) => line.includes('is asked for'))).toHaveLength(3);
});

it.each([
  [{ statusCode: 200 }, 'done'],
  [{ statusCode: 302 }, 'done'],
  [{ outcome: 'completed' }, 'done'],
  [undefined, 'done'],
  ['paid', 'done'],
  [{ statusCode: 409, body: '{"reason":"in-flight"}' }, 'again'],
  [{ statusCode: 429 }, 'again'],
  [{ statusCode: 502 }, 'again'],
  [{ statusCode: 0 }, 'again'],
  [{ outcome: 'in-flight' }, 'again'],
  [{ outcome: 'in-doubt' }, 'again'],
  [{ statusCode: 409, body: '{"reason":"parked"}' }, 'parked'],
  [{ outcome: 'parked' }, 'parked'],
  [{ statusCode: 422 }, 'refused'],
  [{ outcome: 'key-reused' }, 'refused'],
  [{ outcome: 'rejected' }, 'refused'],
] as const)('take %j for: %s', async (answer, verdict) => {
  const { findings } = await swept(() => async () => answer, [], { callers: { attempts: 1 } });
  expect(findings[0]?.story).toContainEqual(expect.stringContaining(`responds to request 1: ${verdict}`));
});

it('understand an answer as their author says, and send the event that they make', async () => {
  const seen: unknown[] = [];
  const { fates } = await swept(
    () => async (event) => {
      seen.push(event);
      return 'declined';
    },
    [],
    { callers: { event: ({ body }, attempt) => ({ body, attempt }), understands: () => 'refused' } },
  );
  expect(seen).toEqual([{ body: { orderId: 'o-1' }, attempt: 1 }]);
  expect(fates).toMatchObject({ deadLettered: 1 });
});

it('ask all at once, or one after the other, or the last after long', async () => {
  const starts: Record<string, readonly string[]> = {};
  for (const delivery of ['together', 'in-turn', 'long-wait'] as const) {
    const { findings } = await swept(pay, [], { messages: orders, replay: { delivery, faults: [] } });
    const asked = findings[0]?.story.filter((line) => line.includes('is asked for')) ?? [];
    starts[delivery] = asked.map((line) => line.slice(0, 10).trim());
  }
  expect(starts).toEqual({
    together: ['0 ms', '0 ms'],
    'in-turn': ['0 ms', '40 ms'],
    'long-wait': ['0 ms', '3600.0 s'],
  });
});
