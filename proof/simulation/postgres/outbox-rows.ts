import { fieldsOf, toItem } from '../../../lib/pawl/stores/dynamodb/item.ts';
import type { Item } from '../dynamodb/table.ts';
import type { World } from '../world/world.ts';
import { type Answer, serverError } from './answer.ts';
import { orderOf, type Row, type Scope } from './expression.ts';
import { type Find, type OutboxStatement, rowOf, type Sets } from './outbox-statement.ts';
import type { Transaction } from './transactions.ts';

/*
 * What a statement over the table of an outbox does, in READ COMMITTED.
 *
 * 1. A statement sees what was committed when it began, and what its own transaction has written.
 * 2. A moment passes before it writes. A row that another transaction has then is waited for, and looked at again as it is after that.
 * 3. A row in the place of a new one is changed as it is, whether or not the statement saw it as it began.
 */

/** One statement that is carried out in a transaction. */
export interface Carrying {
  readonly world: World;
  readonly items: ReadonlyMap<string, Item>;
  readonly tx: Transaction;
  lock(key: string, locked: () => void): void;
  isFree(key: string): boolean;
  unlock(key: string): void;
  isGone(): boolean;
  done(answer: Answer): void;
}

/** How long a statement is at work before it writes, in milliseconds. */
const mostMs = 4;

export function carryOutOutbox(statement: OutboxStatement, parameters: readonly unknown[], carrying: Carrying): void {
  const { world, items, tx, lock, unlock, isFree, isGone, done } = carrying;

  const current = (key: string) => (tx.writes.has(key) ? tx.writes.get(key) : items.get(key));
  const newest = (key: string) => rowOfItem(current(key));
  const keyOf = ({ id, n }: Row) => `${id} ${n}`;
  const seen = [...new Set([...items.keys(), ...tx.writes.keys()])].flatMap((key) => {
    const row = current(key)?.['n'] && newest(key);
    return row ? [row] : [];
  });
  const write = (row: Row) => void tx.writes.set(keyOf(row), toItem(row));
  const scopeOf = (rows: Scope['rows']): Scope => ({ rows, parameters, table: seen });
  const ofRow = (row: Row, { alias }: Pick<Find, 'alias'>) => scopeOf({ '': row, [alias]: row });
  const shown = (all: readonly Row[], shows: Sets, find: Pick<Find, 'alias'>) =>
    all.map((row) => asDriver(rowOf(shows, ofRow(row, find))));
  const soon = (run: () => void) => void world.after(world.random.between(0, mostMs), () => isGone() || run());

  function matching(find: Find): readonly Row[] {
    const found = seen.filter((row) => find.where(ofRow(row, find)) === true);
    const order = (row: Row) => find.order.map((one) => one(ofRow(row, find)));
    return found.toSorted((one, other) => orderOf(order(one), order(other)) ?? 0);
  }

  /** Finds rows, and locks them where the statement says so. */
  function found(find: Find, then: (rows: readonly Row[]) => void): void {
    const most = find.limit === undefined ? Infinity : Number(find.limit(scopeOf({})));
    const all = matching(find);
    if (find.locks === 'none') {
      then(all.slice(0, most));
      return;
    }
    const rows: Row[] = [];
    each(
      all,
      (row, next) => {
        const key = keyOf(row);
        if (rows.length >= most || (find.locks === 'skip' && !isFree(key))) return next();
        lock(key, () => {
          const now = newest(key);
          if (now !== undefined && find.where(ofRow(now, find)) === true) rows.push(now);
          else unlock(key);
          next();
        });
      },
      () => then(rows),
    );
  }

  function change({ find, joins, sets, found: shows }: Extract<OutboxStatement, { kind: 'change' }>): void {
    found(find, (heads) => {
      const joined = (row: Row) =>
        heads.some((one) => {
          const of = ofRow(one, find);
          const heads = rowOf(shows, of);
          return joins?.({ ...of, rows: { '': row, [find.alias]: row, heads } }) === true;
        });
      const changed = joins === undefined ? heads : seen.filter(joined);
      const act = () =>
        each(
          changed,
          (row, next) =>
            lock(keyOf(row), () => {
              const now = newest(keyOf(row));
              if (now === undefined) return next();
              if (sets === 'delete') tx.writes.set(keyOf(now), undefined);
              else write(withSets(now, sets, ofRow(now, find)));
              next();
            }),
          () => done({ rows: shown(heads, shows, find), command: 'SELECT' }),
        );
      if (joins === undefined) act();
      else soon(act);
    });
  }

  function upsert({ alias, values, sets, shows }: Extract<OutboxStatement, { kind: 'upsert' }>): void {
    const excluded = rowOf(values, scopeOf({}));
    const key = keyOf(excluded);
    soon(() =>
      lock(key, () => {
        const row = newest(key);
        const next = row ? withSets(row, sets, scopeOf({ '': row, [alias]: row, excluded })) : excluded;
        write(next);
        done({ rows: shown([next], shows, { alias }), command: 'INSERT' });
      }),
    );
  }

  function insert({ values, lists, find }: Extract<OutboxStatement, { kind: 'insert' }>): void {
    const lanes = [...new Set(matching(find).map(({ id }) => id))].map((id) => ({ id }));
    const given = lists.map(([name, list]) => [name, list(scopeOf({})) as readonly unknown[]] as const);
    const rows = (given[0]?.[1] ?? []).map((_, index) => {
      const one = Object.fromEntries(given.map(([name, list]) => [name, list[index]]));
      return rowOf(values, scopeOf({ '': one }));
    });
    const insertOne = (row: Row, next: () => void) =>
      lock(keyOf(row), () => {
        if (current(keyOf(row)) !== undefined) done({ error: serverError('23505', 'duplicate key') });
        else {
          write(row);
          next();
        }
      });
    soon(() => each(rows, insertOne, () => done({ rows: lanes, command: 'SELECT' })));
  }

  if (statement.kind === 'upsert') upsert(statement);
  else if (statement.kind === 'insert') insert(statement);
  else if (statement.kind === 'change') soon(() => change(statement));
  else {
    const { find, shows } = statement;
    found(find, (rows) => done({ rows: shown(rows, shows, find), command: 'SELECT' }));
  }
}

const rowsOfItems = new WeakMap<Item, Row>();

/** An item is never changed, and looked at by many statements. */
function rowOfItem(item: Item | undefined): Row | undefined {
  if (item === undefined) return undefined;
  const row = rowsOfItems.get(item) ?? (fieldsOf(item) as Row);
  rowsOfItems.set(item, row);
  return row;
}

function withSets(row: Row, sets: Sets, scope: Scope): Row {
  const names = sets.map(([name]) => name);
  return {
    ...Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name))),
    ...rowOf(sets, scope),
  };
}

/** A row as the driver has it: `bigint` is a text, and NULL is null. */
function asDriver({ n, counted, ...row }: Row): Row {
  const whole = {
    ...(n !== undefined && { n: String(n) }),
    ...(counted !== undefined && { counted: String(counted) }),
  };
  return { parked: null, ...row, ...whole };
}

/** One after the other; `step` says when it has ended. */
export function each<T>(all: readonly T[], step: (one: T, next: () => void) => void, ended: () => void): void {
  const from = (index: number): void => {
    if (index >= all.length) ended();
    else step(all[index] as T, () => from(index + 1));
  };
  from(0);
}
