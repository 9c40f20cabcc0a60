import { fieldsOf, toItem } from '../../../lib/pawl/stores/dynamodb/item.ts';
import { textFrom, textOf } from '../../../lib/pawl/stores/postgres/row.ts';
import { blockId } from '../doors/parts-of-job.ts';
import type { Item, OnWrite, SimulatedTable } from '../dynamodb/table.ts';
import type { Sandbox } from '../lambda/sandbox.ts';
import type { World } from '../world/world.ts';
import { type Answer, serverError } from './answer.ts';
import { carryOutOutbox, each } from './outbox-rows.ts';
import { type ClaimsWrite, type Understood, understand } from './statement.ts';
import { createRows, noTransaction, type Transaction } from './transactions.ts';

/*
 * PostgreSQL, as far as a store of claims, an outbox and an application's counters need it: READ COMMITTED, row locks, and `ON CONFLICT`.
 *
 * Owns: what a statement sees, what it waits for, and what of it is there after a commit, a crash or a failover. The committed rows are the items of the
 * table that the oracle looks at. Does not own: what gets lost on the way to it.
 */

/** A connection from inside of the server. */
export interface Session {
  /** Carries a statement out, when those before it have ended. */
  execute(text: string, values: readonly unknown[], done: (answer: Answer) => void): void;
  /** A statement fails with this error of the server's, in place of being carried out. */
  fail(text: string, error: Error, done: (answer: Answer) => void): void;
  /** Its client has gone: what it has sent is carried out, and what is open then is undone. */
  close(): void;
}

export interface SimulatedDatabase {
  /** @param isSpared a failover leaves it alone, as those who only look on meet no faults */
  connect(writer: Sandbox, onWait: () => void, isSpared: boolean): Session;
  /** Another server takes over: what is not committed is undone, and every connection is dead. */
  failOver(): void;
}

interface Open {
  /** That of its client. */
  transaction: Transaction | undefined;
  /** That of a statement by itself, while it is carried out. */
  alone: Transaction | undefined;
  isClosed: boolean;
  isDead: boolean;
  readonly writer: Sandbox;
  readonly onWait: () => void;
  readonly isSpared: boolean;
  idleMs: number;
  stopIdle: () => void;
  readonly queue: (() => void)[];
  isBusy: boolean;
}

