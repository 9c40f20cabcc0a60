import { useState } from 'preact/hooks';

/** Which rows are selected, by their ids. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  toggle(id: string): void;
  /** Selects all of these; or none of them, if all are selected. */
  toggleAll(ids: readonly string[]): void;
  clear(): void;
}

export function useSelection(): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  return {
    ids,
    toggle(id) {
      setIds((before) => {
        const next = new Set(before);
        if (!next.delete(id)) next.add(id);
        return next;
      });
    },
    toggleAll(all) {
      setIds((before) => {
        const next = new Set(before);
        const every = all.every((id) => before.has(id));
        for (const id of all) {
          if (every) next.delete(id);
          else next.add(id);
        }
        return next;
      });
    },
    clear: () => setIds(new Set()),
  };
}
