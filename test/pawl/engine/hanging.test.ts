import { describe, expect, it } from 'vitest';
import { nodeHost } from '../../../lib/pawl/host.ts';
import { type ClaimEvent, memoryStore, once, renewedLease } from '../../../lib/pawl/index.ts';
import type { ClaimStore, ClaimWrite } from '../../../lib/pawl/rules/store.ts';
import { virtualHost } from '../../support/virtual-host.ts';

/** A store behind a client without time-outs: the writes that are chosen never get an answer, unless they are delivered later. */
function hangingStore(hangs: (write: ClaimWrite, count: number) => boolean) {
  const inner = memoryStore();
  const stuck: ClaimWrite[] = [];
  let count = 0;
  const store: ClaimStore = {
    read: inner.read,
    write(write) {
      if (!hangs(write, ++count)) return inner.write(write);
      stuck.push(write);
      return new Promise(() => undefined);
    },
  };
  return { store, stuck, inner, records: inner.records };
}

const isRenewal = ({ next, seen }: ClaimWrite) => seen?.status === 'in-flight' && next.status === 'in-flight';

function mailer(store: ClaimStore, host: ReturnType<typeof virtualHost>, events: ClaimEvent[] = []) {
  const sent: number[] = [];
  const call = once<string, unknown>(
    {
      operation: 'mail',
      store,
      key: (id) => id,
      onAbandoned: 'park',
      lease: renewedLease(6000),
      onEvent: (event) => void events.push(event),
      host,
    },
    async () => {
      await new Promise<void>((resolve) => host.after(2500, resolve));
      sent.push(host.now());
    },
  ).outcome;
  return { call, sent };
}

describe('a heartbeat that hangs', () => {
  it('does not hold up the completion of an effect that has happened', async () => {
    const host = virtualHost();
    const { store, records } = hangingStore(isRenewal);
    const { call, sent } = mailer(store, host);
    const answer = call('m-1');
    await host.advance(2501);
    expect(records()).toMatchObject([{ status: 'completed' }]);
    expect(await answer).toMatchObject({ outcome: 'completed' });
    await host.advance(10_000);
    expect(sent).toHaveLength(1);
  });

  it('changes nothing when its write arrives after the completion, and says nothing of it', async () => {
    const host = virtualHost();
    const { store, stuck, inner } = hangingStore(isRenewal);
    const events: ClaimEvent[] = [];
    await Promise.all([mailer(store, host, events).call('m-1'), host.advance(3000)]);
    const completed = inner.records();
    for (const write of stuck) expect(await inner.write(write)).toMatchObject({ applied: false });
    expect(inner.records()).toEqual(completed);
    await host.advance(60_000);
    expect(events.map(({ type }) => type)).toEqual(['granted', 'completed']);
  });
});

describe('one renewal that hangs', () => {
  it('does not cost the lease: the next one goes at its time', async () => {
    const host = virtualHost();
    let renewals = 0;
    const { store, records } = hangingStore((write) => isRenewal(write) && ++renewals === 1);
    const ran: number[] = [];
    const worker = () =>
      once<string, unknown>(
        {
          operation: 'mail',
          store,
          key: (id) => id,
          onAbandoned: 'retry',
          lease: renewedLease(10_000),
          onEvent: () => undefined,
          host,
        },
        async () => {
          ran.push(host.now());
          await new Promise<void>((resolve) => host.after(14_000, resolve));
        },
      ).outcome;
    const first = worker()('m-1');
    await host.advance(11_300);
    expect(await worker()('m-1')).toMatchObject({ outcome: 'in-flight' });
    await host.advance(4000);
    expect(await first).toMatchObject({ outcome: 'completed' });
    expect(ran).toHaveLength(1);
    expect(records()).toMatchObject([{ status: 'completed', fence: 1 }]);
  });
});

