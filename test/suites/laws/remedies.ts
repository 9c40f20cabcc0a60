import { beforeEach, describe, expect, it } from 'vitest';
import { nodeHost } from '../../../lib/pawl/host.ts';
import { RejectedError, RetryableError, reconcile } from '../../../lib/pawl/index.ts';
import type { KeepsNotes } from '../../../lib/pawl/rules/notes.ts';
import type { ClaimStore } from '../../../lib/pawl/rules/store.ts';
import { findingOf, readFinding, storeFinding } from '../../../lib/pawl/statements/finding.ts';
import {
  type Finding,
  findings,
  type Remedy,
  type RemedyLimits,
  type SettleFindingsOptions,
  settleFindings,
} from '../../../lib/pawl/statements/index.ts';
import { reserveIn } from '../../../lib/pawl/statements/reservation-note.ts';
import { collect } from '../../support/collect.ts';

type Store = ClaimStore & KeepsNotes;

const acted = { by: 'maria', note: 'doubled charges' };
const arnOf = (who: string) => `arn:aws:sts::123456789012:assumed-role/Operators/${who}`;
const manyOf = (amount: number): RemedyLimits => ({
  perRun: { count: 10_000, amount },
  perDay: { count: 10_000, amount },
});
const day = 24 * 3_600_000;

/** A provider that does not know pawl's keys: whoever asks it twice is refunded twice. */
function aProvider() {
  const refunds: string[] = [];
  return {
    refunds,
    refund: ({ id }: Finding) => {
      refunds.push(id);
      return { id: `re_${refunds.length}` };
    },
    ask: async (_: unknown, { id }: Finding) =>
      refunds.includes(id) ? ({ verdict: 'applied' } as const) : ({ verdict: 'not-applied' } as const),
  };
}

/** A store whose process dies at its n-th request: before it is sent, or after it was applied. No request of it returns from then on. */
function dyingStore(store: Store, diesAt: number, after: boolean) {
  let calls = 0;
  const died = Promise.withResolvers<'died'>();
  const never = new Promise<never>(() => undefined);
  const dying =
    <Args extends readonly unknown[], R>(call: (...args: Args) => Promise<R>) =>
    async (...args: Args): Promise<R> => {
      calls++;
      const result = calls < diesAt || (calls === diesAt && after) ? await call(...args) : undefined;
      if (calls < diesAt) return result as R;
      died.resolve('died');
      return never;
    };
  const dead: Store = {
    read: dying((id) => store.read(id)),
    write: dying((write) => store.write(write)),
    readNote: dying((id) => store.readNote(id)),
    writeNote: dying((write) => store.writeNote(write)),
    listPlace: dying((query) => store.listPlace(query)),
  };
  return { store: dead, died: died.promise };
}

