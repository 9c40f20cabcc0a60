import { describe, expect } from 'vitest';
import { OptionError, once, StoreUnavailableError } from '../../../lib/pawl/index.ts';
import {
  LockKeptError,
  memoryLockStore,
  NestedLockError,
  ResourcesBusyError,
  resourceLocks,
} from '../../../lib/pawl/locks/index.ts';
import { requestKey, sendOnce } from '../../../lib/pawl/sqs/index.ts';
import { sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { clock, fakeSqs, mapStore, mischievous, never, promise, surroundings, thrownBy, wait } from './kit.ts';

const guide = 'docs/guides/locks.md';
const producers = 'docs/guides/producers.md';
const both = { onSuccess: 'unlock', onFailure: 'unlock' } as const;

function rig() {
  const time = clock();
  const store = memoryLockStore({ most: 4 });
  const locks = resourceLocks({ store, host: time });
  return { time, store, locks };
}

describe('locks', () => {
  promise(
    guide,
    'Two sets exclude each other if they have one resource in common',
    'overlapping sets exclude each other, all or none, and sets apart do not',
    async () => {
      const { time, locks } = rig();
      const a = await time.until(locks.lockAll(['x', 'y', 'z'], { holder: 'a', reason: 'repay' }));
      const answer = await time.until(locks.tryLockAll(['p', 'q', 'z', 'r', 's', 't'], { holder: 'b' }));
      expect(answer).toMatchObject({ outcome: 'busy', by: [{ resource: 'z', holder: 'a', reason: 'repay' }] });
      expect(await time.until(locks.read(['p', 'q', 'r', 's', 't']))).toEqual([]);
      expect(await time.until(locks.tryLockAll(['p', 'q'], { holder: 'c' }))).toMatchObject({ outcome: 'locked' });
      expect(await time.until(a.unlock())).toBe('unlocked');
      expect(await time.until(locks.tryLockAll(['z', 'r'], { holder: 'b' }))).toMatchObject({ outcome: 'locked' });
    },
  );

  promise(
    guide,
    "Parts stay apart (`['a', 'b#c']` is not `['a#b', 'c']`)",
    'resources whose parts differ are different, and order and repetition in a set do not matter',
    async () => {
      const { time, locks } = rig();
      const odd = [
        ['a', 'b#c'],
        ['a#b', 'c'],
        ['a/b', 'c'],
        ['a', 'b/c'],
        ['a', 'b', 'c'],
        'a#b#c',
        'a/b/c',
        ['1'],
        [1, 2],
        ['1', '2', ''],
      ];
      for (const [index, resource] of odd.entries()) {
        const answer = await time.until(
          thrownBy(async () =>
            expect(await locks.tryLockAll([resource as never], { holder: `h${index}` })).toMatchObject({
              outcome: 'locked',
            }),
          ),
        );
        if (index < odd.length - 1) expect([resource, answer]).toEqual([resource, undefined]);
      }
      const twice = await time.until(locks.lockAll(['m', 'n', 'm'], { holder: 'z' }));
      expect(twice.resources).toHaveLength(2);
    },
  );

  promise(
    guide,
    'After the lease and the allowance for clocks … another holder that wants *any* of the resources takes the lock over. The lock then ends for *all* of its resources',
    'a lock of a dead worker is taken over after lease and skew, not before; its fences grow, and the old one can do nothing',
    async () => {
      const { time, locks } = rig();
      const old = await time.until(locks.lockAll(['x', 'y'], { holder: 'a' }));
      await time.advance(60_500);
      expect(await time.until(locks.tryLockAll(['x'], { holder: 'b' }))).toMatchObject({ outcome: 'busy' });
      await time.advance(1_000);
      const next = await time.until(locks.lockAll(['x'], { holder: 'b' }));
      expect(next.fence('x')).toBeGreaterThan(old.fence('x'));
      expect(next.takenOver.map(({ holder }) => holder)).toContain('a');
      expect(await time.until(old.renew())).toBe('stale');
      expect(await time.until(old.unlock())).toBe('stale');
      expect(await time.until(old.keep())).toBe('stale');
      expect(await time.until(locks.tryLockAll(['y'], { holder: 'c' }))).toMatchObject({ outcome: 'locked' });
      expect(await time.until(locks.read(['x']))).toMatchObject([{ holder: 'b' }]);
      expect(() => next.fence('y')).toThrow(RangeError);
    },
  );

  promise(
    guide,
    'The next attempt of a request gets its resources at once, with higher fences. After that, the earlier attempt can write nothing',
    'a second attempt of a holder comes in at once, and the first is stale',
    async () => {
      const { time, locks } = rig();
      const first = await time.until(locks.lockAll(['x'], { holder: 'a' }));
      const second = await time.until(locks.lockAll(['x'], { holder: 'a' }));
      expect(second.fence('x')).toBeGreaterThan(first.fence('x'));
      expect(second.since).toBe(first.since);
      expect(await time.until(first.unlock())).toBe('stale');
      expect(await time.until(second.unlock())).toBe('unlocked');
      const later = await time.until(locks.lockAll(['x'], { holder: 'b' }));
      expect(later.fence('x')).toBeGreaterThan(second.fence('x'));
    },
  );

  promise(
    guide,
    '`ResourcesBusyError` | other holders have some of the resources, and `waitMs` is over. The work has not begun | pawl releases the claim. The message returns when the locks in the way can have ended',
    'a handler that meets a lock releases its claim under park, and its work has not begun',
    async () => {
      const all = surroundings();
      const locks = resourceLocks({ store: memoryLockStore(), host: all.time });
      const lock = await all.time.until(locks.lockAll(['debt'], { holder: 'other' }));
      let begun = 0;
      const repay = once({ ...all.plain, onAbandoned: 'park' }, (_, claim) =>
        locks.withLock(['debt', 'more'], { holder: claim.effectKey, waitMs: 3_000, unlock: both }, () => ++begun),
      ).outcome;
      const error = await thrownBy(() => all.time.until(repay({ id: 'r' })));
      expect(error).toBeInstanceOf(ResourcesBusyError);
      expect((error as ResourcesBusyError).retryAfterMs).toBeGreaterThan(50_000);
      expect(all.claims.get('pay#r')?.status).toBe('released');
      expect(begun).toBe(0);
      await all.time.until(lock.unlock());
      expect(await all.time.until(repay({ id: 'r' }))).toMatchObject({ outcome: 'completed' });
    },
  );

  for (const [what, rule, ends] of [
    ['answers false', () => false, 'kept'],
    ['throws', () => Promise.reject(undefined), 'kept'],
    ['never answers', never, 'kept'],
    ['answers something truthy', () => 'yes' as never, 'kept'],
    ['answers true', () => true, 'unlocked'],
  ] as const) {
    promise(
      guide,
      'If it returns `true`, pawl unlocks. If not, pawl keeps the lock and throws a `LockKeptError`',
      `a rule that ${what} leaves the lock ${ends}`,
      async () => {
        const { time, locks } = rig();
        let result: unknown;
        const error = await thrownBy(async () => {
          result = await time.until(
            locks.withLock(['x'], { holder: 'a', unlock: { onSuccess: rule, onFailure: 'keep' } }, () => 'done'),
          );
        });
        if (ends === 'kept') expect(error).toBeInstanceOf(LockKeptError);
        else expect(result).toMatchObject({ outcome: 'done', result: 'done', lock: 'unlocked' });
        expect((await time.until(locks.read(['x']))).map(({ status }) => status)).toEqual(
          ends === 'kept' ? ['kept'] : [],
        );
      },
    );
  }

  promise(
    guide,
    'A kept lock waits for its holder’s next attempt for `keepMs` (15 minutes). After that, another holder can take it over',
    'a lock kept after a failure keeps others out, lets its holder in, and ends',
    async () => {
      const { time, locks } = rig();
      const fails = () =>
        locks.withLock(['x'], { holder: 'a', unlock: { onSuccess: 'unlock', onFailure: 'keep' } }, () => {
          throw undefined;
        });
      let thrown: unknown = 'nothing';
      await time.until(fails()).catch((error: unknown) => {
        thrown = error;
      });
      expect(thrown).toBeUndefined();
      await time.advance(880_000);
      expect(await time.until(locks.tryLockAll(['x'], { holder: 'b' }))).toMatchObject({ outcome: 'busy' });
      await time.until(fails()).catch(() => {});
      await time.advance(902_000);
      expect(await time.until(locks.tryLockAll(['x'], { holder: 'b' }))).toMatchObject({ outcome: 'locked' });
    },
  );

  promise(
    guide,
    'If the work locks a resource that it has locked already, pawl throws a `NestedLockError`, under any holder',
    'a nested lock over the same resource is refused, over another one granted, and changes nothing',
    async () => {
      const { time, locks } = rig();
      const seen: unknown[] = [];
      await time.until(
        locks.withLock(['x', 'y'], { holder: 'a', unlock: both }, async (lock) => {
          for (const holder of ['a', 'b']) seen.push(await thrownBy(() => locks.lockAll(['y', 'z'], { holder })));
          expect((await locks.tryLockAll(['other'], { holder: 'a' })).outcome).toBe('locked');
          seen.push(await lock.renew());
        }),
      );
      expect(seen).toMatchObject([expect.any(NestedLockError), expect.any(NestedLockError), 'renewed']);
    },
  );

  promise(
    guide,
    '`withLock` renews the lease whenever a third of it has passed',
    'work that outlasts its lease keeps others out, and its signal is not aborted',
    async () => {
      const { time, locks } = rig();
      let aborted = false;
      const work = locks.withLock(['x'], { holder: 'a', unlock: both }, async ({ signal }) => {
        await wait(time, 200_000);
        aborted = signal.aborted;
      });
      for (let i = 0; i < 3; i++) {
        await time.advance(62_000);
        expect((await locks.tryLockAll(['x'], { holder: 'b' })).outcome).toBe('busy');
      }
      expect(await time.until(work)).toMatchObject({ lock: 'unlocked' });
      expect(aborted).toBe(false);
    },
  );

  promise(
    guide,
    'Every wait has a limit … If the store does not respond to the unlock in time, its result is `unknown`',
    'a store that hangs ends asking for a lock, and the end of a work, in bounded time',
    async () => {
      const time = clock();
      const inner = memoryLockStore();
      let hangs = false;
      const store = new Proxy(inner, {
        get: (target, name) => {
          const of = Reflect.get(target, name);
          return typeof of === 'function' ? (...given: unknown[]) => (hangs ? never() : of.apply(target, given)) : of;
        },
      });
      const locks = resourceLocks({ store, host: time });
      const done = await time.until(
        locks.withLock(['x'], { holder: 'a', unlock: both }, () => {
          hangs = true;
          return 'done';
        }),
      );
      expect(done).toMatchObject({ outcome: 'done', result: 'done', lock: 'unknown' });
      expect(await thrownBy(() => time.until(locks.lockAll(['y'], { holder: 'b', waitMs: 1_000 })))).toBeInstanceOf(
        StoreUnavailableError,
      );
    },
  );

  promise('Locks.lockAll', '@throws … OptionError', 'misuse of a lock is refused, and nothing is locked', async () => {
    const { time, store, locks } = rig();
    for (const own of [
      { holder: '' },
      { holder: undefined },
      { holder: 'a', waitMs: -1 },
      { holder: 'a', reason: 'x'.repeat(513) },
    ])
      expect(await thrownBy(() => time.until(locks.lockAll(['x'], own as never)))).toBeInstanceOf(OptionError);
    for (const unlock of [undefined, {}, { onSuccess: 'unlock' }, { onSuccess: 'unlock', onFailure: 'unlok' }])
      expect(
        await thrownBy(() => time.until(locks.withLock(['x'], { holder: 'a', unlock } as never, () => 1))),
      ).toBeInstanceOf(OptionError);
    for (const resource of ['', [], [''], undefined, null, {}])
      expect(await thrownBy(() => time.until(locks.lockAll([resource as never], { holder: 'a' })))).toBeInstanceOf(
        Error,
      );
    expect(store.records()).toEqual([]);
  });
});

describe('producers', () => {
  function producer(given: Parameters<typeof surroundings>[0] = {}, own: object = {}) {
    const all = surroundings(given);
    const { store, host, onEvent } = all.plain;
    const send = sendOnce({
      operation: 'refund',
      store,
      host,
      onEvent,
      queueUrl: 'https://sqs.eu-west-1.amazonaws.com/123456789012/refunds',
      aws: sdk({ sqs: all.sqs.client }),
      ...own,
    });
    return { ...all, send: (message: Parameters<typeof send>[0]) => all.time.until(send(message)) };
  }

  promise(
    producers,
    'If a later run makes another key for an `intent`, `sendOnce` sends the key that was stored first',
    'a second run with another random key sends nothing, and answers with the first key',
    async () => {
      const one = producer();
      const first = await one.send({ intent: 'newsletter/1', key: requestKey(), body: { a: 1 } });
      const second = await one.send({ intent: 'newsletter/1', key: requestKey(), body: { a: 1 } });
      expect(first).toMatchObject({ outcome: 'sent', replayed: false });
      expect(second).toMatchObject({ outcome: 'sent', replayed: true, key: (first as { key: string }).key });
      expect(one.sqs.sent()).toHaveLength(1);
      expect(one.sqs.sent()[0].MessageAttributes['idempotency-key'].StringValue).toBe((first as { key: string }).key);
    },
  );

  promise(
    producers,
    'The intent was sent before with another body. This call sent nothing',
    'another body under the same key is key-reused, unless what differs is ignored',
    async () => {
      const one = producer({}, { ignore: ['sentAt'] });
      await one.send({ key: 'k', body: { a: 1, sentAt: 1 } });
      expect(await one.send({ key: 'k', body: { a: 1, sentAt: 2 } })).toMatchObject({
        outcome: 'sent',
        replayed: true,
      });
      expect(await one.send({ key: 'k', body: { a: 2, sentAt: 1 } })).toEqual({ outcome: 'key-reused' });
      expect(one.sqs.sent()).toHaveLength(1);
    },
  );

  promise(
    producers,
    'When `sendOnce` returns `sent`, the message is in the queue, and every copy of it carries the same key',
    'a send whose answer is lost is sent again with the same key, and a refusal rejects at once',
    async () => {
      let lost = 2;
      const flaky = producer({
        sqs: fakeSqs(() =>
          lost-- > 0
            ? Object.assign(new Error('socket hang up'), { name: 'TimeoutError', code: 'ECONNRESET' })
            : undefined,
        ),
      });
      const answer = await flaky.send({ intent: 'i', key: requestKey(), body: {} });
      expect(answer).toMatchObject({ outcome: 'sent' });
      const keys = flaky.sqs.sent().map(({ MessageAttributes }) => MessageAttributes['idempotency-key'].StringValue);
      expect(keys.length).toBeGreaterThan(1);
      expect(new Set(keys).size).toBe(1);
      const refused = producer({
        sqs: fakeSqs(() =>
          Object.assign(new Error('no'), {
            name: 'AccessDenied',
            $fault: 'client',
            $metadata: { httpStatusCode: 403 },
          }),
        ),
      });
      const start = refused.time.now();
      expect(await thrownBy(() => refused.send({ key: 'k', body: {} }))).toMatchObject({
        cause: { name: 'AccessDenied' },
      });
      expect(refused.time.now() - start).toBeLessThan(5_000);
    },
  );

  promise(
    producers,
    'Before anything is sent, `sendOnce` stores the key in the claims table',
    'while the table cannot be reached nothing is sent, and the producer is told after giveUpAfterMs',
    async () => {
      for (const how of ['refuse', 'hang'] as const) {
        const one = producer({ store: mischievous(mapStore(), () => how) }, { giveUpAfterMs: 20_000 });
        const start = one.time.now();
        expect(await thrownBy(() => one.send({ key: 'k', body: {} }))).toBeInstanceOf(StoreUnavailableError);
        expect(one.time.now() - start).toBeLessThan(40_000);
        expect(one.sqs.sent()).toEqual([]);
      }
    },
  );

  promise(
    producers,
    'the ids of the producer’s claims begin with `send:refund#`, or with `send-intent:refund#` if the message has an [intent](#keys). No consumer’s operation may begin like that',
    'a consumer of the same operation and key runs although its producer’s claim is complete',
    async () => {
      const one = producer();
      await one.send({ key: 'k', body: {} });
      expect(one.claims.all().map(({ id }) => id)).toEqual(['send:refund#k']);
      let runs = 0;
      await one.time.until(
        once({ ...one.plain, operation: 'refund', onAbandoned: 'retry' }, () => ++runs).outcome({ id: 'k' }),
      );
      expect(runs).toBe(1);
    },
  );

  promise(
    producers,
    'A FIFO queue drops a second copy by itself for five minutes: the deduplication id is made of the operation and the key',
    'copies of an intent have one deduplication id of at most 128 characters, and other intents another',
    async () => {
      const one = producer({}, { queueUrl: 'https://sqs.eu-west-1.amazonaws.com/123456789012/refunds.fifo' });
      for (const key of ['k', 'l', 'ü b', 'x'.repeat(500)]) await one.send({ key, body: {}, messageGroupId: 'g' });
      const ids = one.sqs.sent().map(({ MessageDeduplicationId }) => MessageDeduplicationId);
      expect(new Set(ids).size).toBe(4);
      for (const id of ids) expect(id).toMatch(/^[\x21-\x7e]{1,128}$/);
    },
  );
});
