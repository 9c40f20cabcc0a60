import { record } from './template.ts';

/** Counts the events that pawl writes into the log of a function, one line of JSON each. */
export interface PawlEvents {
  /** Takes any line of a log. Lines that are no events are none. */
  read(line: string): void;
  count(...events: readonly string[]): number;
}

export function createPawlEvents(): PawlEvents {
  const counts = new Map<string, number>();
  return {
    read(line) {
      // Most lines are not ours, and a log may hold anything.
      const start = line.indexOf('{"pawl":');
      if (start === -1) return;
      try {
        const name = String(record(JSON.parse(line.slice(start)))['pawl']);
        counts.set(name, (counts.get(name) ?? 0) + 1);
      } catch {
        // Half a line: its sandbox was killed while it wrote.
      }
    },
    count: (...events) => events.reduce((sum, name) => sum + (counts.get(name) ?? 0), 0),
  };
}
