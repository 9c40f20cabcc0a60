/** Something that is waiting for its turn. */
interface Turn {
  readonly rank: number;
  readonly begin: () => void;
}

/**
 * Runs at most `most` tasks at once, in the order in which they came. `alone` runs one with nothing beside it: after
 * everything else, those of a lower rank first.
 */
export function createLimit(most: number) {
  const shared: Turn[] = [];
  const apart: Turn[] = [];
  let next = 0;
  let running = 0;
  let isApart = false;

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

  async function inTurn<T>(line: Turn[], rank: number, task: () => Promise<T>): Promise<T> {
    await new Promise<void>((begin) => {
      line.push({ rank, begin });
      pump();
    });
    try {
      return await task();
    } finally {
      running--;
      isApart = false;
      pump();
    }
  }

  return {
    limited: <T>(task: () => Promise<T>) => inTurn(shared, 0, task),
    alone: <T>(rank: number, task: () => Promise<T>) => inTurn(apart, rank, task),
  };
}
