import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sdk } from '../../../lib/pawl/aws/sdk.ts';
import { nodeHost } from '../../../lib/pawl/host.ts';
import type { Host } from '../../../lib/pawl/kernel/host.ts';
import type { Destination } from '../../../lib/pawl/outbox/destination.ts';
import { type PostgresOutbox, postgresOutbox } from '../../../lib/pawl/outbox/index.ts';
import { statementsOf } from '../../../lib/pawl/outbox/postgres/statements.ts';
import type { OutboxRecord } from '../../../lib/pawl/outbox/record.ts';
import { type PostgresPool, postgresMigration } from '../../../lib/pawl/postgres/index.ts';
import { deleteExpired } from '../../../lib/pawl/stores/postgres/retention.ts';
import { textOf } from '../../../lib/pawl/stores/postgres/row.ts';
import { quoted } from '../../../lib/pawl/stores/postgres/table.ts';
import { createRandom } from '../../../lib/testing/laws/records.ts';

/** A database with the table of an outbox that nobody else uses. */
export interface OutboxDatabase {
  readonly pool: PostgresPool;
  /** As another process has it. */
  readonly elsewhere: PostgresPool;
  readonly table: string;
  readonly host: Host;
}

/** A table of its own in a database that others use. */
export async function outboxTableOf({
  pool,
  elsewhere,
}: Pick<OutboxDatabase, 'pool' | 'elsewhere'>): Promise<OutboxDatabase> {
  const table = `outbox_${randomUUID().replaceAll('-', '')}`;
  const connection = await pool.connect();
  for (const statement of postgresMigration({ outboxTable: table }).sql.split(/;$/m)) await connection.query(statement);
  connection.release();
  return { pool, elsewhere, table, host: nodeHost };
}

const fifo = 'https://sqs.eu-west-1.amazonaws.com/123456789012/receipts.fifo';
const standard = 'https://sqs.eu-west-1.amazonaws.com/123456789012/receipts';
const halfAMinute = 30_000;
const aDay = 24 * 3_600_000;

/**
 * What the statements of an outbox do in PostgreSQL. They hold on a server, and on the simulated one that reads the statements by their texts: what the
 * simulation believes of rows, locks and snapshots is what a server does.
 *
 * @param runs how many random histories are tried
 */
