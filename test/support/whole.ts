/*
 * How much of a sweep is done. `npm test` does the first of it (`firstOf`). `npm run test:long` does it as a whole, or, of the largest, what CI has the time
 * for (`ofSweep`). `PAWL_SWEEPS=all` does the whole of each, which takes about an hour.
 */

const isLong = process.env['PAWL_TESTS'] === 'long';

/**
 * Of a sweep in a file that is no long test. Vitest finds the file by this call, and runs it among the long tests as well: there `whole` is done.
 *
 * @param first what `npm test` has the time for: the same each time
 */
export function firstOf(whole: number, { first }: { readonly first: number }): number {
  return isLong ? whole : first;
}

/** Whether each sweep is to be done as a whole. */
export const isWhole = process.env['PAWL_SWEEPS'] === 'all';

/** @param part what CI has the time for: the same each time */
export function ofSweep(whole: number, { part }: { readonly part: number }): number {
  return isWhole ? whole : part;
}
