import { describe, expect } from 'vitest';
import {
  type ClaimRecord,
  type ClaimWrite,
  InDoubtError,
  InvalidMessageError,
  LeaseError,
  once,
  RejectedError,
  RetryableError,
  reconcile,
  renewedLease,
  StoreUnavailableError,
} from '../../../lib/pawl/index.ts';
import { resolverOf } from '../../support/resolver-of.ts';
import { aheadBy, mapStore, mischievous, never, promise, surroundings, thrownBy, wait } from './kit.ts';

const protocol = 'protocol';
const readme = 'README.md';
const promised = 'docs/explanation/promise.md';
const handlerErrors = 'docs/reference/handler-errors.md';
const keysGuide = 'docs/guides/keys.md';
const policies = 'docs/guides/policies.md';
const payment = { id: 'p-1' };

/** A worker that got so far and never came to an end: its lease is over. */
async function deadWorker(
  { time, plain }: ReturnType<typeof surroundings>,
  act: (effectKey: string) => unknown,
  onAbandoned: 'retry' | 'park' = 'retry',
): Promise<void> {
  const call = once({ ...plain, onAbandoned }, async (_, claim) => {
    act(claim.effectKey);
    await never();
  }).outcome;
  call(payment, { remainingMs: () => 10_000 }).catch(() => {});
  await time.advance(1);
}

