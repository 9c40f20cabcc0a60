import { expect, it } from 'vitest';
import { type memoryStore, RejectedError, RetryableError } from '../../../lib/pawl/index.ts';
import { reconcileStatements, type StatementLine } from '../../../lib/pawl/statements/index.ts';
import { createRandom } from '../../../lib/rehearsal/engine/random.ts';
import { firstOf } from '../../support/whole.ts';
import { charges, hour } from './charges.ts';

/*
 * Worlds of chance: claims that end in every way, lines that are late, repeated, out of order, without an id, or about nothing; runs that die at any
 * request, or run side by side, over an index that lags. In the end, what is open is what an oracle says that knows both sides, and nothing else.
 */

type Fate = 'completes' | 'fails' | 'is released' | 'is rejected' | 'completes later' | 'is never claimed';
const fates: readonly [Fate, ...Fate[]] = [
  'completes',
  'completes',
  'fails',
  'is released',
  'is rejected',
  'completes later',
  'is never claimed',
];

type Store = ReturnType<typeof memoryStore>;

/** A process that may die at any request, before or after it was carried out; and an index that may not list what was just written. */
function mortal(store: Store, chance: (share: number) => boolean, dies: number, lags: number): Store {
  let dead = false;
  async function request<T>(work: () => Promise<T>): Promise<T> {
    for (let turns = 0; chance(0.5) && turns < 5; turns++) await Promise.resolve();
    if (dead) throw new Error('dead');
    dead = chance(dies);
    if (dead && chance(0.5)) throw new Error('dead');
    const result = await work();
    if (dead) throw new Error('dead');
    return result;
  }
  return {
    ...store,
    read: (id) => request(() => store.read(id)),
    write: (write) => request(() => store.write(write)),
    readNote: (id) => request(() => store.readNote(id)),
    writeNote: (write) => request(() => store.writeNote(write)),
    listPlace: (query) =>
      request(async () => {
        const page = await store.listPlace(query);
        return query.place === '#findings' && chance(lags) ? { ...page, entries: [] } : page;
      }),
  };
}

/** @returns what is open in the end, and what should be: each finding by its kind and claim */
async function worldOf(
  seed: number,
): Promise<{ readonly open: readonly string[]; readonly expected: readonly string[] }> {
  const { chance, below, pick } = createRandom(seed);
  const world = charges();
  const { host, store, charge, settings } = world;
  const lines: (StatementLine & { readonly shownAt: number })[] = [];
  const expected: string[] = [];
  const ends: (() => void)[] = [];
  const dies = pick([0, 0.002, 0.02]);
  const lags = pick([0, 0.3]);

  for (let index = 0; index < 3 + below(12); index++) {
    const key = `order-${index}`;
    const fate = pick(fates);
    const worker = Promise.withResolvers<void>();
    const begun = {
      completes: () => charge(key),
      fails: () => charge(key, () => Promise.reject(new Error('reset'))),
      'is released': () => charge(key, () => Promise.reject(new RetryableError('busy'))),
      'is rejected': () => charge(key, () => Promise.reject(new RejectedError('declined'))),
      'completes later': async () => {
        void charge(key, () => worker.promise);
        ends.push(worker.resolve);
        await host.advance(hour + 10);
      },
      'is never claimed': () => host.advance(hour),
    } satisfies Record<Fate, () => unknown>;
    await begun[fate]();

    const count = pick([0, 1, 1, 1, 2]);
    const differs = chance(0.2);
    const hasId = chance(0.6);
    const at = host.now();
    for (let line = 0; line < count; line++) {
      const facts = { amountCents: differs ? 1 : 1250 };
      const name = chance(0.5) ? { key } : { effectKey: `charge#${key}` };
      // Without ids, two lines of one effect are told apart by what they say.
      const one = { ...name, at: at + (hasId ? 0 : line), facts, ...(hasId && { id: `txn_${key}_${line}` }) };
      const shownAt = at + (chance(0.3) ? 6 * hour : 0);
      lines.push({ ...one, shownAt });
      // The provider's pages overlap.
      if (hasId && chance(0.2)) lines.push({ ...one, shownAt });
    }
    const has = fate === 'is never claimed' || fate === 'is rejected' ? 'no claim' : 'a claim';
    if (has === 'no claim') for (let line = 0; line < count; line++) expected.push(`missing-here charge#${key}`);
    else {
      if (count === 2) expected.push(`twice charge#${key}`);
      if (count > 0 && differs) expected.push(`differs charge#${key}`);
      if (count === 0 && fate.startsWith('completes')) expected.push(`missing-there charge#${key}`);
    }
  }

  const isSorted = chance(0.5);
  if (!isSorted) lines.sort(() => below(3) - 1);
  const visible = () => lines.filter(({ shownAt }) => shownAt <= host.now()).map(({ shownAt: _, ...line }) => line);
  const attempt = (from: number) =>
    reconcileStatements(
      settings({ store: mortal(store, chance, dies, lags), from, statement: visible, onEvent: () => undefined }),
    ).catch((error: Error) => {
      if (error.message !== 'dead') throw error;
    });
  const begin = settings().from;
  for (let run = 0; run < 1 + below(6); run++) {
    await host.advance(pick([1, 3]) * hour);
    if (chance(0.3)) ends.pop()?.();
    const from = chance(0.7) ? begin : host.now() - pick([4, 9]) * hour;
    let isOver = false;
    const attempts = Promise.all(Array.from({ length: pick([1, 1, 2]) }, () => attempt(from)));
    void attempts.then(() => (isOver = true));
    // What waits before it tries again waits for the clock.
    while (!isOver) await host.advance(1000);
    await attempts;
  }
  for (const end of ends) end();
  await host.advance(48 * hour);
  // What was left of an earlier run goes on in its window; the one after it reads all.
  for (let run = 0; run < 2; run++) {
    const done = await reconcileStatements(settings({ from: begin, statement: visible }));
    if (done.outcome !== 'done') throw new Error(`the run has ended as ${done.outcome}`);
  }
  return { open: (await world.open()).toSorted(), expected: expected.toSorted() };
}

const seeds = Number(process.env['PAWL_STATEMENT_WORLDS'] ?? firstOf(150, { first: 30 }));

it('finds what an oracle finds that knows both sides, and nothing else, in worlds of chance', {
  timeout: 600_000,
}, async () => {
  for (let seed = 1; seed <= seeds; seed++) {
    const { open, expected } = await worldOf(seed);
    expect([seed, ...open]).toEqual([seed, ...expected]);
  }
});
