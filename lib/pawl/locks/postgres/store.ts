import { sleep } from '../../kernel/host.ts';
import { pauseMs } from '../../kernel/retry.ts';
import { expectOptions } from '../../kernel/take-options.ts';
import { isHopeless, isUndone } from '../../stores/postgres/errors.ts';
import { notesIn } from '../../stores/postgres/notes.ts';
import { parametersOf, recordOf, textOf } from '../../stores/postgres/row.ts';
import { openTable, type PostgresTableOptions, postgresTableOptionNames } from '../../stores/postgres/table.ts';
import { knownLock } from '../known-lock.ts';
import type { StoredRecord } from '../record.ts';
import { type LockStore, type LockWrite, type LockWriteResult, lockState, type OperatesLocks } from '../store.ts';

/** As many records as one statement takes well: three of them lock 3,000 debts. */
const mostWrites = 1000;

/** How often a statement is sent that met another transaction, or whose connection died. */
const mostTries = 4;

/**
 * Locks in a table of PostgreSQL: the claims table, or another one of the same migration.
 *
 * The role needs `SELECT`, `INSERT` and `UPDATE` on the table.
 *
 * @throws OptionError at once when an option is wrong
 * @example
 * import { Pool } from 'pg';
 * import { resourceLocks } from 'pawl/locks';
 *
 * const locks = resourceLocks({ store: postgresLockStore({ pool: new Pool() }) });
 */
export function postgresLockStore(options: PostgresTableOptions): LockStore & OperatesLocks {
  expectOptions(options, {
    door: 'postgresLockStore',
    known: postgresTableOptionNames,
    docs: 'docs/guides/postgres.md',
  });
  const table = openTable(options);
  const { statements, host } = table;

  /** Sends again what may pass. The condition refuses the copy of writes that were applied, and their worker recognises them. */
  async function insist(text: string, values: readonly unknown[]): Promise<readonly object[]> {
    for (let failures = 1; ; failures++) {
      try {
        return await table.ask(text, values);
      } catch (error) {
        if (isHopeless(error) || failures >= mostTries) throw error;
      }
      await sleep(host, pauseMs(host, failures));
    }
  }

  async function read(ids: readonly string[]): Promise<readonly (StoredRecord | undefined)[]> {
    const rows = await insist(statements.read, [ids.map(textOf)]);
    const found = new Map(rows.map((row) => [Reflect.get(row, 'id'), row]));
    return ids.map((id) => {
      const row = found.get(textOf(id));
      return row && knownLock(recordOf(row), id);
    });
  }

  /** Whether writes were applied, all of them. */
  async function writeAll(writes: readonly LockWrite[]): Promise<boolean> {
    const given = writes.map(({ next, seen }) => ({ next, state: lockState(next), seen: seen && lockState(seen) }));
    try {
      const [row = {}] = await insist(statements.writeAll, parametersOf(given));
      return Reflect.get(row, 'applied') === true;
    } catch (error) {
      if (isUndone(error)) return false;
      throw error;
    }
  }

  async function write(writes: readonly LockWrite[]): Promise<LockWriteResult> {
    if (await writeAll(writes)) return { applied: true };
    return { applied: false, found: await read(writes.map(({ next }) => next.id)) };
  }

  return {
    most: mostWrites,
    read,
    write,
    listPlace: notesIn(table).listPlace,
    update: (one) => write([one]),
  };
}
