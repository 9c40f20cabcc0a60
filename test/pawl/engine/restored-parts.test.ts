import { describe, expect, it } from 'vitest';
import { reconcile } from '../../../lib/pawl/engine/reconcile.ts';
import {
  type Claim,
  type ClaimRecord,
  InDoubtError,
  type MemoryStore,
  memoryStore,
  once,
  RetryableError,
  type StepOptions,
  step,
} from '../../../lib/pawl/index.ts';
import { stepsInDoubt } from '../../../lib/pawl/rules/checkpoints.ts';
import { restoredStore } from '../../../lib/pawl/stores/dynamodb/restored-store.ts';
import { sweepOpenClaims } from '../../../lib/pawl/sweep/index.ts';
import { commit, commitStep, inPhases } from '../../../lib/pawl/transactions/index.ts';
import { memoryTransactions } from '../../support/memory-transactions.ts';
import { resolverOf } from '../../support/resolver-of.ts';
import { virtualHost } from '../../support/virtual-host.ts';

/** Parts of a handler on both sides of a mark: what a restored table has forgotten of a claim is applied once, whatever the claim was at the cut-off. */

const parts = ['charge', 'receipt'] as const;
type Part = (typeof parts)[number];
const acted = { by: 'maria', note: 'looked it up' };

type Way = 'park' | 'ask' | 'commitStep' | 'commit' | 'inPhases';

/** A table, those that are restored from it, and what the parts have applied, which no restore takes back. */
function lineage(way: Way) {
  const host = virtualHost();
  const applied: string[] = [];
  const ledgers: ReadonlyMap<string, unknown>[] = [];
  let before: (part: Part) => Promise<void> = async () => undefined;

  /** How often each part was applied. */
  function times(): readonly number[] {
    const committed = ledgers.flatMap((ledger) => [...ledger.keys()].map((key) => key.split('-')[0]));
    return parts.map((part) => [...applied, ...committed].filter((one) => one === part).length);
  }

  /** What the truth is about a step. The one of `inPhases` has a name of its own. */
  const verdictOf = (name: string) =>
    ({ verdict: times()[name === 'receipt' ? 1 : 0] ? 'applied' : 'not-applied' }) as const;
  const onAbandoned: StepOptions['onAbandoned'] =
    way === 'ask'
      ? reconcile({ ask: ({ effectKey }) => verdictOf(effectKey.split('#').at(-1) ?? ''), settleMs: 1000 })
      : 'park';
  const writes = (part: string) => [{ Put: { TableName: 'ledger', Item: { id: `${part}-${host.randomId()}` } } }];
  const apply = async (part: Part) => {
    await before(part);
    applied.push(part);
  };
  const phased = inPhases<void, void>({
    execute: () => apply('charge'),
    async record() {
      await before('receipt');
      return writes('receipt');
    },
    onAbandoned: 'park',
  });

  async function handle(_: string, claim: Claim): Promise<void> {
    switch (way) {
      case 'inPhases':
        return phased(undefined, claim);
      case 'commitStep':
      case 'commit':
        await before('charge');
        await commitStep(claim, 'charge', () => writes('charge'));
        await before('receipt');
        if (way === 'commitStep') await commitStep(claim, 'receipt', () => writes('receipt'));
        else await commit(claim, writes('receipt'));
        return;
      default:
        for (const part of parts) await step(claim, part, () => apply(part), { onAbandoned });
    }
  }

  /** A table with these records. @param reopenedAt of one that was restored: its mark */
  function table(records: readonly ClaimRecord[], reopenedAt?: number) {
    const memory = memoryStore();
    for (const next of records) void memory.write({ next, seen: undefined });
    const none = () => Promise.reject(new Error('no statement is read'));
    const marked: MemoryStore =
      reopenedAt === undefined
        ? memory
        : restoredStore(memory, {
            now: host.now,
            ofClaim: async () => ({ reopenedAt }),
            forStatements: { readRestore: none, liftRestore: none },
          });
    const { items, store } = memoryTransactions(marked);
    ledgers.push(items);
    const pay = once(
      { operation: 'pay', store, host, key: (key: string) => key, onAbandoned: 'retry', onEvent: () => undefined },
      handle,
    );
    const call = (leaseMs = 10_000) => pay('p-1', { remainingMs: () => leaseMs }).catch(() => undefined);
    const claims = resolverOf({ operation: 'pay', store, host });

    /** Delivers the message, and lets so much time pass that any lease is over and any verdict is believed. */
    async function deliver(): Promise<void> {
      await Promise.all([call(), host.advance(130_000)]);
    }

    /** An operator who knows what has happened decides what is parked, until the message is done. */
    async function decideTruly(): Promise<void> {
      for (let round = 0; round < 6; round++) {
        const found = await claims.read('p-1');
        if (found?.status === 'completed') return;
        if (found?.status === 'parked') {
          const steps = stepsInDoubt(found).map(({ name }) => [name, verdictOf(name).verdict] as const);
          const whole = times().every((count) => count > 0) ? 'applied' : 'not-applied';
          await claims.resolve('p-1', steps.length > 0 ? Object.fromEntries(steps) : whole, acted);
        }
        await deliver();
      }
    }

    /** A sweep that asks about what is in doubt: of a step by its name, and otherwise whether all has happened. */
    async function sweep(): Promise<void> {
      const handler = sweepOpenClaims({
        store: marked,
        host,
        operations: {
          pay: {
            onAbandoned: reconcile({
              ask({ step: part }) {
                if (part !== undefined) return verdictOf(part);
                const [least, most] = [Math.min(...times()), Math.max(...times())];
                if (least > 0) return { verdict: 'applied' };
                return { verdict: most === 0 ? 'not-applied' : 'inconclusive' };
              },
              settleMs: 1000,
            }),
          },
        },
        onReport: () => undefined,
        onEvent: () => undefined,
      });
      await Promise.all([handler({}, { getRemainingTimeInMillis: () => 60_000 }), host.advance(130_000)]);
    }

    return {
      call,
      deliver,
      decideTruly,
      sweep,
      retry: () => claims.resolve('p-1', 'retry', acted),
      status: async () => (await memory.read('pay#p-1'))?.status,
      snapshot: () => structuredClone(memory.records()),
    };
  }

  return {
    host,
    times,
    first: table([]),
    /** Another table, restored from what one held, and marked now. */
    restored: (records: readonly ClaimRecord[]) => table(records, host.now()),
    before: (rule: typeof before = async () => undefined) => {
      before = rule;
    },
  };
}

