import { useState } from 'preact/hooks';

/** Which rows are selected. */
export interface Selection<Row> {
  /** Each as it was when it was selected: that is what the operator has seen. */
  readonly rows: readonly Row[];
  has(row: Row): boolean;
  toggle(row: Row): void;
  /** Selects all of these; or none of them, if all are selected. */
  toggleAll(rows: readonly Row[]): void;
  clear(): void;
}

export function useSelection<Row>(idOf: (row: Row) => string): Selection<Row> {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Row>>(new Map());
  return {
    rows: [...chosen.values()],
    has: (row) => chosen.has(idOf(row)),
    toggle(row) {
      setChosen((before) => {
        const next = new Map(before);
        if (!next.delete(idOf(row))) next.set(idOf(row), row);
        return next;
      });
    },
    toggleAll(all) {
      setChosen((before) => {
        const next = new Map(before);
        const every = all.every((row) => before.has(idOf(row)));
        for (const row of all) {
          if (every) next.delete(idOf(row));
          else if (!next.has(idOf(row))) next.set(idOf(row), row);
        }
        return next;
      });
    },
    clear: () => setChosen(new Map()),
  };
}