describe('what becomes of an abandoned attempt', () => {
  promise(
    readme,
    'It runs the effect again',
    'under retry a dead worker is taken over when its lease can have ended, and not before',
    async () => {
      const all = surroundings();
      // A worker whose code is gone: only its record is left.
      all.claims.put({
        id: 'pay#p-1',
        status: 'in-flight',
        claimId: 'dead',
        fence: 7,
        leaseUntil: all.time.now() + 10_000,
        firstSeenAt: all.time.now(),
        attempts: 1,
        abandoned: 0,
        rev: 1,
        v: 1,
        expiresAt: Math.ceil(all.time.now() / 1000) + 2_592_000,
      });
      const pay = once({ ...all.plain, onAbandoned: 'retry' }, (_, claim) => {
        all.bank.apply(claim.effectKey);
        return claim.fence;
      }).outcome;
      const early = await all.time.until(pay(payment, { remainingMs: () => 30_000 }));
      expect(early).toMatchObject({ outcome: 'in-flight' });
      await all.time.advance(10_900); // the lease is over, the allowance for skew is not
      expect(await all.time.until(pay(payment, { remainingMs: () => 30_000 }))).toMatchObject({ outcome: 'in-flight' });
      expect(all.bank.count()).toBe(0);
      await all.time.advance(200);
      const late = await all.time.until(pay(payment, { remainingMs: () => 30_000 }));
      expect(late).toEqual({ outcome: 'completed', replayed: false, result: 8 });
      expect(all.of('taken-over')).toHaveLength(1);
    },
  );

  promise(
    readme,
    'It parks the claim and sends the message to the dead-letter queue. An operator decides',
    'under park nothing runs after a dead worker, however often it is asked',
    async () => {
      const all = surroundings();
      await deadWorker(all, (effectKey) => all.bank.apply(effectKey), 'park');
      await all.time.advance(60_000);
      const pay = once({ ...all.plain, onAbandoned: 'park' }, (_, claim) => all.bank.apply(claim.effectKey)).outcome;
      for (let i = 0; i < 3; i++) {
        expect(await all.time.until(pay(payment))).toMatchObject({ outcome: 'parked', error: { name: 'abandoned' } });
        await all.time.advance(86_400_000 * 20);
      }
      expect(all.bank.count()).toBe(1);
    },
  );

  promise(
    `${protocol}, the record`,
    '`expiresAt` (epoch seconds, for DynamoDB TTL; absent when kept forever or parked)',
    'a parked claim has no expiry',
    async () => {
      const all = surroundings();
      const pay = once({ ...all.plain, onAbandoned: 'park' }, () => {
        throw new Error('504');
      }).outcome;
      await thrownBy(() => all.time.until(pay(payment)));
      expect(all.claims.get('pay#p-1')?.status).toBe('parked');
      expect(all.claims.get('pay#p-1')).not.toHaveProperty('expiresAt');
    },
  );

  promise(
    policies,
    '`not-applied`: pawl believes it only `settleMs` after the last moment at which the effect can have been applied. Then the handler runs',
    'not-applied is not believed before settleMs, and in between the call is in doubt',
    async () => {
      const all = surroundings();
      const asked: number[] = [];
      const onAbandoned = reconcile<typeof payment>({
        ask: () => {
          asked.push(all.time.now());
          return { verdict: 'not-applied' };
        },
        settleMs: 60_000,
      });
      let runs = 0;
      const pay = once({ ...all.plain, onAbandoned }, () => {
        if (++runs === 1) throw new Error('time-out');
        return 'paid';
      }).outcome;
      const failedAt = all.time.now();
      expect(await thrownBy(() => all.time.until(pay(payment)))).toMatchObject({ message: 'time-out' });
      const doubt = await all.time.until(pay(payment));
      expect(doubt).toMatchObject({ outcome: 'in-doubt' });
      await all.time.advance(30_000);
      expect(await all.time.until(pay(payment))).toMatchObject({ outcome: 'in-doubt' });
      expect(runs).toBe(1);
      await all.time.advance(failedAt + 90_000 - all.time.now());
      expect(await all.time.until(pay(payment))).toMatchObject({ outcome: 'completed', replayed: false });
      expect(runs).toBe(2);
    },
  );

  promise(
    policies,
    '`applied`: pawl believes it at once, and completes the claim',
    'a provider that says applied completes the claim with its result, and nothing runs',
    async () => {
      const all = surroundings();
      let runs = 0;
      const onAbandoned = reconcile<typeof payment>({
        ask: (doubt) =>
          all.bank.has(doubt.effectKey) ? { verdict: 'applied', result: 'card-1' } : { verdict: 'not-applied' },
        settleMs: 60_000,
      });
      const pay = once({ ...all.plain, onAbandoned }, (_, claim) => {
        runs++;
        all.bank.apply(claim.effectKey);
        throw new Error('the answer was lost');
      }).outcome;
      await thrownBy(() => all.time.until(pay(payment)));
      const answer = await all.time.until(pay(payment));
      expect(answer).toMatchObject({ outcome: 'completed', result: 'card-1' });
      expect(await all.time.until(pay(payment))).toEqual({
        outcome: 'completed',
        replayed: true,
        result: 'card-1',
        recorded: true,
      });
      expect(runs).toBe(1);
    },
  );

  for (const [what, ask] of [
    ['answers inconclusive', () => ({ verdict: 'inconclusive' as const })],
    ['throws', () => Promise.reject(new Error('503'))],
    ['throws undefined', () => Promise.reject(undefined)],
    ['never answers', never],
    ['answers nothing that is understood', () => ({ verdict: 'maybe' }) as never],
    ['answers nothing at all', () => undefined as never],
  ] as const) {
    promise(
      policies,
      '`inconclusive`, an error, or no verdict within the lease: pawl asks again later. The third time, it parks the claim',
      `a provider that ${what} is asked again, and the third time the claim is parked`,
      async () => {
        const all = surroundings();
        let asked = 0;
        let runs = 0;
        const onAbandoned = reconcile<typeof payment>({
          ask: () => {
            asked++;
            return ask();
          },
          settleMs: 1_000,
        });
        const pay = once({ ...all.plain, onAbandoned }, () => {
          runs++;
          throw new Error('time-out');
        }).outcome;
        await thrownBy(() => all.time.until(pay(payment, { remainingMs: () => 30_000 })));
        const outcomes: string[] = [];
        for (let i = 0; i < 4; i++) {
          await all.time.advance(120_000);
          const end = all.time.now() + 30_000;
          const answer = await all.time.until(pay(payment, { remainingMs: () => end - all.time.now() }));
          outcomes.push(answer.outcome);
        }
        expect(outcomes).toEqual(['in-doubt', 'in-doubt', 'parked', 'parked']);
        expect({ runs, asked }).toEqual({ runs: 1, asked: 3 });
      },
    );
  }

  promise(
    policies,
    'Before pawl asks, it grants the claim anew. So DynamoDB refuses the late writes of the old worker',
    'when the provider is asked, the store already has a higher fence and another claim id',
    async () => {
      const all = surroundings();
      await deadWorker(all, () => {});
      const before = all.claims.get('pay#p-1') as ClaimRecord;
      await all.time.advance(60_000);
      let during: ClaimRecord | undefined;
      const onAbandoned = reconcile<typeof payment>({
        ask: (doubt) => {
          during = all.claims.get('pay#p-1');
          return { verdict: 'applied', result: doubt.attempt };
        },
        settleMs: 0,
      });
      await all.time.until(once({ ...all.plain, onAbandoned }, () => 'never').outcome(payment));
      expect(during?.fence).toBe(before.fence + 1);
      expect(during?.claimId).not.toBe(before.claimId);
      expect(during?.status).toBe('in-flight');
    },
  );

  promise(
    promised,
    'A message that kills its workers runs alone, after the rest of its batch. The third time, pawl parks its claim',
    'under retry a key whose workers die is parked, and runs at most three times',
    async () => {
      const all = surroundings();
      let runs = 0;
      for (let i = 0; i < 6; i++) {
        await deadWorker(all, () => runs++);
        await all.time.advance(60_000);
      }
      expect(runs).toBe(3);
      const answer = await all.time.until(once({ ...all.plain, onAbandoned: 'retry' }, () => ++runs).outcome(payment));
      expect(answer).toMatchObject({ outcome: 'parked', error: { name: 'abandoned-too-often' } });
      expect(runs).toBe(3);
    },
  );

  promise(
    policies,
    'A claim in doubt stays in doubt, and the new policy decides about it. A parked claim stays parked until an operator resolves it',
    'a claim released in doubt under retry is parked by a deployment that changes the policy to park',
    async () => {
      const all = surroundings();
      let runs = 0;
      const fails = () => {
        runs++;
        throw new Error('time-out');
      };
      await thrownBy(() => all.time.until(once({ ...all.plain, onAbandoned: 'retry' }, fails).outcome(payment)));
      const answer = await all.time.until(once({ ...all.plain, onAbandoned: 'park' }, fails).outcome(payment));
      expect(answer).toMatchObject({ outcome: 'parked' });
      const back = await all.time.until(once({ ...all.plain, onAbandoned: 'retry' }, fails).outcome(payment));
      expect(back).toMatchObject({ outcome: 'parked' });
      expect(runs).toBe(1);
    },
  );

  promise(
    policies,
    'Keep `retryWindowSeconds` below the time for which the provider remembers keys. A key that still fails after that time is parked',
    'a failing key is parked when its retry window is over, and does not run again',
    async () => {
      const all = surroundings();
      let runs = 0;
      const pay = once({ ...all.plain, onAbandoned: 'retry', retryWindowSeconds: 3600 }, () => {
        runs++;
        throw new RetryableError('429');
      }).outcome;
      await thrownBy(() => all.time.until(pay(payment)));
      await all.time.advance(3_500_000);
      await thrownBy(() => all.time.until(pay(payment)));
      expect(runs).toBe(2);
      await all.time.advance(200_000);
      expect(await all.time.until(pay(payment))).toMatchObject({
        outcome: 'parked',
        error: { name: 'retry-window-over' },
      });
      expect(runs).toBe(2);
    },
  );

  promise(
    policies,
    'A key that still fails after that time is parked, and so is one whose worker died before it was done',
    'a message that comes back after its retry window does not run again beside a dead worker, whose effect key its provider may have forgotten',
    async () => {
      const all = surroundings();
      const retryWindowSeconds = 20 * 3600;
      const plain = { ...all.plain, retryWindowSeconds };
      await deadWorker({ ...all, plain }, (effectKey) => all.bank.apply(effectKey));
      const pay = once({ ...plain, onAbandoned: 'retry' }, (_, claim) => all.bank.apply(claim.effectKey)).outcome;
      await all.time.advance(3 * 24 * 3_600_000);
      expect(await all.time.until(pay(payment))).toMatchObject({
        outcome: 'parked',
        error: { name: 'retry-window-over' },
      });
      expect(all.bank.count()).toBe(1);
    },
  );

  promise(
    'ClaimOptions.maxAttempts',
    'After how many grants a key that keeps failing is parked. @default 20',
    'a key that keeps failing is granted twenty times, and then parked',
    async () => {
      const all = surroundings();
      let runs = 0;
      const pay = once({ ...all.plain, onAbandoned: 'retry' }, () => {
        runs++;
        throw new Error('no');
      }).outcome;
      for (let i = 0; i < 25; i++) {
        await thrownBy(() => all.time.until(pay(payment)));
        await all.time.advance(60_000);
      }
      expect(runs).toBe(20);
      expect(all.claims.get('pay#p-1')).toMatchObject({ status: 'parked', error: { name: 'attempts-used-up' } });
    },
  );
});

