/** A task that waits for its turn. */
interface Turn {
  readonly rank: number;
  readonly begin: () => void;
}

/**
 * Runs at most `most` tasks at once, in the order of the calls. A task with a rank runs alone, with nothing beside it:
 * after all tasks without a rank, lower ranks first.
 */
export function createLimit(most: number) {
  const shared: Turn[] = [];
  const apart: Turn[] = [];
  let next = 0;
  let running = 0;
  let isApart = false;

  /** Whether a task without a rank may begin now. */
  function hasRoom(): boolean {
    return !isApart && running < most && next === shared.length;
  }

  function pump(): void {
    while (!isApart && running < most && next < shared.length) {
      running++;
      shared[next++]?.begin();
    }
    if (running > 0 || apart.length === 0) return;
    running++;
    isApart = true;
    apart.sort((a, b) => a.rank - b.rank);
    apart.shift()?.begin();
  }

  return async function inTurn<T>(task: () => Promise<T>, rank = 0): Promise<T> {
    if (rank === 0 && hasRoom()) running++;
    else {
      await new Promise<void>((begin) => {
        (rank > 0 ? apart : shared).push({ rank, begin });
        pump();
      });
    }
    try {
      return await task();
    } finally {
      running--;
      isApart = false;
      pump();
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