export function outboxLaws(name: string, open: () => Promise<OutboxDatabase>, runs: number): void {
  describe(`postgresOutbox on ${name}`, () => {
    let database: OutboxDatabase;
    let passedMs = 0;
    let here: Process;
    let there: Process;
    let group = '';

    beforeAll(async () => {
      database = await open();
    });
    beforeEach(async () => {
      const { pool, elsewhere, table, host } = database;
      const at = { ...host, now: () => host.now() + passedMs };
      [here, there] = [pool, elsewhere].map((of) => processOf(of, table, at)) as [Process, Process];
      for (const one of await here.all()) await here.store.discard(one);
      group = randomUUID();
    });

    function pass(ms: number): void {
      passedMs += ms;
    }
    const numbers = async (of = group) => (await here.lane(of)).map(({ n }) => n);

    it('numbers a group from 1 without gaps, also where a transaction is undone', async () => {
      await here.commit([{ group, key: 'a' }]);
      await here.commit([{ group, key: 'undone' }], 'ROLLBACK');
      await there.commit([
        { group, key: 'b' },
        { group, key: 'c' },
      ]);
      expect((await here.lane(group)).map(({ n, key }) => [n, key])).toEqual([
        [1, 'a'],
        [2, 'b'],
        [3, 'c'],
      ]);
    });

    it('has the second of two open commits of a group wait for the first, go behind it, and know that it lies there', async () => {
      const first = await here.begin([{ group, key: 'first' }]);
      const second = there.begin([{ group, key: 'second' }]);
      const { sendNow: sendFirst } = await first.end('COMMIT');
      const { sendNow: sendSecond } = await (await second).end('COMMIT');
      expect((await here.lane(group)).map(({ key }) => key)).toEqual(['first', 'second']);
      await sendSecond(1000);
      await sendFirst(1000);
      expect([...there.sent, ...here.sent]).toEqual(['first']);
    });

    it('does not have it wait where the first is undone, and gives it the number', async () => {
      const first = await here.begin([{ group, key: 'undone' }]);
      const second = there.begin([{ group, key: 'second' }]);
      await first.end('ROLLBACK');
      const { sendNow } = await (await second).end('COMMIT');
      expect(await numbers()).toEqual([1]);
      await sendNow(1000);
      expect([there.sent, await numbers()]).toEqual([['second'], []]);
    });

    it('makes commits of other groups, and messages without one, wait for nobody', async () => {
      const open = await here.begin([{ group, key: 'open' }]);
      await there.commit([{ group: `${group}-other`, key: 'other' }, { key: 'alone' }]);
      expect((await here.all()).map(({ key }) => key).toSorted()).toEqual(['alone', 'other']);
      await open.end('COMMIT');
    });

    it('comes to an end where two commits name the same groups in opposite orders', async () => {
      const other = `${group}-other`;
      const both = async ({ commit }: Process, groups: readonly string[]) => {
        for (let n = 0; n < 5; n++) await commit(groups.map((one) => ({ group: one, key: `${one}-${n}` })));
      };
      await Promise.all([both(here, [group, other]), both(there, [other, group])]);
      expect([await numbers(), await numbers(other)]).toEqual([oneTo(10), oneTo(10)]);
    });

    it('keeps what one sender has found due from another for half a minute', async () => {
      for (let n = 0; n < 30; n++) await here.commit([{ key: `${n}` }]);
      const now = here.now();
      const lists = await Promise.all([here.due(now, 10), there.due(now, 10)]);
      const found = lists.flat();
      expect(new Set(found).size).toBe(found.length);
      expect(Math.max(...lists.map((one) => one.length))).toBe(10);
      const rest = await there.due(now, 100);
      expect(new Set([...found, ...rest]).size).toBe(30);
      expect(found.length + rest.length).toBe(30);
      expect(await here.due(now, 100)).toEqual([]);
      pass(halfAMinute);
      expect(await here.due(now, 100)).toHaveLength(30);
    });

    it('finds what is due beside a row that a transaction is at, and does not wait for it', async () => {
      await here.commit([{ group, key: 'a' }, { key: 'b' }]);
      const [locked] = (await here.lane(group)) as [OutboxRecord];
      const connection = await database.pool.connect();
      await connection.query('BEGIN');
      const { park } = statementsOf(quoted(database.table));
      await connection.query(park, [textOf(locked.id), locked.n, locked.uid, null]);
      // A sender that waits would wait for ever: then it finds the row, and more than is expected.
      const patience = setTimeout(() => connection.query('ROLLBACK'), 20_000);
      const found = await there.due(there.now(), 10).finally(async () => {
        clearTimeout(patience);
        await connection.query('ROLLBACK');
        connection.release();
      });
      expect(found).toHaveLength(1);
      expect(found).not.toContain(locked.id);
    });

    it('finds again what a sender has parked, and does not hold it; what an operator retries is due at once', async () => {
      await here.commit([{ group, key: 'refused' }]);
      const [place] = await here.lane(group);
      await here.due(here.now(), 10);
      expect(await there.store.park(place as OutboxRecord, { name: 'Refused', message: 'no' })).toBe(true);
      expect([await here.due(here.now(), 10), await there.due(there.now(), 10)]).toEqual([[place?.id], [place?.id]]);
      expect((await there.lane(group))[0]?.parked).toEqual({ name: 'Refused', message: 'no' });
      expect(await there.store.park(place as OutboxRecord, undefined)).toBe(true);
      expect([await here.due(here.now(), 10), await there.due(there.now(), 10)]).toEqual([[place?.id], []]);
    });

    it('removes and parks a message by its uid alone', async () => {
      await here.commit([{ group, key: 'a' }]);
      const [place] = (await here.lane(group)) as [OutboxRecord];
      const other = { ...place, uid: randomUUID() };
      await here.store.remove(other);
      expect(await here.store.discard(other)).toBe(false);
      expect(await here.store.park(other, { name: 'Refused', message: 'no' })).toBe(false);
      expect(await here.lane(group)).toEqual([place]);
      expect([await here.store.discard(place), await here.store.discard(place)]).toEqual([true, false]);
    });

    it('goes on behind what lies there when the counter of an idle group has ended', async () => {
      await here.commit([
        { group, key: 'a' },
        { group, key: 'b' },
      ]);
      const [first] = (await here.lane(group)) as [OutboxRecord];
      await here.store.remove(first);
      pass(aDay + 2 * 3_600_000);
      expect(await there.endCounters()).toBeGreaterThan(0);
      await there.commit([{ group, key: 'c' }]);
      expect(await numbers()).toEqual([2, 3]);
      for (const one of await here.lane(group)) await here.store.remove(one);
      pass(aDay + 2 * 3_600_000);
      await here.endCounters();
      await here.commit([{ group, key: 'd' }]);
      expect(await numbers()).toEqual([1]);
    });

    it('pages through a lane, a list and what is due, and leaves nothing out', async () => {
      await here.commit(oneTo(60).map((n) => ({ group, key: `${n}` })));
      const first = await here.store.lane((await here.lane(group))[0]?.id ?? '', 0);
      expect(first.length).toBeLessThan(60);
      expect(await numbers()).toEqual(oneTo(60));
      for (let n = 0; n < 6; n++) {
        await there.commit(oneTo(10).map((at) => ({ key: `${n}-${at}` })));
        pass(1);
      }
      const all = await here.all();
      expect(all).toHaveLength(120);
      const order = all.map(({ committedAt }) => committedAt);
      expect(order).toEqual(order.toSorted((a, b) => a - b));
      expect(new Set((await here.allDue(here.now(), 7)).map(({ id }) => id)).size).toBe(61);
    });

    it('has every message sent once and in order, by commits and senders that work side by side', async () => {
      const groups = [1, 2, 3].map((n) => `${group}-${n}`);
      const sent = new Map<string, number[]>();
      let isOver = false;
      async function sends(process: Process): Promise<void> {
        for (;;) {
          const wasOver = isOver;
          const lanes = await process.due(process.now(), 2);
          for (const id of lanes) {
            const [head] = await process.store.lane(id, 0);
            if (head === undefined) continue;
            sent.set(id, [...(sent.get(id) ?? []), head.n]);
            await process.store.remove(head);
          }
          if (wasOver && lanes.length === 0) return;
        }
      }
      const commits = async ({ commit }: Process, from: number) => {
        for (let n = 0; n < 12; n++) await commit([{ group: groups[(from + n) % 3] as string, key: `${from}-${n}` }]);
      };
      const sending = [sends(here), sends(there)];
      await Promise.all([commits(here, 0), commits(there, 1), commits(here, 2)]).finally(() => {
        isOver = true;
      });
      await Promise.all(sending);
      expect([...sent.values()].map((ns) => ns.length)).toEqual([12, 12, 12]);
      for (const ns of sent.values()) expect(ns).toEqual(oneTo(12));
    });

    it.each(oneTo(runs))('answers as a list in memory does, in history %i', async (seed) => {
      const { next: random, below: upTo } = createRandom(seed);
      const groups = [undefined, `${group}-1`, `${group}-2`];
      let model: readonly Lying[] = [];
      const counted = new Map<string, number>();
      const trace: unknown[] = [];
      for (let step = 0; step < 40; step++) {
        pass(1 + upTo(4) * 5000);
        const process = random() < 0.5 ? here : there;
        const now = process.now();
        const one = model[upTo(model.length)];
        const place = random() < 0.2 && one ? { ...one, uid: randomUUID() } : one;
        const isThere = place !== undefined && place === one;
        const kind = upTo(8);
        trace.push([seed, step, kind]);
        if (kind < 3) {
          const messages = oneTo(1 + upTo(3)).map((n) => ({ group: groups[upTo(3)], key: `${step}-${n}` }));
          const isUndone = random() < 0.2;
          await process.commit(messages, isUndone ? 'ROLLBACK' : 'COMMIT');
          if (isUndone) continue;
          const keys = messages.map(({ key }) => key);
          const written = (await process.all()).filter(
            ({ key, n, id }) => keys.includes(key) && !model.some(at({ id, n })),
          );
          expect(written.map(({ key }) => key).toSorted(), String(trace)).toEqual(keys.toSorted());
          for (const { key, group: of } of messages) {
            const record = written.find((each) => each.key === key) as OutboxRecord;
            const n = of === undefined ? 1 : (counted.get(record.id) ?? 0) + 1;
            counted.set(record.id, n);
            expect(record.n, String(trace)).toBe(n);
            model = [...model, { ...record, heldUntil: 0 }];
          }
        } else if (kind === 3) {
          const most = 1 + upTo(4);
          const before = now - upTo(20_000);
          const heads = model
            .filter(({ id, n }) => !model.some((other) => other.id === id && other.n < n))
            .filter(({ committedAt, heldUntil }) => committedAt <= before && heldUntil <= now)
            .toSorted((a, b) => a.committedAt - b.committedAt || (a.id < b.id ? -1 : 1))
            .slice(0, most);
          expect(
            (await process.store.due(before, most)).messages.map(({ id }) => id),
            String(trace),
          ).toEqual(heads.map(({ id }) => id));
          model = model.map((each) =>
            heads.includes(each) && each.parked === undefined ? { ...each, heldUntil: now + halfAMinute } : each,
          );
        } else if (place !== undefined && kind < 6) {
          expect(await process.store.discard(place), String(trace)).toBe(isThere);
          if (isThere) model = model.filter((each) => each !== one);
        } else if (place !== undefined) {
          const error = kind === 6 ? { name: 'Refused', message: `at ${step}` } : undefined;
          expect(await process.store.park(place, error), String(trace)).toBe(isThere);
          if (isThere) model = model.map((each) => (each === one ? { ...each, parked: error, heldUntil: 0 } : each));
        }
        expect(shown(await process.all()), String(trace)).toEqual(shown(model));
      }
    });
  });
}