describe('what a handler throws', () => {
  for (const thrown of [undefined, null, '', 0, false, 'text', Symbol('s'), { name: 'RetryableError' }, Number.NaN]) {
    promise(
      handlerErrors,
      "any other error, under `'park'` | parked … any other error, under `'retry'` or `reconcile` | released, and in doubt",
      `under park a handler that throws ${String(typeof thrown === 'object' ? JSON.stringify(thrown) : thrown)} is parked, and its caller gets what was thrown`,
      async () => {
        const all = surroundings();
        let runs = 0;
        const pay = once({ ...all.plain, onAbandoned: 'park' }, () => {
          runs++;
          throw thrown;
        }).outcome;
        let caught: unknown = 'nothing was thrown';
        await all.time.until(pay(payment)).catch((error: unknown) => {
          caught = error;
        });
        expect(caught).toBe(thrown);
        expect(all.claims.get('pay#p-1')?.status).toBe('parked');
        expect(await all.time.until(pay(payment))).toMatchObject({ outcome: 'parked' });
        expect(runs).toBe(1);
      },
    );

    promise(
      'Claim.effect',
      'What it throws decides even if the handler catches it',
      `an effect that throws ${String(typeof thrown === 'object' ? JSON.stringify(thrown) : thrown)} is in doubt, although the handler catches it and returns`,
      async () => {
        const all = surroundings();
        const pay = once({ ...all.plain, onAbandoned: 'park' }, async (_, claim) => {
          try {
            await claim.effect(() => {
              all.bank.apply(claim.effectKey);
              throw thrown;
            });
          } catch {
            // as careless handlers do
          }
          return 'fine';
        }).outcome;
        await thrownBy(() => all.time.until(pay(payment)));
        expect(all.claims.get('pay#p-1')?.status).toBe('parked');
      },
    );
  }

  promise(
    handlerErrors,
    'a `RetryableError`: nothing was applied | released',
    'a RetryableError releases the claim under park, and the next call runs',
    async () => {
      const all = surroundings();
      let runs = 0;
      const pay = once({ ...all.plain, onAbandoned: 'park' }, (_, claim) => {
        if (++runs === 1) throw new RetryableError('429');
        return all.bank.apply(claim.effectKey);
      }).outcome;
      expect(await thrownBy(() => all.time.until(pay(payment)))).toBeInstanceOf(RetryableError);
      expect(await all.time.until(pay(payment))).toMatchObject({ outcome: 'completed', replayed: false });
      expect(all.bank.count()).toBe(1);
    },
  );

  promise(
    'RejectedError',
    'the claim is closed for good, duplicates get the same answer',
    'a RejectedError closes the claim under every policy, and duplicates are answered rejected without running',
    async () => {
      for (const onAbandoned of ['retry', 'park'] as const) {
        const all = surroundings();
        let runs = 0;
        const pay = once({ ...all.plain, onAbandoned }, () => {
          runs++;
          throw new RejectedError('no longer sold');
        }).outcome;
        expect(await thrownBy(() => all.time.until(pay(payment)))).toBeInstanceOf(RejectedError);
        const again = await all.time.until(pay(payment));
        expect(again).toMatchObject({ outcome: 'rejected', error: { message: 'no longer sold' } });
        expect(runs).toBe(1);
      }
    },
  );

  promise(
    'InDoubtError',
    'the claim is parked, whatever `onAbandoned` says of errors in general',
    'an InDoubtError parks the claim under retry',
    async () => {
      const all = surroundings();
      const pay = once({ ...all.plain, onAbandoned: 'retry' }, () => {
        throw new InDoubtError('504');
      }).outcome;
      await thrownBy(() => all.time.until(pay(payment)));
      expect(all.claims.get('pay#p-1')?.status).toBe('parked');
    },
  );

  promise(
    handlerErrors,
    'any error before `claim.effect(…)`, with `marksEffect: true` | released',
    'with marksEffect an error before the effect releases the claim, under park as well',
    async () => {
      const all = surroundings();
      let runs = 0;
      const pay = once({ ...all.plain, onAbandoned: 'park', marksEffect: true }, async (_, claim) => {
        if (++runs === 1) throw new Error('the order could not be loaded');
        return claim.effect(() => all.bank.apply(claim.effectKey));
      }).outcome;
      await thrownBy(() => all.time.until(pay(payment)));
      expect(all.claims.get('pay#p-1')?.status).toBe('released');
      expect(await all.time.until(pay(payment))).toMatchObject({ outcome: 'completed' });
      expect(all.bank.count()).toBe(1);
    },
  );

  promise(
    handlerErrors,
    'any error after `claim.effect(…)` | completed | is acknowledged; pawl reports the error',
    'an error after the effect completes the claim, is reported, and the effect does not happen again',
    async () => {
      for (const thrown of [new Error('metrics'), undefined, new RetryableError('again'), new RejectedError('no')]) {
        const all = surroundings();
        const pay = once({ ...all.plain, onAbandoned: 'retry' }, async (_, claim) => {
          await claim.effect(() => all.bank.apply(claim.effectKey));
          throw thrown;
        }).outcome;
        await thrownBy(() => all.time.until(pay(payment)));
        expect(all.claims.get('pay#p-1')?.status).toBe('completed');
        expect(all.of('failed-after-effect')).toHaveLength(1);
        expect(await all.time.until(pay(payment))).toMatchObject({ outcome: 'completed', replayed: true });
        expect(all.bank.count()).toBe(1);
      }
    },
  );

  promise(
    'Claim.effect',
    '@throws … Error when the claim has had its effect, or has ended',
    'a second effect of a handler is refused, and so is one after the handler has ended',
    async () => {
      const all = surroundings();
      let late: (() => Promise<unknown>) | undefined;
      const second: unknown[] = [];
      const pay = once({ ...all.plain, onAbandoned: 'retry' }, async (_, claim) => {
        await claim.effect(() => all.bank.apply(claim.effectKey));
        second.push(await thrownBy(() => claim.effect(() => all.bank.apply(claim.effectKey))));
        late = () => claim.effect(() => all.bank.apply(claim.effectKey));
      }).outcome;
      await all.time.until(pay(payment));
      second.push(await thrownBy(() => late?.()));
      expect(second.every((error) => error instanceof Error)).toBe(true);
      expect(all.bank.count()).toBe(1);
    },
  );

  promise(
    'ClaimOptions.classify',
    "What the author knows about an error: 'retryable' (nothing was applied), 'rejected' (final), or 'unknown'",
    'classify decides what an error means, and one that throws itself leaves it unknown',
    async () => {
      const statuses: unknown[] = [];
      for (const classify of [
        () => 'retryable' as const,
        () => 'rejected' as const,
        () => 'unknown' as const,
        () => undefined,
        () => {
          throw new Error('a bug');
        },
        () => 'nonsense' as never,
      ]) {
        const all = surroundings();
        const pay = once({ ...all.plain, onAbandoned: 'park', classify }, () => {
          throw new Error('402');
        }).outcome;
        expect(await thrownBy(() => all.time.until(pay(payment)))).toMatchObject({ message: '402' });
        statuses.push(all.claims.get('pay#p-1')?.status);
      }
      expect(statuses).toEqual(['released', 'rejected', 'parked', 'parked', 'parked', 'parked']);
    },
  );
});

