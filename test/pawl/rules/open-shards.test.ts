import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { InDoubtError, memoryStore, once } from '../../../lib/pawl/index.ts';
import { openShard, openShards } from '../../../lib/pawl/rules/open.ts';
import { countIndexWrites } from '../../support/index-writes.ts';
import { virtualHost } from '../../support/virtual-host.ts';
import { firstOf } from '../../support/whole.ts';

/** DynamoDB gives a partition key of an index so many writes a second. */
const mostOfOneShard = 1000;

/** Of so many claims at once. With fewer, a shard may have as many fewer. */
const parkedAtOnce = firstOf(10_000, { first: 2_000 });
const watchedInASecond = firstOf(5_000, { first: 1_000 });

const day = Date.UTC(2026, 10, 21);

/** Keys as applications make them: at random, counting up, and by time. */
const keys: Readonly<Record<string, (index: number) => string>> = {
  random: () => randomUUID(),
  'counting up': (index) => `order-${1_000_000 + index}`,
  'counting up in a URL': (index) => `https://shop.example/customers/42/orders/${index}/payments/1`,
  'by time': (index) => `${new Date(day + index * 1000).toISOString()}/eu-west-1`,
  'of digits only': (index) => `${70_000_000 + index * 7}`,
  'of every 32nd number': (index) => `${index * 32}`,
};

function surroundings() {
  const host = virtualHost();
  const counted = countIndexWrites(memoryStore(), host);
  const options = {
    operation: 'charge',
    store: counted.store,
    host,
    key: (id: string) => id,
    onEvent: () => undefined,
  };
  return { host, counted, options };
}

describe.each(Object.entries(keys))('keys %s', (_, keyOf) => {
  test('spread over the shards: none of them has a quarter more than its share', () => {
    const counts = new Map<string, number>();
    for (let index = 0; index < 10_000; index++) {
      const shard = openShard(`charge#${keyOf(index)}`);
      counts.set(shard, (counts.get(shard) ?? 0) + 1);
    }
    expect(counts.size).toBe(openShards);
    expect(Math.max(...counts.values())).toBeLessThan((1.25 * 10_000) / openShards);
  });
});

const remainingMs = () => 30_000;

test(`${parkedAtOnce} claims that are parked at once throttle no shard`, async () => {
  const { counted, options } = surroundings();
  const charge = once({ ...options, onAbandoned: 'park' }, () => {
    throw new InDoubtError('no answer');
  }).outcome;
  for (let index = 0; index < parkedAtOnce; index++)
    await charge(`order-${index}`, { remainingMs }).catch(() => undefined);
  // All of it in one second of the world: each claim comes into the index with its grant, and is parked there.
  expect(counted.total()).toBe(2 * parkedAtOnce);
  expect(Math.max(...counted.perSecond.values())).toBeLessThan(mostOfOneShard * (parkedAtOnce / 10_000));
});

test(`${watchedInASecond} watched requests a second throttle no shard`, async () => {
  const { host, counted, options } = surroundings();
  const charge = once({ ...options, onAbandoned: 'park' }, () => 'done').outcome;
  for (let second = 0; second < 3; second++) {
    for (let index = 0; index < watchedInASecond; index++)
      await charge(`order-${second * watchedInASecond + index}`, { remainingMs });
    await host.advance(1000);
  }
  // A write when it is granted, and one when it ends.
  expect(counted.total()).toBe(2 * 3 * watchedInASecond);
  expect(Math.max(...counted.perSecond.values())).toBeLessThan(mostOfOneShard * (watchedInASecond / 5_000));
});

test('a claim that is not watched and completes costs no write of the index, and two of the table', async () => {
  const { counted, options } = surroundings();
  const charge = once({ ...options, onAbandoned: 'park', watched: false }, () => 'done').outcome;
  for (let index = 0; index < 100; index++) await charge(`order-${index}`, { remainingMs });
  expect([counted.total(), counted.writes()]).toEqual([0, 200]);
});
