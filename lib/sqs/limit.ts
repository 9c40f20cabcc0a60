/** Runs at most `most` tasks at once, in the order in which they came. */
export function createLimit(most: number): <T>(task: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  let next = 0;

  return async function limited(task) {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await task();
    } finally {
      // The slot is handed over rather than given back, so that nobody slips in between.
      const resume = waiting[next];
      if (resume === undefined) running--;
      else {
        next++;
        resume();
      }
    }
  };
}
