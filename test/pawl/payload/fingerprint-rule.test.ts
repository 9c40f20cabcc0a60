import { describe, expect, it } from 'vitest';
import type { OnceOptions } from '../../../lib/pawl/engine/once.ts';
import {
  type ClaimEvent,
  canonicalValue,
  memoryStore,
  OptionError,
  once,
  RetryableError,
} from '../../../lib/pawl/index.ts';
import { someDay, virtualHost } from '../../support/virtual-host.ts';

interface Order {
  readonly id: string;
  readonly amount: number;
  readonly traceId?: string;
}

function setUp() {
  const host = virtualHost();
  const store = memoryStore();
  const events: ClaimEvent[] = [];
  const deployed = (fingerprint: OnceOptions<Order>['fingerprint'], fails = false) =>
    once<Order, unknown>(
      {
        operation: 'issue',
        store,
        key: ({ id }) => id,
        onAbandoned: 'retry',
        onEvent: (event) => void events.push(event),
        host,
        ...(fingerprint !== undefined && { fingerprint }),
      },
      () => {
        if (fails) throw new RetryableError('busy');
        return 'issued';
      },
    ).outcome;
  return { host, store, events, deployed };
}

const order = { id: 'o-1', amount: 12, traceId: 'a' };
const until = new Date(someDay + 3_600_000).toISOString();

describe('a fingerprint rule that a deployment changes', () => {
  it('refuses what was recorded before, and says that the rule has changed', async () => {
    const { deployed, events } = setUp();
    await expect(deployed({ ignore: [] }, true)(order)).rejects.toThrow('busy');
    expect(await deployed({ ignore: ['traceId'] })(order)).toEqual({ outcome: 'key-reused' });
    expect(events.at(-1)).toMatchObject({ type: 'key-reused', ruleChanged: true });
  });

  it('accepts what was recorded by the previous rule while that is declared, and refuses another intent all the same', async () => {
    const { deployed, events } = setUp();
    await expect(deployed({ ignore: [] }, true)(order)).rejects.toThrow('busy');
    const next = deployed({ ignore: ['traceId'], previous: { ignore: [], until } });
    expect(await next({ ...order, amount: 999 })).toEqual({ outcome: 'key-reused' });
    expect(events.at(-1)).toMatchObject({ type: 'key-reused', ruleChanged: true });
    expect(await next(order)).toMatchObject({ outcome: 'completed', replayed: false });
    // From then on it is recorded by today's rule.
    expect(await deployed({ ignore: ['traceId'] })({ ...order, traceId: 'b' })).toMatchObject({ replayed: true });
  });

  it('no longer accepts it after its time', async () => {
    const { deployed, host } = setUp();
    await expect(deployed({ ignore: [] }, true)(order)).rejects.toThrow('busy');
    await host.advance(3_600_001);
    const next = deployed({ ignore: ['traceId'], previous: { ignore: [], until } });
    expect(await next(order)).toEqual({ outcome: 'key-reused' });
  });

  it('may be a function, with a version of its own', async () => {
    const { deployed, events } = setUp();
    const byAmount = (given: Order) => canonicalValue(given.amount);
    const byBoth = (given: Order) => canonicalValue([given.id, given.amount]);
    await expect(deployed({ of: byAmount, version: '1' }, true)(order)).rejects.toThrow('busy');
    expect(await deployed({ of: byAmount, version: '1' })({ ...order, amount: 13 })).toEqual({ outcome: 'key-reused' });
    expect(events.at(-1)).toMatchObject({ ruleChanged: false });
    const previous = { of: byAmount, version: '1', until };
    expect(await deployed({ of: byBoth, version: '2', previous })(order)).toMatchObject({ outcome: 'completed' });
  });

  it('takes a fingerprint without a version, as earlier releases wrote them, for the same when it is', async () => {
    const { deployed, store } = setUp();
    await expect(deployed({ ignore: ['traceId'] }, true)(order)).rejects.toThrow('busy');
    const [seen] = store.records();
    const plain = seen?.fingerprint?.split('@')[0];
    if (seen) await store.write({ next: { ...seen, fingerprint: plain, rev: 9 }, seen });
    expect(await deployed({ ignore: ['traceId'] })(order)).toMatchObject({ outcome: 'completed' });
  });
});

const notRules: readonly (readonly [unknown])[] = [
  [{}],
  [true],
  [null],
  ['traceId'],
  [{ ignore: 'traceId' }],
  [{ ignore: [], of: () => '' }],
  [{ of: () => '', version: 'a b' }],
  [{ ignore: [], previous: { ignore: [] } }],
  [{ ignore: [], previous: { ignore: [], until: 'tomorrow' } }],
];

it.each(notRules)('%j is no fingerprint rule, which is said at once', (fingerprint) => {
  expect(() => setUp().deployed(fingerprint as never)).toThrow(OptionError);
});
