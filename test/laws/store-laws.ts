import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Acquired, acquire } from '../../lib/claims/acquire.ts';
import { changeClaim, type Engine, leaseEnd } from '../../lib/claims/engine.ts';
import type { ClaimEvent } from '../../lib/claims/events.ts';
import type { Grant } from '../../lib/claims/grant.ts';
import { identify } from '../../lib/claims/identity.ts';
import { type ClaimOptions, settingsOf } from '../../lib/claims/options.ts';
import { type ClaimRecord, successor } from '../../lib/claims/record.ts';
import { fail, succeed } from '../../lib/claims/record-outcome.ts';
import { renewedLease } from '../../lib/claims/renewed-lease.ts';
import { renew } from '../../lib/claims/settle.ts';
import { type ClaimStore, unchanged } from '../../lib/claims/store.ts';
import { record } from '../support/records.ts';
import { someDay, type VirtualHost, virtualHost } from '../support/virtual-host.ts';

/** A store under test. */
export interface StoreUnderTest {
  readonly store: ClaimStore;
  /**
   * The same records behind a network that applies every write, loses the answer, and tries again by itself, as the AWS
   * SDK does. Answers how many answers it has lost.
   */
  readonly lossy: { readonly store: ClaimStore; lost(): number };
}

/** What every claim store must do. A store is right when all of these pass; nothing else specifies it. */
export function storeLaws(
  name: string,
  open: () => Promise<StoreUnderTest>,
  scale: {
    races: number;
    runs: number;
    /** Whether its way loses answers, so that a write which is sent again meets itself. */
    meetsItself?: boolean;
  },
): void {
  describe(`${name}: a compare-and-set over records`, () => {
    it('keeps every attribute of a record, and removes what the next one does not have', async () => {
      const { store } = await open();
      const full = record({
        id: freshId(),
        status: 'released',
        fingerprint: '1:abc',
        result: '{"ümlaut":"☂","n":1.5}',
        resultOmitted: 'too-large',
        error: { name: 'Error', message: 'declined' },
        unknownAt: someDay + 1,
        attributes: { currency: 'EUR', amount: 12.5 },
      });
      await store.write({ next: full, seen: undefined });
      expect(await store.read(full.id)).toEqual(full);
      const { error: _, result: __, expiresAt: ___, unknownAt: ____, attributes: _____, ...bare } = full;
      await store.write({ next: { ...bare, status: 'parked' }, seen: full });
      expect(await store.read(full.id)).toEqual({ ...bare, status: 'parked' });
    });

    it('knows nothing of an id that was never written', async () => {
      const { store } = await open();
      expect(await store.read(freshId())).toBeUndefined();
    });

    it.each([
      ['another owner', { claimId: 'second' }],
      ['another revision', { rev: 2 }],
      ['no revision', { rev: undefined, v: 1 }],
    ] as const)(
      'refuses a write when the record has %s than the one that was seen, and nothing else differs',
      async (_, other) => {
        const { store } = await open();
        const seen = record({ id: freshId() });
        const found = { ...seen, ...other };
        await store.write({ next: found, seen: undefined });
        expect(await store.write({ next: { ...seen, status: 'released' }, seen })).toEqual({ applied: false, found });
        expect(await store.read(seen.id)).toEqual(found);
      },
    );

    it.each([
      ['another owner', { claimId: 'second' }],
      ['another status', { status: 'completed' }],
      ['another lease', { leaseUntil: someDay + 30_001 }],
      ['a revision', { rev: 1, v: 2 }],
    ] as const)(
      'refuses a write over a record of schema 1 when it has %s than the one that was seen, and nothing else differs',
      async (_, other) => {
        const { store } = await open();
        const seen = record({ id: freshId(), rev: undefined, v: 1 });
        const found = { ...seen, ...other };
        await store.write({ next: found, seen: undefined });
        const next = successor(seen, { ...seen, status: 'released' });
        expect(await store.write({ next, seen })).toEqual({ applied: false, found });
        expect(await store.read(seen.id)).toEqual(found);
      },
    );

    it('replaces a record of schema 1 that is still the one that was seen, and gives it a revision', async () => {
      const { store } = await open();
      const seen = record({ id: freshId(), rev: undefined, v: 1 });
      await store.write({ next: seen, seen: undefined });
      const next = successor(seen, { ...seen, status: 'released' });
      const result = await store.write({ next, seen });
      if (!scale.meetsItself) expect(result).toEqual({ applied: true });
      expect(await store.read(seen.id)).toEqual({ ...seen, status: 'released', rev: 1, v: 2 });
    });

    it('refuses the late copy of a write that was applied, although owner, status and lease are as they were before it', async () => {
      const { store } = await open();
      const seen = record({ id: freshId() });
      await store.write({ next: seen, seen: undefined });
      const checkpoint = { next: successor(seen, { ...seen, checkpoints: '[1]' }), seen };
      await store.write(checkpoint);
      const later = {
        next: successor(checkpoint.next, { ...checkpoint.next, checkpoints: '[1,2]' }),
        seen: checkpoint.next,
      };
      await store.write(later);
      expect(await store.write(checkpoint)).toEqual({ applied: false, found: later.next });
      expect(await store.read(seen.id)).toMatchObject({ checkpoints: '[1,2]' });
    });

    it('applies a write exactly when the record is `unchanged`, and otherwise leaves it and shows it', async () => {
      const { store } = await open();
      await fc.assert(
        fc.asyncProperty(maybeRecord, maybeRecord, async (there, expected) => {
          const id = freshId();
          const found = there && { ...there, id };
          const seen = expected && { ...expected, id };
          if (found) await store.write({ next: found, seen: undefined });

          const result = await store.write({ next: record({ id, claimId: 'next', fence: 99 }), seen });

          const applies = unchanged(seen, found);
          // On a way that loses answers, the copy that was sent again meets what the first one wrote.
          const metItself = scale.meetsItself && applies && !result.applied && result.found?.claimId === 'next';
          if (!metItself) expect(result).toEqual(applies ? { applied: true } : { applied: false, found });
          const after = await store.read(id);
          if (!applies) expect(after).toEqual(found);
          else expect(after).toMatchObject({ claimId: 'next', fence: 99 });
        }),
        { numRuns: scale.runs, seed: 1 },
      );
    });
  });

  describe(`${name}: two workers and one key`, () => {
    it(`has one winner in each of ${scale.races} races for a new key`, async () => {
      const { store } = await open();
      await races(scale.races, async () => {
        const key = freshId();
        return Promise.all([worker(store).acquire(key), worker(store).acquire(key)]);
      });
    });

    it(`has one winner in each of ${scale.races} races for an abandoned and for a released claim`, async () => {
      const { store } = await open();
      await races(scale.races, async (race) => {
        const key = freshId();
        const first = worker(store);
        const held = granted(await first.acquire(key));
        if (race % 2 === 0) await fail(first.engine, held, new Error('try again'), 'unmarked');
        const [second, third] = [worker(store), worker(store)];
        for (const each of [second, third]) await each.host.advance(61_001);
        return Promise.all([second.acquire(key), third.acquire(key)]);
      });
    });

    it('refuses everything from the first owner after its lease was taken over, and changes nothing', async () => {
      const late: Record<string, (w: Worker, held: Grant) => Promise<unknown>> = {
        complete: (w, held) => succeed(w.engine, held, 'late'),
        release: (w, held) => fail(w.engine, held, new Error('late'), 'before'),
        reject: (w, held) => fail(w.engine, held, Object.assign(new Error('late'), { final: true }), 'unmarked'),
        renew: extend,
      };
      const { store } = await open();
      for (const [name, act] of Object.entries(late)) {
        for (const outcome of ['running', 'completed', 'released'] as const) {
          const key = freshId();
          const first = worker(store);
          const firstHeld = granted(await first.acquire(key));
          const second = worker(store);
          await second.host.advance(61_001);
          const secondHeld = granted(await second.acquire(key));
          if (outcome === 'completed') await succeed(second.engine, secondHeld, 'in time');
          if (outcome === 'released') await fail(second.engine, secondHeld, new Error('no'), 'before');
          const before = await store.read(secondHeld.identity.id);

          await first.host.advance(120_000);
          const answer = await act(first, firstHeld);

          expect([name, outcome, answer]).toEqual([name, outcome, 'stale']);
          expect(await store.read(secondHeld.identity.id), `${name} when ${outcome}`).toEqual(before);
          if (name !== 'renew') expect(first.events.map(({ type }) => type)).toContain('stale-claim');
        }
      }
    });

    it('lets a completion through when a renewal of the same owner came between, unseen', async () => {
      const { store } = await open();
      const owner = worker(store);
      const held = granted(await owner.acquire(freshId()));
      const asGranted = { ...held, record: held.record };
      await owner.host.advance(30_000);
      expect(await extend(owner, held)).toBe('applied');
      expect(await succeed(owner.engine, asGranted, 'done')).toBe('completed');
    });
  });

  describe(`${name}: an applied write whose answer is lost`, () => {
    it('of a first claim, of a retry and of a takeover: granted, not in flight with itself', async () => {
      const { store, lossy } = await open();
      const key = freshId();
      const first = worker(lossy.store);
      const held = granted(await first.acquire(key));
      expect(held.record.fence).toBe(1);
      await fail(worker(store).engine, held, new Error('try again'), 'before');
      expect(granted(await first.acquire(key)).record.fence).toBe(2);
      const third = worker(lossy.store);
      await third.host.advance(61_001);
      const takenOver = granted(await third.acquire(key));
      expect(takenOver.record).toMatchObject({ fence: 3, abandoned: 1, attempts: 3 });
      expect(await store.read(held.identity.id)).toEqual(takenOver.record);
      expect(lossy.lost()).toBe(3);
    });

    it('of a completion, a release, a rejection, a parking and a renewal: recorded, not stale', async () => {
      const { store, lossy } = await open();
      const acts: Record<string, (w: Worker, held: Grant) => Promise<unknown>> = {
        completed: (w, held) => succeed(w.engine, held, { card: 'c-1' }),
        released: (w, held) => fail(w.engine, held, new Error('no'), 'before'),
        rejected: (w, held) => fail(w.engine, held, Object.assign(new Error('never'), { final: true }), 'unmarked'),
        parked: (w, held) => fail(w.engine, held, new Error('who knows'), 'unmarked'),
      };
      for (const [status, act] of Object.entries(acts)) {
        const owner = worker(lossy.store, { onAbandoned: 'park' });
        const held = granted(await owner.acquire(freshId()));
        expect(await act(owner, held)).toBe(status);
        expect(await store.read(held.identity.id)).toMatchObject({ status, claimId: held.record.claimId, fence: 1 });
        expect(owner.events.map(({ type }) => type)).not.toContain('stale-claim');
      }
      const owner = worker(lossy.store);
      const held = granted(await owner.acquire(freshId()));
      await owner.host.advance(20_000);
      expect(await extend(owner, held)).toBe('applied');
      expect(await store.read(held.identity.id)).toMatchObject({ leaseUntil: held.record.leaseUntil });
      expect(lossy.lost()).toBe(10);
    });

    it('of the parking of an abandoned claim: parked, once', async () => {
      const { store, lossy } = await open();
      const key = freshId();
      const dead = granted(await worker(store).acquire(key));
      const next = worker(lossy.store, { onAbandoned: 'park' });
      await next.host.advance(61_001);
      expect(await next.acquire(key)).toMatchObject({ kind: 'parked', record: { error: { name: 'abandoned' } } });
      expect(await store.read(dead.identity.id)).toMatchObject({ status: 'parked', fence: 2, abandoned: 1 });
    });
  });

  describe(`${name}: the fence`, () => {
    it('never goes back, and every grant has one of its own, whatever happens in whatever order', async () => {
      const { store } = await open();
      const step = fc.constantFrom('acquire', 'complete', 'release', 'unknown', 'renew', 'wait', 'wait-long' as const);
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(fc.nat(1), step), { minLength: 4, maxLength: 25 }), async (steps) => {
          const key = freshId();
          const workers = [worker(store), worker(store)];
          const held: (Grant | undefined)[] = [];
          const grants: number[] = [];
          let highest = 0;
          for (const [who, what] of steps) {
            const w = workers[who];
            const mine = held[who];
            if (w === undefined) continue;
            if (what === 'acquire') {
              const acquired = await w.acquire(key);
              if (acquired.grant !== undefined) {
                held[who] = acquired.grant;
                grants.push(acquired.grant.record.fence);
              }
            } else if (what === 'wait' || what === 'wait-long') {
              for (const each of workers) await each.host.advance(what === 'wait' ? 5000 : 62_000);
            } else if (mine !== undefined) {
              if (what === 'complete') await succeed(w.engine, mine, 'done');
              if (what === 'release') await fail(w.engine, mine, new Error('no'), 'before');
              if (what === 'unknown') await fail(w.engine, mine, new Error('who knows'), 'unmarked');
              if (what === 'renew') await extend(w, mine);
            }
            const fence = (await store.read(`issue-gift-card#${key}`))?.fence ?? 0;
            expect(fence).toBeGreaterThanOrEqual(highest);
            highest = fence;
          }
          expect(grants).toEqual([...new Set(grants)].sort((a, b) => a - b));
        }),
        { numRuns: scale.runs, seed: 2 },
      );
    });
  });
}