type Lying = OutboxRecord & { readonly heldUntil: number };

const at = (place: Pick<OutboxRecord, 'id' | 'n'>) => (other: Pick<OutboxRecord, 'id' | 'n'>) =>
  other.id === place.id && other.n === place.n;

/** In the order of a list. */
function shown(records: readonly OutboxRecord[]): readonly unknown[] {
  return records
    .map(({ id, n, uid, key, committedAt, parked }) => ({ id, n, uid, key, committedAt, parked }))
    .toSorted((a, b) => a.committedAt - b.committedAt || (a.id === b.id ? a.n - b.n : a.id < b.id ? -1 : 1));
}

interface Given {
  readonly group?: string | undefined;
  readonly key: string;
}

type End = 'COMMIT' | 'ROLLBACK';
type Process = ReturnType<typeof processOf>;

/** A process with an outbox, and what it has sent. */
function processOf(pool: PostgresPool, table: string, host: Host) {
  const sent: string[] = [];
  const destination: Destination = {
    name: 'recorded',
    address: 'anything',
    takes: () => true,
    problem: () => undefined,
    mostBytes: 100_000,
    takesPointers: false,
    bytesBeside: () => 0,
    send: async ({ key }) => void sent.push(key),
  };
  const outbox: PostgresOutbox = postgresOutbox({
    ...{ pool, table, host, aws: sdk({}), destinations: [destination] },
    onEvent: () => undefined,
  });
  const { store } = outbox;

  /** Writes messages in a transaction that stays open. */
  async function begin(messages: readonly Given[]) {
    const connection = await pool.connect();
    await connection.query('BEGIN');
    const drafts = messages.map(({ group, key }) =>
      outbox.message({
        to: group === undefined ? standard : fifo,
        key,
        body: {},
        ...(group !== undefined && { group }),
      }),
    );
    const ends = async (end: End) => {
      await connection.query(end);
      connection.release();
    };
    try {
      const inserted = await outbox.insert(connection, drafts);
      return { end: (end: End) => ends(end).then(() => inserted) };
    } catch (error) {
      await ends('ROLLBACK');
      throw error;
    }
  }

  const all = () => pagesOf(store.list);

  return {
    sent,
    store,
    begin,
    all,
    now: host.now,
    commit: async (messages: readonly Given[], end: End = 'COMMIT') => (await begin(messages)).end(end),
    /** All messages of a group, page by page. */
    async lane(group: string): Promise<readonly OutboxRecord[]> {
      const id = (await all()).find((one) => one.group === group)?.id;
      const found: OutboxRecord[] = [];
      for (;;) {
        const page = id === undefined ? [] : await store.lane(id, found.at(-1)?.n ?? 0);
        if (page.length === 0) return found;
        found.push(...page);
      }
    },
    /** The lanes that are due: the first page of them. */
    due: async (before: number, most: number) => (await store.due(before, most)).messages.map(({ id }) => id),
    allDue: (before: number, most: number) => pagesOf((cursor) => store.due(before, most, cursor)),
    endCounters: () => deleteExpired({ pool, table, host }),
  };
}

async function pagesOf<Item>(
  read: (cursor?: string) => Promise<{ readonly messages: readonly Item[]; readonly cursor: string | undefined }>,
): Promise<readonly Item[]> {
  const { messages, cursor } = await read();
  const found = [...messages];
  for (let next = cursor; next !== undefined; ) {
    const page = await read(next);
    found.push(...page.messages);
    next = page.cursor;
  }
  return found;
}

function oneTo(n: number): readonly number[] {
  return Array.from({ length: n }, (_, index) => index + 1);
}
