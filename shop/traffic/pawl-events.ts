import { record } from '../../lib/rehearsal/engine/app/template.ts';

/** What providers said about effects in doubt. */
export interface Verdicts {
  readonly applied: number;
  readonly notApplied: number;
  /** Of those not applied: asked before the provider's reads could be believed, and asked again later. */
  readonly tooEarly: number;
  readonly inconclusive: number;
}

/** Counts the events that pawl writes into the log of a function, one line of JSON each. */
export interface PawlEvents {
  /** Takes any line of a log, and ignores lines that are not events. */
  read(line: string): void;
  count(...events: readonly string[]): number;
  verdicts(): Verdicts;
}

export function createPawlEvents(): PawlEvents {
  const counts = new Map<string, number>();
  const add = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  const count = (...names: readonly string[]) => names.reduce((sum, name) => sum + (counts.get(name) ?? 0), 0);
  return {
    read(line) {
      // Most lines are not pawl's, and a log may hold anything.
      const start = line.indexOf('{"pawl":');
      if (start === -1) return;
      try {
        const { pawl, verdict, settled } = record(JSON.parse(line.slice(start)));
        add(String(pawl));
        if (pawl === 'reconciled') add(`verdict ${verdict}`);
        if (pawl === 'reconciled' && verdict === 'not-applied' && settled !== true) add('too early');
      } catch {
        // Half a line: its sandbox was killed while it wrote.
      }
    },
    count,
    verdicts: () => ({
      applied: count('verdict applied'),
      notApplied: count('verdict not-applied'),
      tooEarly: count('too early'),
      inconclusive: count('verdict inconclusive'),
    }),
  };
}
