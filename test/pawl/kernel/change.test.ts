import { describe, expect, it } from 'vitest';
import { change } from '../../../lib/pawl/kernel/change.ts';
import { isStill, type Transition, type Write, type Written } from '../../../lib/pawl/kernel/record.ts';
import { someDay, virtualHost } from '../../support/virtual-host.ts';

interface Counter {
  readonly owner: string;
  readonly rev: number;
  readonly count: number;
}

/** What an owner of a counter makes of it: one more, once. */
const countedTo =
  (owner: string, count: number) =>
  (found: Counter | undefined): Transition<Counter> => {
    if (found === undefined) return { owner, rev: 1, count };
    if (found.owner !== owner) return 'stale';
    return found.count === count ? 'applied' : { owner, rev: found.rev + 1, count };
  };

/** A store of one record. Each request is served, and then answered in one of these ways; what has none is answered as it is. */
function storeOf(stands: Counter | undefined, ...answers: ('lost' | 'refused' | 'late' | 'hangs' | undefined)[]) {
  const host = virtualHost();
  const store = { stands, writes: 0 };
  const waits: (number | undefined)[] = [];
  const down = new Error('down');

  async function write({ next, seen, waitsMs }: Write<Counter>): Promise<Written<Counter>> {
    store.writes++;
    waits.push(waitsMs);
    const answer = answers.shift();
    if (answer === 'refused') throw down;
    if (answer === 'hangs') return new Promise(() => undefined);
    const isApplied = isStill<Counter>(({ owner, rev }) => ({ owner, rev }), seen, store.stands);
    if (isApplied) store.stands = next;
    if (answer === 'lost') throw down;
    if (answer === 'late') await new Promise<void>((resolve) => host.after(2000, resolve));
    return isApplied ? { applied: true } : { applied: false, found: store.stands };
  }

  const to = (transition: (found: Counter | undefined) => Transition<Counter>, seen = stands, tries?: number) => {
    const limit = tries === undefined ? {} : { tries };
    return change(host, { seen, transition, write, requestMs: 1000, until: someDay + 10_000, ...limit });
  };
  return { host, store, down, to, waits };
}

const first = { owner: 'a', rev: 1, count: 1 };

describe('a change', () => {
  it('is written once if the record is still as its author knows it, and returns the record that stands now', async () => {
    const { store, to } = storeOf(first);
    expect(await to(countedTo('a', 2))).toEqual({ kind: 'applied', record: { owner: 'a', rev: 2, count: 2 } });
    expect(store).toEqual({ writes: 1, stands: { owner: 'a', rev: 2, count: 2 } });
  });

  it('makes a record where none was seen', async () => {
    const { store, to } = storeOf(undefined);
    expect(await to(countedTo('a', 1))).toEqual({ kind: 'applied', record: first });
    expect(store.stands).toEqual(first);
  });

  it('is decided anew upon what refused it, and written on top of that', async () => {
    const { store, to } = storeOf({ ...first, rev: 7 });
    expect(await to(countedTo('a', 2), first)).toMatchObject({ kind: 'applied', record: { rev: 8 } });
    expect(store.writes).toBe(2);
  });

  it('is stale when another worker has the record by now, and writes nothing over it', async () => {
    const others = { owner: 'b', rev: 2, count: 1 };
    const { store, to } = storeOf(others);
    expect(await to(countedTo('a', 2), first)).toEqual({ kind: 'stale' });
    expect(store).toEqual({ writes: 1, stands: others });
  });

  it('that is stale by what its author knows is not sent', async () => {
    const { store, to } = storeOf({ ...first, owner: 'b' });
    expect(await to(countedTo('a', 2))).toEqual({ kind: 'stale' });
    expect(store.writes).toBe(0);
  });

  it('that is applied by what its author knows is not sent, and returns that', async () => {
    const { store, to } = storeOf(first);
    expect(await to(countedTo('a', 1))).toEqual({ kind: 'applied', record: first });
    expect(store.writes).toBe(0);
  });

  it('whose answer was lost recognises its own write', async () => {
    const { host, store, to } = storeOf(first, 'lost');
    const changed = to(countedTo('a', 2));
    await host.advance(1000);
    expect(await changed).toEqual({ kind: 'applied', record: { owner: 'a', rev: 2, count: 2 } });
    // Sent once more, refused by its own first write, and not written on top of that.
    expect(store).toMatchObject({ writes: 2, stands: { rev: 2 } });
  });

  it('is given up when it hangs, and sent again: if both arrive, one of them is applied', async () => {
    const { host, store, to } = storeOf(first, 'late');
    const changed = to(countedTo('a', 2));
    await host.advance(1051);
    expect(await changed).toMatchObject({ kind: 'applied' });
    await host.advance(5000);
    expect(store).toMatchObject({ writes: 2, stands: { rev: 2 } });
  });

  it('says with each write how long it waits for it, so that a store which throttles need not give up earlier', async () => {
    const { host, down, to, waits } = storeOf(first, ...Array.from({ length: 20 }, () => 'refused' as const));
    const changed = to(countedTo('a', 2)).catch((error: unknown) => error);
    await host.advance(20_000);
    expect(await changed).toBe(down);
    expect(waits[0]).toBe(1000);
    expect(waits.at(-1)).toBeLessThan(1000);
  });

  it('is sent again while the store fails, and throws what the store said when its policy allows no further try', async () => {
    const { host, store, down, to } = storeOf(first, 'refused', 'hangs', 'hangs');
    const changed = to(countedTo('a', 2), first, 3).catch((error: unknown) => error);
    await host.advance(10_000);
    expect(await changed).toBe(down);
    expect(store).toEqual({ writes: 3, stands: first });
  });
});
