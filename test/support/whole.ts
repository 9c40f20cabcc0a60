/*
 * How much of a sweep `npm run test:long` does. `PAWL_SWEEPS=all` does the whole of each, which takes about an hour.
 */

/** Whether each sweep is to be done as a whole. */
export const isWhole = process.env['PAWL_SWEEPS'] === 'all';

/** @param part what CI has the time for: the same each time */
export function ofSweep(whole: number, { part }: { readonly part: number }): number {
  return isWhole ? whole : part;
}
