import type { Host } from '../kernel/host.ts';
import type { KeepsNotes } from '../rules/notes.ts';
import { understood } from '../rules/record.ts';
import { noPlace } from '../rules/stated.ts';
import type { ClaimStore } from '../rules/store.ts';
import { endFinding, type Finding, openFindings } from './finding.ts';
import { differencesOf, markOf, type StatementLine } from './line.ts';

/**
 * When a difference is one no more: its line was corrected, or its claim says the same by now.
 *
 * A line that an earlier run has read may have left a difference. Only such a line is looked up, so a statement whose lines are new costs nothing more.
 */

/** What it needs of the settings of a run. */
interface Correcting {
  readonly operation: string;
  readonly store: ClaimStore & KeepsNotes;
  readonly host: Host;
  readonly tolerance: Readonly<Record<string, number>>;
  readonly differing: () => Promise<OpenDifferences>;
}

/** The open differences of an operation, by their claims. */
export type OpenDifferences = ReadonlyMap<string, readonly Finding[]>;

/** Reads the open differences once, when the first line comes that was read before. */
export function openDifferences({
  store,
  operation,
}: Pick<Correcting, 'store' | 'operation'>): () => Promise<OpenDifferences> {
  let reading: Promise<OpenDifferences> | undefined;
  async function read(): Promise<OpenDifferences> {
    const found = new Map<string, Finding[]>();
    for await (const finding of openFindings(store, operation)) {
      const { kind, claimId } = finding;
      if (kind !== 'differs' || claimId === undefined) continue;
      found.set(claimId, [...(found.get(claimId) ?? []), finding]);
    }
    return found;
  }
  return () => {
    reading ??= read();
    return reading;
  };
}

/**
 * Ends the differences that a line had before it was corrected.
 *
 * @param line as it is now
 * @param still the id of the difference that it has now, if it has one
 * @throws the store's error
 */
export async function endCorrected(
  { store, host, differing }: Correcting,
  claimId: string,
  line: StatementLine,
  still: string | undefined,
): Promise<void> {
  const { cursor: _, ...settledBy } = line;
  const { line: name } = markOf(line, '', noPlace, host);
  for (const { id, line: before, differences = [] } of (await differing()).get(claimId) ?? []) {
    if (id === still || before === undefined || markOf(before, '', noPlace, host).line !== name) continue;
    // What the line does not say any more was not corrected.
    if (differences.some(({ name: fact }) => line.facts?.[fact] === undefined)) continue;
    const now = host.now();
    await endFinding(store, id, { settledAt: now, settledBy }, now);
  }
}

/** Whether the claim of a difference says the same as its line by now. The line may be in no window any more. @throws the store's error */
export async function isCorrectedHere(
  { store, tolerance }: Correcting,
  { kind, claimId, line }: Finding,
): Promise<boolean> {
  if (kind !== 'differs' || claimId === undefined || line === undefined) return false;
  const found = understood(await store.read(claimId));
  return found?.attributes !== undefined && differencesOf(line, found.attributes, tolerance).length === 0;
}
