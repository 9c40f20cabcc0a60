import type { Run as FleetRun } from '../fleet/fleet.ts';

/** Which library protects the function of a worker. `ungated`: pawl, without looking at Powertools' records. */
export type Library = 'peer' | 'pawl' | 'ungated';

/** A run of a fleet that moves over. */
export type Run = FleetRun<Library>;

/** The scenario of docs/evidence/scenarios.md that explains why an effect happened a second time. */
type Cause = 1 | 8 | 20;

/**
 * Why an effect was applied although an earlier run had applied it.
 *
 * @param all the runs of the key
 * @returns nothing if no scenario explains it: then the gate has let two in
 */
function causeOf(earlier: Run, later: Run, all: readonly Run[]): Cause | undefined {
  const { end, endsAt } = earlier;
  // Its worker died, or heard no answer: nobody knows that it was applied, and under 'retry' it is repeated.
  if (end?.how === 'killed' || end?.how === 'threw') return 20;
  // The work was longer than its lease: two at once.
  if ((later.effectAt ?? 0) > later.endsAt || (end?.at ?? Number.POSITIVE_INFINITY) > endsAt) return 8;
  // A late worker of Powertools has deleted what another one had completed since.
  const isDeleted = all.some(
    (one) =>
      one.kind === 'peer' &&
      one.end?.how === 'threw' &&
      one.end.at > one.endsAt &&
      one.end.at > (end?.at ?? 0) &&
      one.end.at < (later.effectAt ?? 0),
  );
  return isDeleted ? 1 : undefined;
}

export interface Doubled {
  readonly key: string;
  readonly cause: Cause | undefined;
  readonly runs: readonly Run[];
}

/** Each effect that happened again, with its cause. */
export function doublesIn(runs: readonly Run[]): readonly Doubled[] {
  const byKey = Map.groupBy(runs, ({ key }) => key);
  return [...byKey].flatMap(([key, all]) => {
    const applied = all
      .filter(({ effectAt }) => effectAt !== undefined)
      .toSorted((one, two) => (one.effectAt ?? 0) - (two.effectAt ?? 0));
    return applied.slice(1).map((later, at): Doubled => {
      const causes = applied.slice(0, at + 1).map((earlier) => causeOf(earlier, later, all));
      return { key, cause: causes.includes(undefined) ? undefined : causes.at(-1), runs: all };
    });
  });
}