interface Worker {
  readonly host: VirtualHost;
  readonly engine: Engine<string>;
  readonly events: ClaimEvent[];
  acquire(key: string): Promise<Acquired>;
}

/** One heartbeat. */
const extend = (w: Worker, held: Grant) =>
  changeClaim(
    w.engine,
    held,
    (found) => renew(held.record.claimId, found, leaseEnd(w.engine, undefined), w.engine.settings),
    { until: w.host.now() + 1000, tries: 1 },
  );

let workers = 0;
/** A worker with a clock of its own. Leases last 60 seconds, skew is 1 second. */
function worker(store: ClaimStore, options: Partial<ClaimOptions<string>> = {}): Worker {
  const clock = virtualHost();
  const name = `worker-${++workers}`;
  let ids = 0;
  const host = { ...clock, randomId: () => `${name}-${++ids}` };
  const events: ClaimEvent[] = [];
  const settings = settingsOf({
    operation: 'issue-gift-card',
    store,
    onAbandoned: 'retry',
    classify: (error) => ((error as { final?: boolean }).final ? 'rejected' : undefined),
    onEvent: (event) => events.push(event),
    ...options,
    host,
  });
  const engine: Engine<string> = { settings, fallback: renewedLease(60_000) };
  return {
    host,
    engine,
    events,
    acquire: (key) => acquire(engine, { identity: identify('issue-gift-card', key, host) }),
  };
}