describe('time and leases', () => {
  promise(
    `${protocol}, time`,
    'Before an effect starts … an effect that cannot end in time is not started',
    'an effect does not start with less time than timeoutMs and the margin left',
    async () => {
      const all = surroundings();
      const pay = once({ ...all.plain, onAbandoned: 'park', timeoutMs: 5_000 }, async (_, claim) => {
        await wait(all.time, 8_000); // loading the order took its time
        return claim.effect(() => all.bank.apply(claim.effectKey));
      }).outcome;
      const end = all.time.now() + 10_000;
      const error = await thrownBy(() => all.time.until(pay(payment, { remainingMs: () => end - all.time.now() })));
      expect(error).toBeInstanceOf(LeaseError);
      expect(all.bank.count()).toBe(0);
    },
  );

  promise(
    'ClaimOptions.timeoutMs',
    'Nothing is started with less time left',
    'a handler is not called when less than timeoutMs is left, and nothing stays claimed',
    async () => {
      const all = surroundings();
      let runs = 0;
      const pay = once({ ...all.plain, onAbandoned: 'park', timeoutMs: 5_000 }, () => ++runs).outcome;
      await thrownBy(() => all.time.until(pay(payment, { remainingMs: () => 5_500 })));
      expect(runs).toBe(0);
      expect(await all.time.until(pay(payment, { remainingMs: () => 30_000 }))).toMatchObject({ outcome: 'completed' });
      expect(runs).toBe(1);
    },
  );

  promise(
    promised,
    'A worker whose claim was taken over cannot complete, release or renew it. The store refuses the write, and pawl reports `stale-claim`',
    'a worker that comes back after a takeover changes nothing',
    async () => {
      for (const ends of ['returns', 'throws', 'rejects'] as const) {
        const all = surroundings();
        let finish = () => {};
        const slow = once({ ...all.plain, onAbandoned: 'retry' }, async () => {
          await new Promise<void>((resolve) => {
            finish = resolve;
          });
          if (ends === 'throws') throw new Error('late');
          if (ends === 'rejects') throw new RejectedError('late');
          return 'late';
        }).outcome;
        const first = slow(payment, { remainingMs: () => 5_000 });
        first.catch(() => {});
        await all.time.advance(10_000);
        const quick = once({ ...all.plain, onAbandoned: 'retry' }, () => 'quick').outcome;
        expect(await all.time.until(quick(payment, { remainingMs: () => 30_000 }))).toMatchObject({ result: 'quick' });
        const settled = all.claims.get('pay#p-1');
        finish();
        await thrownBy(() => all.time.until(first));
        expect(all.claims.get('pay#p-1')).toEqual(settled);
        expect(all.of('stale-claim').length).toBeGreaterThan(0);
      }
    },
  );

  promise(
    'renewedLease',
    'renewed by a heartbeat at every third of it for as long as the handler runs, and never beyond the invocation',
    'a renewed lease keeps others out while the handler runs, and ends with the invocation',
    async () => {
      const all = surroundings();
      let finish = () => {};
      const slow = once({ ...all.plain, onAbandoned: 'retry', lease: renewedLease(9_000) }, async (_, claim) => {
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        return all.bank.apply(claim.effectKey);
      }).outcome;
      const end = all.time.now() + 60_000;
      const first = slow(payment, { remainingMs: () => end - all.time.now() });
      const quick = once({ ...all.plain, onAbandoned: 'retry' }, (_, claim) => all.bank.apply(claim.effectKey)).outcome;
      for (let i = 0; i < 5; i++) {
        await all.time.advance(10_000);
        expect(all.claims.get('pay#p-1')?.leaseUntil).toBeLessThanOrEqual(end);
        expect(await all.time.until(quick(payment))).toMatchObject({ outcome: 'in-flight' });
      }
      finish();
      expect(await all.time.until(first)).toMatchObject({ outcome: 'completed' });
      expect(all.bank.count()).toBe(1);
    },
  );

  promise(
    `${protocol}, time`,
    'Between an effect and its completion nothing is awaited that can hang: a heartbeat, a listener, a visibility change',
    'a heartbeat that hangs does not keep an effect from being recorded',
    async () => {
      const inner = mapStore();
      let effects = 0;
      const store = mischievous(inner, ({ kind, write }) =>
        kind === 'write' && write?.next.status === 'in-flight' && write.seen?.status === 'in-flight'
          ? 'hang'
          : undefined,
      );
      const all = surroundings({ store });
      const pay = once({ ...all.plain, onAbandoned: 'retry', lease: renewedLease(30_000) }, async () => {
        await wait(all.time, 12_000); // the heartbeat at ten seconds hangs
        effects++;
        return 'paid';
      }).outcome;
      const end = all.time.now() + 60_000;
      const start = all.time.now();
      expect(await all.time.until(pay(payment, { remainingMs: () => end - all.time.now() }))).toMatchObject({
        outcome: 'completed',
      });
      expect(all.time.now() - start).toBeLessThan(30_000);
      expect(inner.get('pay#p-1')?.status).toBe('completed');
      expect(effects).toBe(1);
    },
  );

  promise(
    'ClaimOptions.onEvent',
    'It must not throw; what it throws is ignored',
    'a listener that throws, rejects or hangs changes nothing',
    async () => {
      for (const onEvent of [
        () => {
          throw new Error('a bug');
        },
        () => Promise.reject(new Error('a bug')) as never,
        () => never() as never,
      ]) {
        const all = surroundings();
        const pay = once({ ...all.plain, onEvent, onAbandoned: 'park' }, (_, claim) =>
          all.bank.apply(claim.effectKey),
        ).outcome;
        expect(await all.time.until(pay(payment))).toMatchObject({ outcome: 'completed' });
        expect(all.claims.get('pay#p-1')?.status).toBe('completed');
      }
    },
  );

  promise(
    `${protocol}, invariant 13`,
    'Clocks further apart than the allowance … never a second effect under `park`',
    'a worker whose clock is an hour ahead takes nothing over under park: it parks, and the proof of the holder completes',
    async () => {
      const all = surroundings();
      let finish = () => {};
      const slow = once({ ...all.plain, onAbandoned: 'park' }, async (_, claim) => {
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        return all.bank.apply(claim.effectKey);
      }).outcome;
      const first = slow(payment, { remainingMs: () => 30_000 });
      await all.time.advance(100);
      const fast = once({ ...all.plain, host: aheadBy(3_600_000, all.time), onAbandoned: 'park' }, (_, claim) =>
        all.bank.apply(claim.effectKey),
      ).outcome;
      expect(await all.time.until(fast(payment, { remainingMs: () => 30_000 }))).toMatchObject({ outcome: 'parked' });
      finish();
      await thrownBy(() => all.time.until(first));
      expect(all.bank.count()).toBe(1);
      expect(all.claims.get('pay#p-1')).toMatchObject({ status: 'completed', resolution: { by: 'last holder' } });
    },
  );
});