it('a clock that is set forward beyond the lease does not stop its renewals', async () => {
  const clock = virtualHost();
  let aheadMs = 0;
  const host = { ...clock, now: () => clock.now() + aheadMs };
  const inner = memoryStore();
  const slow: ClaimStore = {
    read: inner.read,
    async write(write) {
      const result = await inner.write(write);
      // Longer than a turn, and than what the set clock leaves of the lease.
      await new Promise<void>((resolve) => clock.after(20, resolve));
      return result;
    },
  };
  const call = once<string, unknown>(
    {
      operation: 'mail',
      store: slow,
      key: (id) => id,
      onAbandoned: 'park',
      lease: renewedLease(9000),
      onEvent: () => undefined,
      host,
    },
    () => new Promise<void>((resolve) => clock.after(30_000, resolve)),
  ).outcome;
  const answer = call('m-1');
  await clock.advance(1000);
  aheadMs = 8500;
  await clock.advance(20_000);
  expect(inner.records()[0]?.leaseUntil).toBeGreaterThan(host.now() + 3000);
  await clock.advance(10_000);
  expect(await answer).toMatchObject({ outcome: 'completed' });
});

describe('a grant that is answered too late', () => {
  it('is given back also when its client had sent it twice, and was told of its own first write', async () => {
    const host = virtualHost();
    const inner = memoryStore();
    let grants = 0;
    const store: ClaimStore = {
      read: inner.read,
      async write(write) {
        if (write.next.status !== 'in-flight' || ++grants > 1) return inner.write(write);
        await inner.write(write);
        await new Promise<void>((resolve) => host.after(9500, resolve));
        return inner.write(write);
      },
    };
    const ran: string[] = [];
    const call = once<string, unknown>(
      { operation: 'mail', store, key: (id) => id, onAbandoned: 'park', onEvent: () => undefined, host },
      (id) => ran.push(id),
    ).outcome;
    const late = call('m-1', { remainingMs: () => 10_000 }).catch((error: Error) => error.name);
    await host.advance(9600);
    expect(await late).toBe('StoreUnavailableError');
    expect(inner.records()).toMatchObject([{ status: 'released' }]);
    await host.advance(30_000);
    expect(await call('m-1', { remainingMs: () => 10_000 })).toMatchObject({ outcome: 'completed' });
    expect(ran).toEqual(['m-1']);
  });
});

describe('a completion that hangs', () => {
  it('is sent again, and whichever arrives later changes nothing', async () => {
    const host = virtualHost();
    const { store, stuck, inner } = hangingStore(({ next }, count) => next.status === 'completed' && count <= 2);
    const call = once<string, unknown>(
      { operation: 'mail', store, key: (id) => id, onAbandoned: 'park', onEvent: () => undefined, host },
      () => 'sent',
    ).outcome;
    const answer = call('m-1', { remainingMs: () => 30_000 });
    await host.advance(7000);
    expect(await answer).toMatchObject({ outcome: 'completed' });
    const [late] = stuck;
    expect(late && (await inner.write(late))).toMatchObject({ applied: false });
  });

  it('is given up while there is time to answer Lambda, and reported', async () => {
    const host = virtualHost();
    const events: ClaimEvent[] = [];
    const { store } = hangingStore(({ next }) => next.status === 'completed');
    const call = once<string, unknown>(
      {
        operation: 'mail',
        store,
        key: (id) => id,
        onAbandoned: 'park',
        onEvent: (event) => void events.push(event),
        host,
      },
      () => 'sent',
    ).outcome;
    const answer = call('m-1', { remainingMs: () => 30_000 });
    await host.advance(29_999);
    expect(await answer).toMatchObject({ outcome: 'completed', result: 'sent' });
    expect(events.map(({ type }) => type)).toEqual(['granted', 'completion-lost']);
  });
});

it('a timer of a hundred days does not fire at once', async () => {
  let fired = false;
  const cancel = nodeHost.after(100 * 24 * 3600 * 1000, () => {
    fired = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  cancel();
  expect(fired).toBe(false);
});
