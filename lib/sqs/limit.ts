/** A task that waits for its turn. */
interface Turn {
  readonly rank: number;
  readonly begin: () => void;
}

/** Ends the turn of a task that goes on: another one may begin beside what is left of it. A task with a rank keeps its turn to its end. */
export type LeaveTurn = () => void;

/**
 * Runs at most `most` tasks at once, in the order of the calls. A task with a rank runs alone, with nothing beside it:
 * after all tasks without a rank, lower ranks first.
 */
export function createLimit(most: number) {
  const shared: Turn[] = [];
  const apart: Turn[] = [];
  let next = 0;
  /** Tasks that have their turn. */
  let running = 0;
  /** Tasks that have begun and not ended: those that have left their turn are among them. */
  let unfinished = 0;
  let isApart = false;

  /** Whether a task without a rank may begin now. */
  function hasRoom(): boolean {
    return !isApart && running < most && next === shared.length;
  }

  function pump(): void {
    while (!isApart && running < most && next < shared.length) {
      running++;
      unfinished++;
      shared[next++]?.begin();
    }
    if (isApart || unfinished > 0 || apart.length === 0) return;
    isApart = true;
    apart.sort((a, b) => a.rank - b.rank);
    apart.shift()?.begin();
  }

  return async function inTurn<T>(task: (leave: LeaveTurn) => Promise<T>, rank = 0): Promise<T> {
    if (rank === 0 && hasRoom()) {
      running++;
      unfinished++;
    } else {
      await new Promise<void>((begin) => {
        (rank > 0 ? apart : shared).push({ rank, begin });
        pump();
      });
    }
    let hasTurn = rank === 0;
    const leave = () => {
      if (!hasTurn) return;
      hasTurn = false;
      running--;
      pump();
    };
    try {
      return await task(leave);
    } finally {
      if (rank === 0) unfinished--;
      else isApart = false;
      if (hasTurn) leave();
      else pump();
    }
  };
}

/** Runs a task for each item, at most `most` at once. */
export async function withEach<T>(
  items: Iterable<T>,
  most: number,
  task: (item: T) => Promise<unknown>,
): Promise<void> {
  const inTurn = createLimit(most);
  await Promise.all(Array.from(items, (item) => inTurn(() => task(item))));
}