describe('recording', () => {
  promise(
    promised,
    'If an effect has happened and cannot be recorded, its message is acknowledged and not repeated. pawl reports `completion-lost`',
    'a completion that cannot be written is reported, and the caller gets the result all the same',
    async () => {
      const inner = mapStore();
      const store = mischievous(inner, ({ write }) => (write?.next.status === 'completed' ? 'refuse' : undefined));
      const all = surroundings({ store });
      const pay = once({ ...all.plain, onAbandoned: 'retry' }, () => 'paid').outcome;
      const end = all.time.now() + 30_000;
      expect(await all.time.until(pay(payment, { remainingMs: () => end - all.time.now() }))).toEqual({
        outcome: 'completed',
        replayed: false,
        result: 'paid',
      });
      expect(all.of('completion-lost')).toHaveLength(1);
      expect(store.asked.writes).toBeGreaterThan(3);
    },
  );

  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  for (const [what, value] of [
    ['a cycle', circular],
    ['a BigInt', { n: 5n }],
    ['more than maxResultBytes', 'x'.repeat(20_000)],
    [
      'a toJSON that throws',
      {
        toJSON() {
          throw new Error('a bug');
        },
      },
    ],
    [
      'a getter that throws undefined',
      {
        get a() {
          throw undefined;
        },
      },
    ],
    ['nesting beyond all bounds', Array.from({ length: 30_000 }).reduce((inside) => [inside], [] as unknown)],
  ] as const) {
    promise(
      `${protocol}, writes`,
      'values DynamoDB cannot hold, cycles, results over the limit are stored as "not recorded", with a warning, and the claim still completes',
      `a result with ${what} completes the claim, and a duplicate is told that it was not recorded`,
      async () => {
        const all = surroundings();
        const pay = once({ ...all.plain, onAbandoned: 'retry' }, (_, claim): unknown => {
          all.bank.apply(claim.effectKey);
          return value;
        }).outcome;
        expect(await all.time.until(pay(payment))).toMatchObject({ outcome: 'completed', replayed: false });
        expect(await all.time.until(pay(payment))).toEqual({
          outcome: 'completed',
          replayed: true,
          result: undefined,
          recorded: false,
        });
        expect(all.of('result-not-recorded')).toHaveLength(1);
        expect(all.bank.count()).toBe(1);
      },
    );
  }

  promise(
    'docs/evidence/scenarios.md, 14',
    'Every reader gets a copy of its own',
    'a duplicate that changes the result it got changes it for nobody else',
    async () => {
      const all = surroundings();
      const pay = once({ ...all.plain, onAbandoned: 'retry' }, () => ({ id: 'ch_1', items: [1] })).outcome;
      await all.time.until(pay(payment));
      for (let i = 0; i < 2; i++) {
        const answer = (await all.time.until(pay(payment))) as { result: { id: string; items: number[] } };
        expect(answer.result).toEqual({ id: 'ch_1', items: [1] });
        answer.result.items.push(2);
      }
    },
  );

  for (const value of [undefined, null, 0, '', false, Number.NaN, []]) {
    promise(
      'docs/evidence/scenarios.md, 15',
      'The claim is completed. A duplicate is acknowledged, or gets `undefined`',
      `a handler that returns ${JSON.stringify(value) ?? 'undefined'} runs once`,
      async () => {
        const all = surroundings();
        let runs = 0;
        const pay = once({ ...all.plain, onAbandoned: 'retry' }, (): unknown => {
          runs++;
          return value;
        }).outcome;
        await all.time.until(pay(payment));
        expect(await all.time.until(pay(payment))).toMatchObject({ outcome: 'completed', replayed: true });
        expect(runs).toBe(1);
      },
    );
  }

  promise(
    'ClaimOptions.recordResult',
    "Whether the handler's result is kept, as JSON, and given to duplicates. @default true",
    'without recordResult a duplicate is told that there is no result, and does not run',
    async () => {
      const all = surroundings();
      const pay = once({ ...all.plain, onAbandoned: 'retry', recordResult: false }, () => 'secret').outcome;
      await all.time.until(pay(payment));
      expect(await all.time.until(pay(payment))).toMatchObject({ replayed: true, recorded: false, result: undefined });
      expect(JSON.stringify(all.claims.all())).not.toContain('secret');
    },
  );

  promise(
    'docs/evidence/scenarios.md, 13',
    "The caller of `once` gets the handler's error, and an `outcome-lost` event has both",
    'a release that cannot be written does not hide the error of the handler',
    async () => {
      const inner = mapStore();
      const store = mischievous(inner, ({ write }) => (write?.next.status === 'released' ? 'refuse' : undefined));
      const all = surroundings({ store });
      const pay = once({ ...all.plain, onAbandoned: 'retry' }, () => {
        throw new Error("the handler's own");
      }).outcome;
      const end = all.time.now() + 10_000;
      expect(
        await thrownBy(() => all.time.until(pay(payment, { remainingMs: () => end - all.time.now() }))),
      ).toMatchObject({ message: "the handler's own" });
      expect(all.of('outcome-lost')).toMatchObject([
        { error: { message: "the handler's own" }, storeError: { message: 'ECONNREFUSED' } },
      ]);
    },
  );
});