export function simulatedDatabase(
  world: World,
  table: SimulatedTable<Sandbox>,
  onWrite: OnWrite<Sandbox>,
): SimulatedDatabase {
  const rows = createRows((run) => world.after(0, run));
  const sessions = new Set<Open>();

  const rowOf = (tx: Transaction, id: string) => tx.writes.get(id) ?? table.items.get(id);

  function end(tx: Transaction, commits: boolean, { writer }: Open): void {
    if (tx.isOver) return;
    for (const [id, after] of commits ? tx.writes : []) {
      const before = table.items.get(id);
      if (after === undefined) {
        if (before) table.remove(before);
        continue;
      }
      table.put(after);
      onWrite(writer, before, after);
    }
    rows.end(tx);
  }

  function undo(open: Open): void {
    open.stopIdle();
    for (const tx of [open.transaction, open.alone]) if (tx) end(tx, false, open);
    open.transaction = undefined;
    open.alone = undefined;
  }

  /** What a transaction has written is gone with the first statement of it that fails, and so are its locks. */
  function abort(open: Open): void {
    if (open.transaction === undefined) return;
    open.transaction.failed = true;
    end(open.transaction, false, open);
  }

  function locking(open: Open, tx: Transaction, failed: (error: Error) => void) {
    return (id: string, locked: () => void) => {
      let waits = true;
      const had = () => {
        waits = false;
        if (!open.isDead) locked();
      };
      rows.lock(tx, id, had, () => {
        waits = false;
        failed(serverError('40P01', 'deadlock detected'));
      });
      if (waits) open.onWait();
    };
  }

  function write(
    open: Open,
    tx: Transaction,
    { compares, locksFirst, overwrites, columns }: ClaimsWrite,
    values: readonly unknown[],
    done: (answer: Answer) => void,
  ): void {
    const lists = new Map(columns.map((name, index) => [name, values[index] as readonly unknown[]]));
    const ids = (lists.get('id') ?? []).map((id) => textFrom(String(id)));
    const given = ids.map((id, index) => {
      const at = (name: string) => lists.get(name)?.[index] ?? undefined;
      const next = toItem(JSON.parse(String(at('record'))));
      return {
        id,
        next,
        seen: at('seen_rev') === undefined ? undefined : { claim_id: at('seen_claim_id'), rev: at('seen_rev') },
      };
    });
    const failed = (error: Error) => done({ error });
    const lock = locking(open, tx, failed);
    const sorted = given.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    // What the statement's snapshot shows: a row that is inserted later is none that it could lock.
    const there = new Map(sorted.flatMap(({ id }) => (rowOf(tx, id) ? [[id, rowOf(tx, id)]] : [])));
    const locked = sorted.filter(({ id, seen }) => seen !== undefined && there.has(id));
    const applied: string[] = [];
    const isSame = (row: Item | undefined, seen: Readonly<Record<'claim_id' | 'rev', unknown>> | undefined) =>
      seen !== undefined &&
      (!compares.has('claim_id') || textOf(row?.['claimId']?.S ?? '') === seen.claim_id) &&
      (!compares.has('rev') || Number(row?.['rev']?.N) === Number(seen.rev));

    function update(): void {
      each(
        locked,
        ({ id, next, seen }, goOn) => {
          if (!isSame(locksFirst ? rowOf(tx, id) : there.get(id), seen)) return goOn();
          lock(id, () => {
            tx.writes.set(id, next);
            applied.push(id);
            goOn();
          });
        },
        insert,
      );
    }

    function insert(): void {
      each(
        sorted.filter(({ seen }) => seen === undefined),
        ({ id, next }, goOn) => {
          const had = tx.locks.has(id);
          lock(id, () => {
            if (rowOf(tx, id) === undefined || overwrites) {
              tx.writes.set(id, next);
              applied.push(id);
            } else if (!had) rows.unlock(tx, id);
            goOn();
          });
        },
        () => done({ rows: applied.map((id) => ({ id: textOf(id) })), command: 'SELECT' }),
      );
    }

    if (locksFirst) each(locked, ({ id }, goOn) => lock(id, goOn), update);
    else update();
  }

  function carryOut(
    open: Open,
    tx: Transaction,
    what: Understood,
    values: readonly unknown[],
    done: (answer: Answer) => void,
  ) {
    const lock = locking(open, tx, (error) => done({ error }));
    switch (what.kind) {
      case 'write':
        return write(open, tx, what.write, values, done);
      case 'read': {
        const found = (values[0] as readonly string[]).flatMap((id) => {
          const item = rowOf(tx, textFrom(id));
          return item === undefined ? [] : [{ id, record: JSON.stringify(fieldsOf(item)) }];
        });
        return done({ rows: found, command: 'SELECT' });
      }
      case 'count': {
        const id = String(values[0]);
        return lock(id, () => {
          tx.writes.set(id, { id: { S: id }, times: { N: String(Number(rowOf(tx, id)?.['times']?.N ?? 0) + 1) } });
          done({ rows: [], command: 'INSERT' });
        });
      }
      case 'outbox':
        return carryOutOutbox(what.statement, values, {
          ...{ world, items: table.items, tx, lock, done },
          isFree: (key) => rows.isFree(tx, key),
          unlock: (key) => rows.unlock(tx, key),
          isGone: () => open.isDead || tx.isOver,
        });
      case 'check':
        return table.items.has(blockId(String(values[0])))
          ? done({ error: serverError('23514', 'the account is closed') })
          : done({ rows: [], command: 'INSERT' });
      default:
        return done({ error: serverError('42601', `${what.kind} here is not understood`) });
    }
  }

  /** What needs no row. */
  function atOnce(open: Open, what: Understood): Answer | undefined {
    switch (what.kind) {
      case 'begin':
        open.transaction = noTransaction();
        open.idleMs = what.idleMs;
        return { rows: [], command: 'SET' };
      case 'commit':
      case 'rollback': {
        const commits = what.kind === 'commit' && open.transaction?.failed === false;
        if (open.transaction) end(open.transaction, commits, open);
        open.transaction = undefined;
        return { rows: [], command: commits ? 'COMMIT' : 'ROLLBACK' };
      }
      default:
        return open.transaction?.failed ? { error: serverError('25P02', 'the transaction is aborted') } : undefined;
    }
  }

  function run(open: Open, text: string, values: readonly unknown[], done: (answer: Answer) => void): void {
    const what = understand(text);
    open.stopIdle();
    const answer = atOnce(open, what);
    if (answer !== undefined) {
      done(answer);
      return;
    }
    const inside = open.transaction;
    const tx = inside ?? noTransaction();
    if (inside === undefined) open.alone = tx;
    carryOut(open, tx, what, values, (answer) => {
      if ('error' in answer) abort(open);
      if (inside === undefined) end(tx, !('error' in answer), open);
      open.alone = undefined;
      done(answer);
    });
  }

  /** Behind each statement: the next one, or the wait for it. */
  function next(open: Open): void {
    if (open.isBusy || open.isDead) return;
    const first = open.queue.shift();
    if (first) {
      open.isBusy = true;
      first();
    } else if (open.isClosed) {
      undo(open);
      sessions.delete(open);
    } else if (open.transaction) {
      open.stopIdle = world.after(open.idleMs, () => {
        open.isDead = true;
        undo(open);
      });
    }
  }

  function enqueue(open: Open, start: (done: (answer: Answer) => void) => void, done: (answer: Answer) => void): void {
    if (open.isDead) {
      done({ error: new Error('Connection terminated unexpectedly') });
      return;
    }
    open.queue.push(() =>
      start((answer) => {
        open.isBusy = false;
        done(answer);
        next(open);
      }),
    );
    next(open);
  }

  return {
    connect(writer, onWait, isSpared) {
      const open: Open = {
        ...{ transaction: undefined, alone: undefined, isClosed: false, isDead: false, writer, onWait, isSpared },
        ...{ idleMs: 0, stopIdle: () => undefined, queue: [], isBusy: false },
      };
      sessions.add(open);
      return {
        execute: (text, values, done) => enqueue(open, (ended) => run(open, text, values, ended), done),
        fail: (text, error, done) =>
          enqueue(
            open,
            (ended) => {
              open.stopIdle();
              abort(open);
              if (text === 'COMMIT') open.transaction = undefined;
              ended({ error });
            },
            done,
          ),
        close() {
          open.isClosed = true;
          open.stopIdle();
          next(open);
        },
      };
    },
    failOver() {
      for (const open of sessions) {
        if (open.isSpared) continue;
        open.isDead = true;
        undo(open);
        sessions.delete(open);
      }
    },
  };
}
