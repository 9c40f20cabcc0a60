import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { nodeHost } from '../../../lib/pawl/host.ts';
import { type Outbox, type OutboxRecord, type OutboxReport, outboxSweep } from '../../../lib/pawl/outbox/index.ts';

const recordOf = (n: number): OutboxRecord => ({
  ...{ id: 'lane', n, uid: `u-${n}`, to: 'queue', key: `k-${n}`, body: '1', committedAt: 0, v: 1 },
});

/** A lane whose messages are read by fifty, at a destination that takes a second for each, by a clock of its own. */
function lanes(count: number) {
  const left = new Map(Array.from({ length: count }, (_, index) => [index + 1, recordOf(index + 1)]));
  let now = 1_000_000;
  const outbox: Outbox = {
    host: { ...nodeHost, now: () => now },
    onEvent: () => undefined,
    destinations: [
      {
        ...{ name: 'one', address: 'queue', mostBytes: 1, takesPointers: false, bytesBeside: () => 0 },
        takes: () => true,
        problem: () => undefined,
        async send() {
          now += 1_000;
        },
      },
    ],
    store: {
      async lane(_, after) {
        // Never in no time: what is given no time has no answer.
        await sleep(20);
        return [...left.values()].filter(({ n }) => n > after).slice(0, 50);
      },
      due: async () => ({ messages: [...left.values()].slice(0, 1), cursor: undefined }),
      list: async () => ({ messages: [...left.values()], cursor: undefined }),
      remove: async ({ n }) => void left.delete(n),
      discard: async ({ n }) => left.delete(n),
      park: async () => true,
    },
  };
  const reports: OutboxReport[] = [];
  const sweep = outboxSweep({ outbox, olderThanMs: 0, onReport: (report) => void reports.push(report) });
  return { sweep, reports, left };
}

it.each([
  ['between two messages', 30],
  ['after all messages that were read, and before more are', 50],
])('a run whose time is over %s has not failed, and does not count as one that reached the end', async (_, most) => {
  const { sweep, reports, left } = lanes(60);
  await sweep({}, { getRemainingTimeInMillis: () => most * 1_000 + 2_000 });
  expect(reports).toMatchObject([{ sent: most, reachedEnd: false }]);
  await sweep({}, { getRemainingTimeInMillis: () => 900_000 });
  expect(reports.at(-1)).toMatchObject({ sent: 60 - most, reachedEnd: true });
  expect(left.size).toBe(0);
});