describe('a store that is in trouble', () => {
  for (const how of ['refuse', 'lose-answer', 'hang', 'hang-applied'] as const) {
    promise(
      readme,
      'When the table cannot be reached, nothing runs and the messages stay on their queue',
      `with a store whose every call meets ${how}, a call ends in StoreUnavailableError, and nothing runs`,
      async () => {
        const all = surroundings({ store: mischievous(mapStore(), () => how) });
        let runs = 0;
        const pay = once({ ...all.plain, onAbandoned: 'retry' }, () => ++runs).outcome;
        const end = all.time.now() + 30_000;
        const error = await thrownBy(() => all.time.until(pay(payment, { remainingMs: () => end - all.time.now() })));
        expect(error).toBeInstanceOf(StoreUnavailableError);
        expect(runs).toBe(0);
      },
    );
  }

  promise(
    promised,
    'If the response to a claim’s write is lost, the retry recognises its own write',
    'a store that sends every write again, because its answer was lost, has its claim granted and its effect once',
    async () => {
      const inner = mapStore();
      const store = {
        read: inner.read,
        write: async (write: ClaimWrite) => {
          inner.apply(write);
          return inner.apply(write);
        },
      };
      for (const lease of [undefined, renewedLease(6_000)]) {
        const all = surroundings({ store });
        const pay = once({ ...all.plain, ...(lease && { lease }), onAbandoned: 'park' }, async (_, claim) => {
          await wait(all.time, 7_000);
          return all.bank.apply(claim.effectKey);
        }).outcome;
        const call = pay({ id: `p-${lease?.leaseMs}` }, { remainingMs: () => 30_000 });
        expect(await all.time.until(call)).toMatchObject({ outcome: 'completed', replayed: false });
        expect(all.bank.count()).toBe(1);
        expect(all.of('stale-claim')).toEqual([]);
      }
    },
  );

  promise(
    `${protocol}, invariant 3`,
    'No effect starts before its claim is acknowledged by the store',
    'while the write of the claim is not answered, the handler is not called',
    async () => {
      const inner = mapStore();
      let answer = () => {};
      const all = surroundings({
        store: {
          read: inner.read,
          write: async (write) => {
            if (write.next.status === 'in-flight')
              await new Promise<void>((resolve) => {
                answer = resolve;
              });
            return inner.apply(write);
          },
        },
      });
      let runs = 0;
      const pay = once({ ...all.plain, onAbandoned: 'retry' }, () => ++runs).outcome;
      const call = pay(payment, { remainingMs: () => 30_000 });
      await all.time.advance(500);
      expect(runs).toBe(0);
      answer();
      await all.time.until(call);
      expect(runs).toBe(1);
    },
  );
});

