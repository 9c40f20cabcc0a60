import { expect, test } from 'vitest';
import { drainQueues } from '../../shop/emulator/drain.ts';

const depth = (ready: number, delayed = 0, inFlight = 0) => ({ ready, delayed, inFlight });

test('waits until all queues are empty, with what is delayed and in flight, and shows what is left', async () => {
  const looks = [
    [depth(2, 1), depth(0, 0, 3)],
    [depth(0, 1), depth(0)],
    [depth(0), depth(0)],
  ];
  const shown: unknown[] = [];
  const left = await drainQueues({
    depths: async () => looks.shift() ?? [],
    until: Date.now() + 60_000,
    onLook: (state) => shown.push(state),
    betweenLooksMs: 1,
  });
  expect(left).toBe(0);
  expect(looks).toEqual([]);
  expect(shown).toEqual([
    { left: 6, ready: 2 },
    { left: 1, ready: 0 },
  ]);
});

test('gives up when the time is up, and returns how many messages are left', async () => {
  expect(await drainQueues({ depths: async () => [depth(1, 1, 1)], until: Date.now() - 1 })).toBe(3);
});
