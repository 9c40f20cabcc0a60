/** A task that waits for its turn. */
interface Turn {
  readonly rank: number;
  readonly begin: () => void;
}

/** Ends the turn of a task that goes on: another one may begin beside what is left of it. A task with a rank keeps its turn to its end. */
export type LeaveTurn = () => void;

/** Bounds how many tasks run at once. */
export interface Limit {
  /**
   * Runs a task when it is its turn: in the order of the calls. A task with a rank runs alone, with nothing beside it: after all tasks without a
   * rank, lower ranks first.
   */
  readonly inTurn: <T>(task: (leave: LeaveTurn) => Promise<T>, rank?: number) => Promise<T>;
  /**
   * Calls `begin` for each item once a turn is free for it, before all tasks that ask for a turn from now on. `begin` asks for that turn at once. An item
   * that waits holds nothing but itself: a batch may have 10,000 of them.
   *
   * @returns when all that was begun has ended
   * @throws what the first of them rejects with
   */
  readonly each: <T>(items: Iterable<T>, begin: (item: T) => Promise<unknown>) => Promise<void>;
}

/** Runs at most `most` tasks at once. */
export function createLimit(most: number): Limit {
  /** Begins the next item of `each`. @returns whether there was one */
  let beginNext: (() => boolean) | undefined;
  /** The turn that is free belongs to the item that begins. */
  let isForItem = false;
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
    if (isForItem) return true;
    return !isApart && running < most && beginNext === undefined && next === shared.length;
  }

  function pump(): void {
    while (!isApart && running < most) {
      if (beginNext !== undefined) {
        if (!beginNext()) beginNext = undefined;
      } else if (next < shared.length) {
        running++;
        unfinished++;
        shared[next++]?.begin();
      } else break;
    }
    if (isApart || unfinished > 0 || apart.length === 0) return;
    isApart = true;
    apart.sort((a, b) => a.rank - b.rank);
    apart.shift()?.begin();
  }

  async function inTurn<T>(task: (leave: LeaveTurn) => Promise<T>, rank = 0): Promise<T> {
    if (rank === 0 && hasRoom()) {
      isForItem = false;
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
  }

  function each<T>(items: Iterable<T>, begin: (item: T) => Promise<unknown>): Promise<void> {
    return new Promise((resolve, reject) => {
      const left = items[Symbol.iterator]();
      /** What has begun and not ended; and the line itself, until its last item has begun. */
      let open = 1;
      const end = () => {
        if (--open === 0) resolve();
      };
      beginNext = () => {
        const { done, value } = left.next();
        if (done === true) {
          end();
          return false;
        }
        open++;
        isForItem = true;
        begin(value).then(end, reject);
        isForItem = false;
        return true;
      };
      pump();
    });
  }

  return { inTurn, each };
}

/** Runs a task for each item, at most `most` at once. */
export async function withEach<T>(
  items: Iterable<T>,
  most: number,
  task: (item: T) => Promise<unknown>,
): Promise<void> {
  const { inTurn, each } = createLimit(most);
  await each(items, (item) => inTurn(() => task(item)));
}