async function races(count: number, race: (n: number) => Promise<readonly Acquired[]>): Promise<void> {
  const outcomes: string[] = [];
  const atOnce = 25;
  for (let from = 0; from < count; from += atOnce) {
    const part = Array.from({ length: Math.min(atOnce, count - from) }, (_, index) => race(from + index));
    for (const both of await Promise.all(part))
      outcomes.push(
        both
          .map(({ kind, grant }) => (grant === undefined ? kind : 'won'))
          .sort()
          .join(' and '),
      );
  }
  expect(outcomes).toEqual(Array(count).fill('in-flight and won'));
}

function granted(acquired: Acquired): Grant {
  if (acquired.grant === undefined) throw new Error(`expected a grant, got ${acquired.kind}`);
  return acquired.grant;
}

let ids = 0;
const freshId = () => `order-${process.pid}-${++ids}`;

const maybeRecord = fc.option(
  fc
    .record({
      status: fc.constantFrom('in-flight', 'released', 'completed', 'rejected', 'parked' as const),
      claimId: fc.constantFrom('first', 'second'),
      rev: fc.constantFrom(undefined, 1, 2),
      fence: fc.constantFrom(1, 2),
      leaseUntil: fc.constantFrom(someDay, someDay + 1),
      attempts: fc.constantFrom(1, 2),
    })
    .map((parts): ClaimRecord => record(parts as Partial<ClaimRecord>)),
  { nil: undefined, freq: 4 },
);