type Lineage = ReturnType<typeof lineage>;

/** Brings a claim into a state, before or after its first part. @returns how all of it is applied in the time that the restore loses */
type Brings = (lineage: Lineage, at: Part) => Promise<() => Promise<unknown>>;

const inFlight =
  (leaseMs: number): Brings =>
  async ({ first, before, host }, at) => {
    const gate = Promise.withResolvers<void>();
    before((part) => (part === at ? gate.promise : Promise.resolve()));
    const working = first.call(leaseMs);
    await host.advance(10);
    return () => {
      gate.resolve();
      return working;
    };
  };

const failed =
  (error: Error, resolves: (first: Lineage['first']) => unknown = () => undefined): Brings =>
  async ({ first, before }, at) => {
    before((part) => (part === at ? Promise.reject(error) : Promise.resolve()));
    await first.call();
    before();
    return async () => {
      await resolves(first);
      return first.call();
    };
  };

const states = {
  'in flight, with a lease that ends before the mark': inFlight(5000),
  'in flight, with a lease that ends after the mark': inFlight(120_000),
  released: failed(new RetryableError('busy')),
  parked: failed(new InDoubtError('no answer'), (first) => first.retry()),
} as const satisfies Readonly<Record<string, Brings>>;

const ways: readonly Way[] = ['park', 'ask', 'commitStep', 'commit', 'inPhases'];
const cases = ways.flatMap((way) =>
  parts.flatMap((at) => (Object.keys(states) as (keyof typeof states)[]).map((state) => ({ way, at, state }))),
);

describe.each(cases)(
  'by $way, of a claim that was $state, at its $at, when the table was cut off',
  ({ way, at, state }) => {
    /** @param isLost whether the rest was applied in the lost time */
    async function cutOffIn(isLost: boolean) {
      const all = lineage(way);
      const apply = await states[state](all, at);
      const records = all.first.snapshot();
      if (isLost) await apply();
      all.before();
      await all.host.advance(20_000);
      if (isLost) expect([await all.first.status(), all.times()]).toEqual(['completed', [1, 1]]);
      return { ...all, records };
    }

    it('nothing is applied twice: not by the message, nor by an operator who decides part by part', async () => {
      const { restored, records, times } = await cutOffIn(true);
      const second = restored(records);
      await second.deliver();
      expect(times()).toEqual([1, 1]);
      await second.decideTruly();
      expect([times(), await second.status()]).toEqual([[1, 1], 'completed']);
    });

    it('what was not applied in the lost time is applied in the end', async () => {
      const { restored, records, times } = await cutOffIn(false);
      const second = restored(records);
      await second.deliver();
      await second.decideTruly();
      expect([times(), await second.status()]).toEqual([[1, 1], 'completed']);
    });

    it('nothing is applied twice after a sweep', async () => {
      const { restored, records, times } = await cutOffIn(true);
      const second = restored(records);
      await second.sweep();
      await second.deliver();
      expect(times()).toEqual([1, 1]);
      await second.decideTruly();
      expect([times(), await second.status()]).toEqual([[1, 1], 'completed']);
    });

    it.each([
      ['at once', async () => undefined],
      ['after the message has come', (second: Lineage['first']) => second.deliver()],
      ['after a sweep', (second: Lineage['first']) => second.sweep()],
    ])('nothing is applied twice if the restored table is restored again, %s', async (_, passes) => {
      const { host, restored, records, times } = await cutOffIn(true);
      const second = restored(records);
      await passes(second);
      const cutOff = second.snapshot();
      await second.decideTruly();
      await host.advance(10_000);
      const third = restored(cutOff);
      await third.deliver();
      expect(times()).toEqual([1, 1]);
      await third.decideTruly();
      expect([times(), await third.status()]).toEqual([[1, 1], 'completed']);
    });
  },
);
