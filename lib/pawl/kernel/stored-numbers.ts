/**
 * The numbers of what a store has read. Whatever wrote them, a number that is none makes every comparison with it false: a lease that never ends, a
 * limit that is never reached.
 */
export interface StoredNumbers<Name extends string> {
  /** Whole, and not negative. */
  readonly counts: readonly Name[];
  /** Not negative. A fraction of a millisecond does no harm: a clock of the author's may have it. */
  readonly times: readonly Name[];
}

/** The first of these that is none. @param optional those that may be missing */
export function wrongNumberIn<Name extends string>(
  found: Readonly<Partial<Record<Name, unknown>>>,
  needed: StoredNumbers<Name>,
  optional: StoredNumbers<Name> = { counts: [], times: [] },
): Name | undefined {
  const isThere = (name: Name) => found[name] !== undefined;
  return (
    [...needed.counts, ...optional.counts.filter(isThere)].find((name) => !isCount(found[name])) ??
    [...needed.times, ...optional.times.filter(isThere)].find((name) => !isTime(found[name]))
  );
}

export function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && isTime(value);
}

export function isTime(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value < Infinity;
}
