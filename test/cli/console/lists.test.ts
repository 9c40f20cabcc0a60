import { describe, expect, it } from 'vitest';
import { liveHistory } from '../../../lib/cli/console/history.ts';
import { byOperation, grouped, matching, openList, sorted } from '../../../lib/cli/console/open-list.ts';
import { age, shown, shownBody } from '../../../lib/cli/console/page/format.ts';
import type { OpenClaimView } from '../../../lib/pawl/operate/index.ts';

const at = Date.parse('2026-11-22T13:00:00Z');

function claim(operation: string, key: string, more: Partial<OpenClaimView> = {}): OpenClaimView {
  return {
    id: `${operation}#${key}`,
    operation,
    key,
    state: 'parked',
    status: 'parked',
    reason: 'abandoned',
    error: { name: 'abandoned', message: 'no outcome' },
    fence: 1,
    attempts: 1,
    abandoned: 1,
    firstSeenAt: at,
    leaseUntil: at,
    inDoubtSince: at,
    attributes: undefined,
    ...more,
  };
}

const claims = [
  claim('mail', 'order-10', { firstSeenAt: at - 5000 }),
  claim('mail', 'order-2', { attempts: 7, state: 'in-doubt' }),
  claim('pay', 'order-1', { reason: 'outcome-unknown', error: { name: 'outcome-unknown', message: 'Reset by PEER' } }),
];
const keys = (found: readonly OpenClaimView[]) => found.map(({ key }) => key);

describe('the list of open claims', () => {
  it('is filtered by each of its fields, and searched in ids, reasons and errors', () => {
    expect(keys(matching(claims, { operation: 'pay' }))).toEqual(['order-1']);
    expect(keys(matching(claims, { state: 'in-doubt' }))).toEqual(['order-2']);
    expect(keys(matching(claims, { reason: 'abandoned', operation: 'mail' }))).toEqual(['order-10', 'order-2']);
    expect(keys(matching(claims, { error: 'Reset by PEER' }))).toEqual(['order-1']);
    expect(keys(matching(claims, { q: 'by peer' }))).toEqual(['order-1']);
    expect(keys(matching(claims, { q: 'ORDER-1' }))).toEqual(['order-10', 'order-1']);
  });

  it('is sorted by age, attempts, key or reason, either way round', () => {
    expect(keys(sorted(claims, 'age', false))[0]).toBe('order-10');
    expect(keys(sorted(claims, 'attempts', false))[0]).toBe('order-2');
    expect(keys(sorted(claims, 'key', false))).toEqual(['order-2', 'order-10', 'order-1']);
    expect(keys(sorted(claims, 'key', true))).toEqual(['order-1', 'order-10', 'order-2']);
    expect(keys(sorted(claims, 'reason', true))[0]).toBe('order-1');
  });

  it('is grouped by operation, reason and error, the largest group first', () => {
    expect(grouped(claims)).toEqual([
      { operation: 'mail', reason: 'abandoned', error: 'no outcome', count: 2, oldestAt: at - 5000 },
      { operation: 'pay', reason: 'outcome-unknown', error: 'Reset by PEER', count: 1, oldestAt: at },
    ]);
    expect(byOperation(claims)).toEqual([
      { operation: 'mail', parked: 1, 'in-doubt': 1, waiting: 0, 'in-flight': 0, oldestAt: at - 5000 },
      { operation: 'pay', parked: 1, 'in-doubt': 0, waiting: 0, 'in-flight': 0, oldestAt: at },
    ]);
  });

  it('is read once for all that ask at the same time, and again when it is too old or an act has changed it', async () => {
    let [reads, now] = [0, at];
    async function* openClaims() {
      reads++;
      yield { claims, cursor: undefined };
    }
    const list = openList({ openClaims }, () => now);
    const [one, other] = await Promise.all([list.read(1000), list.read(1000)]);
    expect([reads, one.claims.length, other.claims.length]).toEqual([1, 3, 3]);
    now += 1000;
    await list.read(1000);
    expect(reads).toBe(1);
    now += 1;
    await list.read(1000);
    expect(reads).toBe(2);
    list.forget();
    await list.read(1000);
    expect(reads).toBe(3);
  });

  it('is read anew after an act, also while a reading from before it is under way', async () => {
    const begun: (() => void)[] = [];
    async function* openClaims() {
      const open = begun.length === 0 ? claims : [];
      await new Promise<void>((resolve) => begun.push(resolve));
      yield { claims: open, cursor: undefined };
    }
    const list = openList({ openClaims }, () => at);
    const before = list.read(0);
    list.forget();
    const after = list.read(0);
    expect(begun).toHaveLength(2);
    begun[1]?.();
    expect((await after).claims).toEqual([]);
    begun[0]?.();
    expect((await before).claims).toHaveLength(3);
    // What was read before the act is not kept.
    expect((await list.read(1000)).claims).toEqual([]);
  });

  it('stops after fifty thousand, and says so', async () => {
    let pages = 0;
    async function* openClaims() {
      const page = Array.from({ length: 1000 }, () => claim('mail', 'k'));
      for (;;) {
        pages++;
        yield { claims: page, cursor: 'more' };
      }
    }
    const { claims: all, truncated } = await openList({ openClaims }, () => at).read(0);
    expect([all.length, truncated, pages]).toEqual([50_000, true, 50]);
  });
});

it('counts what happens by time, and keeps an hour', async () => {
  let now = at;
  const history = liveHistory(() => now);
  const done = { at, tone: 'good', what: 'completed', text: '', counts: 'done' } as const;
  history.count(done);
  history.count(done);
  now += 12_000;
  history.count(done);
  expect(await history.read()).toMatchObject({
    source: 'live',
    from: at,
    series: { done: [2, 0, 1], parked: [0, 0, 0] },
  });
  now = at + 3_601_000;
  history.count(done);
  const { from, series } = await history.read();
  expect([series.done.length, from, series.done[1], series.done.at(-1)]).toEqual([720, at + 5000, 1, 1]);
  now += 86_400_000;
  expect((await history.read()).series.done).toEqual([0]);
});

it('writes out what hides or turns the direction, and keeps the lines of a body', () => {
  expect(shown('a\u202eb\u0000c\n')).toBe(String.raw`a\u202eb\u0000c\u000a`);
  expect(shownBody('{\n\t"a": 1\u200b}')).toBe('{\n\t"a": 1\\u200b}');
  expect([age(0), age(59_999), age(3_599_999), age(86_399_999), age(172_800_000)]).toEqual([
    '0 s',
    '59 s',
    '59 min',
    '23 h',
    '2 d',
  ]);
});