/** What is true of remedies over each store. @param open a store with nothing in it */
export function remedyLaws(name: string, open: () => Promise<Store> | Store): void {
  describe(`remedies over ${name}`, () => {
    let store: Store;
    let provider: ReturnType<typeof aProvider>;
    let offset: number;
    let host: typeof nodeHost;
    const operation = 'charge';
    beforeEach(async () => {
      store = await open();
      provider = aProvider();
      offset = 0;
      // No midnight comes while a test runs: the limits are of one day.
      const ahead = Date.UTC(2026, 10, 27, 9, 30) - Date.now();
      host = { ...nodeHost, now: () => Date.now() + ahead + offset };
    });

    async function plant(count: number, more: Partial<Finding> = {}, order = 'order'): Promise<readonly string[]> {
      const ids: string[] = [];
      for (let index = 0; index < count; index++) {
        const line = { at: host.now(), id: `txn_${index}`, facts: { cents: 500 } };
        const claimId = `charge#${order}-${index}`;
        const what = { kind: 'twice', operation, foundAt: host.now() + index, claimId, line, ...more } as const;
        ids.push((await storeFinding(store, findingOf(what, [claimId, 'id', line.id], nodeHost))).id);
      }
      return ids;
    }

    const remedy = (more: Partial<Remedy> = {}): Remedy => ({
      operation: 'refund',
      onAbandoned: reconcile({ ask: provider.ask, settleMs: 0 }),
      amountOf: ({ line }) => Number(line?.facts?.['cents']),
      run: provider.refund,
      ...more,
    });
    const settlement = (more: Partial<SettleFindingsOptions> = {}) =>
      settleFindings({
        ...{ store, operation, host, limits: manyOf(1_000_000), remedies: { twice: remedy() } },
        onEvent: () => undefined,
        ...more,
      });
    async function settled(more: Partial<SettleFindingsOptions> = {}, plannedBy = more) {
      const plan = await settlement(plannedBy).plan(acted);
      return collect(settlement(more).settle(plan));
    }
    const desk = (who?: string) =>
      findings({ store, host, ...(who !== undefined && { identity: async () => arnOf(who) }) });
    const openIds = async () => (await collect(desk().list({ operation }))).map(({ id }) => id);
    const outcomes = (results: readonly { readonly outcome: string }[]) => results.map(({ outcome }) => outcome);

    it('plans and writes nothing, then refunds each finding once, and keeps why and both records', async () => {
      const ids = await plant(3);
      const plan = await settlement().plan(acted);
      expect(plan).toMatchObject({ count: 3, amount: 1500, taken: { count: 0, amount: 0 }, ...acted });
      expect(plan.items[0]).toEqual({ id: ids[0], will: 'run', remedy: 'refund', amount: 500, hasBegun: false });
      expect(provider.refunds).toEqual([]);
      expect(outcomes(await collect(settlement().settle(plan)))).toEqual(['settled', 'settled', 'settled']);
      // The same plan again, and a new one.
      expect(await collect(settlement().settle(plan))).toMatchObject([
        { outcome: 'stays', whyNot: 'not-open' },
        { outcome: 'stays', whyNot: 'not-open' },
        { outcome: 'stays', whyNot: 'not-open' },
      ]);
      expect((await settlement().plan(acted)).items).toEqual([]);
      expect(provider.refunds).toEqual(ids);
      const finding = await readFinding(store, ids[0] ?? '');
      expect(finding).toMatchObject({ claimId: 'charge#order-0', line: { id: 'txn_0' } });
      expect(finding?.remedied).toMatchObject({ how: 'remedy', operation: 'refund', amount: 500, ...acted });
      const claim = await store.read(finding?.remedied?.claimId ?? '');
      expect(claim).toMatchObject({ status: 'completed', result: '{"id":"re_1"}' });
      expect(claim?.expiresAt).toBeUndefined();
      expect(await openIds()).toEqual([]);
    });

    it('refunds each finding once, by three runs side by side', async () => {
      const ids = await plant(6);
      await Promise.all([settled(), settled(), settled()]);
      expect(provider.refunds.toSorted()).toEqual(ids.toSorted());
      await settled();
      expect(provider.refunds).toHaveLength(6);
      expect((await settlement().plan(acted)).taken).toEqual({ count: 6, amount: 3000 });
      expect(await desk().settleReservations(operation)).toEqual([]);
    });

    it.each([false, true])(
      'refunds once, and counts once, wherever the process dies (after the request: %s)',
      async (after) => {
        let deaths = 0;
        for (let diesAt = 1; ; diesAt++) {
          const [id = ''] = await plant(1, {}, `death-${diesAt}`);
          const plan = await settlement().plan(acted);
          const dying = dyingStore(store, diesAt, after);
          const ended = await Promise.race([dying.died, collect(settlement({ store: dying.store }).settle(plan))]);
          if (ended !== 'died') break;
          deaths++;
          // The lease of the process that died is over.
          offset += 120_000;
          await settled();
          expect(provider.refunds.filter((each) => each === id)).toHaveLength(1);
          expect(await readFinding(store, id)).toMatchObject({ remedied: { how: 'remedy' } });
          expect(await desk().settleReservations(operation)).toEqual([]);
          expect((await settlement().plan(acted)).taken).toEqual({ count: deaths, amount: 500 * deaths });
        }
        // Or nothing died.
        expect(deaths).toBeGreaterThan(8);
      },
    );

    it.each<readonly [string, RemedyLimits, string]>([
      [
        'number in a day',
        { perRun: { count: 99, amount: 99_000 }, perDay: { count: 4, amount: 99_000 } },
        'count-per-day',
      ],
      [
        'money in a day',
        { perRun: { count: 99, amount: 99_000 }, perDay: { count: 99, amount: 2499 } },
        'amount-per-day',
      ],
    ])(
      'stops at its limit of %s exactly, in three runs side by side, and goes on the next day',
      async (_, limits, limit) => {
        await plant(10);
        // Planned without the limit: what counts is what is reserved.
        const runs = await Promise.all([1, 2, 3].map(() => settled({ limits }, {})));
        expect(provider.refunds).toHaveLength(4);
        expect(runs.flat()).toContainEqual(expect.objectContaining({ outcome: 'limit', limit }));
        await settled({ limits }, {});
        expect(provider.refunds).toHaveLength(4);
        const planned = await settlement({ limits }).plan(acted);
        expect(planned).toMatchObject({ count: 0, taken: { count: 4, amount: 2000 } });
        offset += day;
        await settled({ limits }, {});
        expect(provider.refunds).toHaveLength(8);
        expect(new Set(provider.refunds).size).toBe(8);
      },
    );

    it.each<readonly [string, RemedyLimits]>([
      ['number', { perRun: { count: 2, amount: 99_000 }, perDay: { count: 99, amount: 99_000 } }],
      ['money', { perRun: { count: 99, amount: 1499 }, perDay: { count: 99, amount: 99_000 } }],
    ])('stops a run at its own limit of %s, and says so once', async (_, limits) => {
      await plant(5);
      const events: string[] = [];
      const onEvent: SettleFindingsOptions['onEvent'] = ({ type }) => events.push(type);
      expect((await settlement({ limits }).plan(acted)).count).toBe(2);
      expect(outcomes(await settled({ limits, onEvent }, {}))).toEqual([
        ...['settled', 'settled', 'limit', 'limit', 'limit'],
      ]);
      expect(provider.refunds).toHaveLength(2);
      expect(events.filter((type) => type === 'remedy-limit')).toHaveLength(1);
      await settled({ limits });
      expect(provider.refunds).toHaveLength(4);
    });

    it('keeps the reservation of a run that died visible, and gives it back once its finding is accepted', async () => {
      const [id = ''] = await plant(1);
      const limits = { perRun: { count: 9, amount: 9000 }, perDay: { count: 1, amount: 9000 } };
      // It dies when it has reserved, and has not begun.
      const writes: string[] = [];
      const dying: Store = {
        ...store,
        read: (one) => store.read(one),
        write: (one) => store.write(one),
        readNote: (one) => store.readNote(one),
        listPlace: (query) => store.listPlace(query),
        writeNote: (one) => {
          writes.push(one.next.id);
          if (writes.length === 2) throw new Error('the process is gone');
          return store.writeNote(one);
        },
      };
      expect(outcomes(await settled({ store: dying, limits }, { limits }))).toEqual(['failed']);
      expect(await desk().settleReservations(operation)).toMatchObject([
        { finding: id, amount: 500, outcome: 'stays', claimId: undefined },
      ]);
      expect((await settlement({ limits }).plan(acted)).taken).toEqual({ count: 1, amount: 500 });
      expect(await desk().accept(id, acted)).toMatchObject({ outcome: 'accepted' });
      expect(await desk().settleReservations(operation)).toMatchObject([{ finding: id, outcome: 'given-back' }]);
      expect((await settlement({ limits }).plan(acted)).taken).toEqual({ count: 0, amount: 0 });
    });

    /** The store, with something that happens right before its first write of the count, or its first read of a finding. */
    function between(of: 'count' | 'finding', happens: () => Promise<unknown>): Store {
      let isOver = false;
      const first = async (is: boolean) => {
        if (!is || isOver) return;
        isOver = true;
        await happens();
      };
      return {
        read: (id) => store.read(id),
        write: (write) => store.write(write),
        listPlace: (query) => store.listPlace(query),
        async readNote(id) {
          await first(of === 'finding' && id.startsWith('#finding#'));
          return store.readNote(id);
        },
        async writeNote(write) {
          await first(of === 'count' && write.next.id.startsWith('#remedies#'));
          return store.writeNote(write);
        },
      };
    }

    it('gives back at once what it has reserved for a finding that an operator has accepted meanwhile', async () => {
      const [id = ''] = await plant(1);
      const accepting = between('count', () => desk().accept(id, acted));
      expect(await settled({ store: accepting }, {})).toMatchObject([{ outcome: 'stays', whyNot: 'not-open' }]);
      expect((await settlement().plan(acted)).taken).toEqual({ count: 0, amount: 0 });
      expect(provider.refunds).toEqual([]);
    });

    it('is not kept from its last remedy by a reservation that another run leaves behind while it goes on', async () => {
      const [first = '', last = ''] = await plant(2);
      await desk().accept(first, acted);
      const limits = { perRun: { count: 9, amount: 9000 }, perDay: { count: 1, amount: 9000 } };
      const left = { id: 'of a run that died', finding: first, amount: 500 };
      const leaving = between('finding', () => reserveIn({ store, host, operation }, left, limits));
      expect(outcomes(await settled({ store: leaving, limits }, { limits }))).toEqual(['settled']);
      expect(provider.refunds).toEqual([last]);
    });

    it('keeps the reservation of a remedy that failed, goes on under it, and gives it back if the remedy is rejected', async () => {
      const [id = ''] = await plant(1);
      let thrown: Error = new RetryableError('the bank is closed');
      const failing = { twice: remedy({ run: () => Promise.reject(thrown) }) };
      expect(outcomes(await settled({ remedies: failing }))).toEqual(['failed']);
      expect(await desk().settleReservations(operation)).toMatchObject([{ outcome: 'stays', status: 'released' }]);
      // What has begun ends with its remedy.
      expect(await desk().accept(id, acted)).toMatchObject({ outcome: 'not-open' });
      expect((await readFinding(store, id))?.accepted).toBeUndefined();
      thrown = new RejectedError('the card is closed');
      expect(await settled({ remedies: failing })).toMatchObject([{ outcome: 'stays', whyNot: 'rejected' }]);
      expect(await desk().settleReservations(operation)).toEqual([]);
      expect((await settlement().plan(acted)).taken.count).toBe(0);
      expect(await settled()).toEqual([]);
      expect(provider.refunds).toEqual([]);
      expect((await settlement().plan(acted)).items).toMatchObject([{ id, will: 'stay', whyNot: 'rejected' }]);
      expect(await desk().settleByHand(id, acted)).toMatchObject({ outcome: 'settled-by-hand' });
      expect(await openIds()).toEqual([]);
    });

    it('does not settle again what was settled by hand, also after its remedy has begun', async () => {
      const [first = '', second = ''] = await plant(2);
      const plan = await settlement().plan(acted);
      const byHand = { by: 'tom', note: 'transferred by hand' };
      expect(await desk().settleByHand(first, byHand)).toMatchObject({
        outcome: 'settled-by-hand',
        finding: { remedied: { how: 'by-hand', ...byHand } },
      });
      const failing = { twice: remedy({ run: () => Promise.reject(new RetryableError('closed')) }) };
      const went = await collect(settlement({ remedies: failing }).settle(plan));
      expect(went).toMatchObject([{ whyNot: 'not-open' }, { outcome: 'failed' }]);
      expect(await desk().settleByHand(second, byHand)).toMatchObject({ outcome: 'settled-by-hand' });
      expect(await desk().settleByHand(second, acted)).toMatchObject({ outcome: 'not-open' });
      await collect(settlement().settle(plan));
      expect(provider.refunds).toEqual([]);
      // The claim itself says so: a run that had begun finds it done.
      const { remedy: begun } = (await readFinding(store, second)) ?? {};
      expect(await store.read(begun?.claimId ?? '')).toMatchObject({ status: 'completed' });
      expect((await settlement().plan(acted)).taken.count).toBe(0);
    });

    it('does not let a person settle by hand what may have happened', async () => {
      const [id = ''] = await plant(1);
      const unknown = remedy({ onAbandoned: 'park', run: () => Promise.reject(new Error('no response')) });
      expect(outcomes(await settled({ remedies: { twice: unknown } }))).toEqual(['failed']);
      const { claimId } = (await readFinding(store, id))?.remedy ?? {};
      expect(await desk().settleByHand(id, acted)).toMatchObject({ outcome: 'under-remedy', claimId });
      expect(await settled({ remedies: { twice: unknown } })).toMatchObject([{ whyNot: 'parked', claimId }]);
      expect(await desk().settleReservations(operation)).toMatchObject([{ outcome: 'stays', status: 'parked' }]);
    });

    it('runs what needs an approval only after a second person has approved it', async () => {
      const [id = ''] = await plant(1);
      const remedies = { twice: remedy({ approval: 'required' }) };
      const as = (who: string) => ({ remedies, identity: async () => arnOf(who) });
      expect((await settlement({ remedies }).plan(acted)).items).toMatchObject([{ id, will: 'ask' }]);
      // Without an identity, nobody asks, and nobody approves.
      expect(await settled({ remedies })).toMatchObject([{ outcome: 'stays', whyNot: 'no-identity' }]);
      const noArn = { remedies, identity: async () => 'maria' };
      expect(await settled(noArn)).toMatchObject([{ outcome: 'stays', whyNot: 'no-identity' }]);
      expect(await desk('tom').approve(id, acted)).toMatchObject({ outcome: 'not-asked' });
      expect(await settled(as('maria'))).toMatchObject([{ outcome: 'asked', amount: 500 }]);
      expect(await settled(as('maria'))).toEqual([]);
      expect(await desk().approve(id, acted)).toMatchObject({ outcome: 'no-identity' });
      expect(await desk('maria').approve(id, acted)).toMatchObject({ outcome: 'own-request' });
      expect(provider.refunds).toEqual([]);
      expect(await desk('tom').approve(id, { by: 'tom', note: 'seen' })).toMatchObject({ outcome: 'approved' });
      expect(await desk('ada').approve(id, acted)).toMatchObject({ outcome: 'approved-before' });
      expect(outcomes(await settled(as('maria')))).toEqual(['settled']);
      expect(provider.refunds).toEqual([id]);
      expect(await readFinding(store, id)).toMatchObject({
        request: { identity: arnOf('maria'), amount: 500 },
        approval: { identity: arnOf('tom'), by: 'tom' },
      });
    });

    it('takes an approval for the amount alone that was asked for', async () => {
      const [id = ''] = await plant(1);
      const of = (cents: number) => ({
        remedies: { twice: remedy({ approval: 'required', amountOf: () => cents }) },
        identity: async () => arnOf('maria'),
      });
      await settled(of(500));
      await desk('tom').approve(id, acted);
      expect(await settled(of(50_000))).toMatchObject([{ outcome: 'asked', amount: 50_000 }]);
      expect(await readFinding(store, id)).not.toHaveProperty('approval');
      expect(await settled(of(50_000))).toEqual([]);
      expect(provider.refunds).toEqual([]);
    });

    it('leaves alone what has no remedy, or no amount', async () => {
      await plant(1, { kind: 'missing-there' });
      const [id = ''] = await plant(1);
      expect(await settled({ remedies: { twice: remedy({ amountOf: () => 0.5 }) } })).toEqual([]);
      const { items } = await settlement({ remedies: { twice: remedy({ amountOf: () => -1 }) } }).plan(acted);
      expect(items).toEqual([{ id, will: 'stay', whyNot: 'no-amount' }]);
      const named = await settlement({ operation: 'pay' }).plan({ ...acted, findings: [id, 'nothing'] });
      expect(named.items).toMatchObject([{ whyNot: 'no-remedy' }, { whyNot: 'unknown-finding' }]);
    });
  });
}