describe('keys and records', () => {
  for (const key of [undefined, null, '', Number.NaN, Number.POSITIVE_INFINITY, {}, [], true, 5n, Symbol('k')]) {
    promise(
      `${protocol}, a batch`,
      'A missing or empty key never runs and never collides with another missing key',
      `a key that is ${typeof key === 'object' ? JSON.stringify(key) : String(key)} is an InvalidMessageError, and nothing runs or is claimed`,
      async () => {
        const all = surroundings();
        let runs = 0;
        const pay = once({ ...all.plain, key: () => key as never, onAbandoned: 'retry' }, () => ++runs).outcome;
        expect(await thrownBy(() => all.time.until(pay(payment)))).toBeInstanceOf(InvalidMessageError);
        expect({ runs, claims: all.claims.all() }).toEqual({ runs: 0, claims: [] });
      },
    );
  }

  promise('docs/evidence/scenarios.md, 11', '`0` is a key', 'the key 0 runs once', async () => {
    const all = surroundings();
    let runs = 0;
    const pay = once({ ...all.plain, key: () => 0, onAbandoned: 'retry' }, () => ++runs).outcome;
    await all.time.until(pay(payment));
    await all.time.until(pay(payment));
    expect(runs).toBe(1);
  });

  promise(
    keysGuide,
    'If a key is too long for DynamoDB, pawl stores its hash, and the record shows that it is one',
    'ids of long keys fit a partition key, differ where keys differ, and do not collide with a key that looks like one',
    async () => {
      const all = surroundings();
      let runs = 0;
      const pay = once({ ...all.plain, onAbandoned: 'retry' }, () => ++runs).outcome;
      const long = `${'ü'.repeat(1500)}`;
      await all.time.until(pay({ id: `${long}a` }));
      await all.time.until(pay({ id: `${long}b` }));
      await all.time.until(pay({ id: `${long}a` }));
      expect(runs).toBe(2);
      const ids = all.claims.all().map(({ id }) => id);
      for (const id of ids) expect(Buffer.byteLength(id)).toBeLessThanOrEqual(2048);
      expect(ids[0]).toMatch(/^pay#sha256:/);
      await all.time.until(pay({ id: String(ids[0]).slice('pay#'.length) }));
      expect(runs).toBe(3);
    },
  );

  promise(
    'Claim.effectKey',
    'it is the same on every attempt. Header-safe, at most 255 characters',
    'effect keys are the same on every attempt, differ by key, and fit a header',
    async () => {
      const all = surroundings();
      const seen = new Map<string, Set<string>>();
      const pay = once({ ...all.plain, onAbandoned: 'retry' }, (input, claim) => {
        seen.set(input.id, (seen.get(input.id) ?? new Set()).add(claim.effectKey));
        throw new Error('again');
      }).outcome;
      const ids = [
        'a',
        'A',
        'a b',
        'a\nb',
        'ü',
        'u\u0308',
        'x'.repeat(300),
        `${'x'.repeat(300)}y`,
        '#',
        'a#b',
        '%20',
        ' ',
      ];
      for (const id of [...ids, ...ids]) await thrownBy(() => all.time.until(pay({ id })));
      const keys = [...seen.values()].flatMap((of) => [...of]);
      expect(keys).toHaveLength(seen.size);
      expect(new Set(keys).size).toBe(keys.length);
      for (const key of keys) expect(key).toMatch(/^[\x21-\x7e]{1,255}$/);
    },
  );

  promise(
    `${protocol}, invariant 5`,
    '`completed` never goes back within its retention',
    'a completed claim is replayed to the end of its retention, and not for a deletion of DynamoDB',
    async () => {
      const all = surroundings();
      let runs = 0;
      const pay = once({ ...all.plain, onAbandoned: 'retry', retentionSeconds: 3600 }, () => ++runs).outcome;
      await all.time.until(pay(payment));
      await all.time.advance(3_590_000);
      expect(await all.time.until(pay(payment))).toMatchObject({ replayed: true });
      expect(runs).toBe(1);
      await all.time.advance(20_000);
      expect(await all.time.until(pay(payment))).toMatchObject({ replayed: false });
      expect(all.claims.get('pay#p-1')?.fence).toBe(2);
    },
  );

  promise(
    'ClaimOptions.attributes',
    'What is kept beside the key, from its first grant on … `operator(…).readClaim` has it',
    'attributes are those of the first grant',
    async () => {
      const all = surroundings();
      let amount = 500;
      const pay = once({ ...all.plain, onAbandoned: 'retry', attributes: () => ({ amount }) }, () => {
        throw new RetryableError('again');
      }).outcome;
      await thrownBy(() => all.time.until(pay(payment)));
      amount = 900;
      await thrownBy(() => all.time.until(pay(payment)));
      const record = await resolverOf({ operation: 'pay', store: all.claims }).read('p-1');
      expect(record?.attributes).toEqual({ amount: 500 });
    },
  );

  promise(
    `${protocol}, invariant 9`,
    'The same key with another fingerprint never runs',
    'another payload with a used key is answered key-reused, whatever state the claim is in, and changes nothing',
    async () => {
      for (const end of ['returns', 'retryable', 'rejected', 'parks', 'hangs'] as const) {
        const all = surroundings();
        let runs = 0;
        const pay = once(
          { ...all.plain, onAbandoned: 'park', fingerprint: (input: { id: string; n?: number }) => String(input.n) },
          async () => {
            runs++;
            if (end === 'hangs') await never();
            if (end === 'retryable') throw new RetryableError('x');
            if (end === 'rejected') throw new RejectedError('x');
            if (end === 'parks') throw new Error('x');
          },
        ).outcome;
        const first = thrownBy(() => pay({ id: 'p-1', n: 1 } as never, { remainingMs: () => 5_000 }));
        await all.time.advance(100);
        if (end !== 'hangs') await first;
        const before = all.claims.get('pay#p-1');
        expect(await all.time.until(pay({ id: 'p-1', n: 2 } as never))).toEqual({ outcome: 'key-reused' });
        expect(all.claims.get('pay#p-1')).toEqual(before);
        expect(runs).toBe(1);
      }
    },
  );
});
