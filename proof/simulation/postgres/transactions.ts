import type { Item } from '../dynamodb/table.ts';

/**
 * Transactions and the rows that they have locked.
 *
 * 1. What a transaction writes is seen by others when it has committed, all at once.
 * 2. A row that another transaction has is waited for, in the order of the requests; a circle of those who wait ends with an error of the last one.
 */
export interface Transaction {
  /** Nothing, where a row is deleted. */
  readonly writes: Map<string, Item | undefined>;
  readonly locks: Set<string>;
  waitsFor: Transaction | undefined;
  /** A statement of it has failed: all others fail, and its COMMIT is a ROLLBACK. */
  failed: boolean;
  isOver: boolean;
}

export interface Rows {
  /** Locks a row, at once or when the transaction that has it has ended. */
  lock(tx: Transaction, id: string, locked: () => void, deadlocked: () => void): void;
  unlock(tx: Transaction, id: string): void;
  /** Whether no other transaction has a row. */
  isFree(tx: Transaction, id: string): boolean;
  /** Ends a transaction, and lets go on who waits for its rows. */
  end(tx: Transaction): void;
}

export function noTransaction(): Transaction {
  return { writes: new Map(), locks: new Set(), waitsFor: undefined, failed: false, isOver: false };
}

interface Waiting {
  readonly tx: Transaction;
  readonly goOn: () => void;
}

/** @param soon runs something behind all that is happening now */
export function createRows(soon: (run: () => void) => void): Rows {
  const holders = new Map<string, Transaction>();
  const queues = new Map<string, Waiting[]>();

  function lock(tx: Transaction, id: string, locked: () => void, deadlocked: () => void): void {
    if (tx.isOver) return;
    const holder = holders.get(id);
    if (holder === undefined || holder === tx) {
      holders.set(id, tx);
      tx.locks.add(id);
      locked();
      return;
    }
    for (let next: Transaction | undefined = holder; next !== undefined; next = next.waitsFor) {
      if (next !== tx) continue;
      deadlocked();
      return;
    }
    tx.waitsFor = holder;
    const goOn = () => {
      tx.waitsFor = undefined;
      lock(tx, id, locked, deadlocked);
    };
    queues.set(id, [...(queues.get(id) ?? []), { tx, goOn }]);
  }

  function unlock(tx: Transaction, id: string): void {
    if (holders.get(id) !== tx) return;
    holders.delete(id);
    tx.locks.delete(id);
    const waiting = (queues.get(id) ?? []).filter((one) => !one.tx.isOver);
    queues.delete(id);
    // All of them ask again: one has it, and the others wait for that one.
    for (const { goOn } of waiting) soon(goOn);
  }

  return {
    lock,
    unlock,
    isFree(tx, id) {
      const holder = holders.get(id);
      return holder === undefined || holder === tx;
    },
    end(tx) {
      tx.isOver = true;
      for (const id of [...tx.locks]) unlock(tx, id);
    },
  };
}
