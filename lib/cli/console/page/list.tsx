import { useState } from 'preact/hooks';
import { useLoad } from './load.ts';
import { type Place, placeWith } from './place.ts';

const pageSize = 50;

/** How often a list is read again, in milliseconds. */
export const refreshMs = 30_000;

function pageOf({ params }: Place): number {
  return Math.max(1, Number(params.get('page') ?? 1));
}

/** The rows of the page that the place names. */
export function rowsAt<T>(place: Place, all: readonly T[]): readonly T[] {
  const first = (pageOf(place) - 1) * pageSize;
  return all.slice(first, first + pageSize);
}

/**
 * A list of which the server has a page.
 *
 * @param names the parameters of the place that the server filters and sorts by
 * @returns also `refresh`, after which the server reads the list anew
 */
export function useList<T>(path: string, place: Place, names: readonly string[]) {
  const [fresh, setFresh] = useState(0);
  const query = new URLSearchParams();
  for (const name of names) {
    const value = place.params.get(name);
    if (value !== null) query.set(name, value);
  }
  query.set('offset', String((pageOf(place) - 1) * pageSize));
  query.set('size', String(pageSize));
  if (fresh > 0) query.set('fresh', String(fresh));
  const { value: list, error, reload } = useLoad<T>(`${path}?${query}`, refreshMs);
  const refresh = () => {
    setFresh((before) => before + 1);
    reload();
  };
  return { list, error, refresh };
}

export function Head({ title, onRefresh }: { readonly title: string; readonly onRefresh: () => void }) {
  return (
    <div class="head">
      <h1>{title}</h1>
      <button type="button" onClick={onRefresh}>
        Refresh
      </button>
    </div>
  );
}

/** @param of how many rows the list has */
export function Pages({ place, of }: { readonly place: Place; readonly of: number }) {
  const page = pageOf(place);
  const pages = Math.ceil(of / pageSize);
  const linkOf = (to: number) => placeWith(place, { page: String(to) });
  if (pages < 2) return null;
  return (
    <nav class="pages" aria-label="Pages">
      {page > 1 ? <a href={linkOf(page - 1)}>Before</a> : <span class="muted">Before</span>}
      <span>
        Page {page} of {pages}
      </span>
      {page < pages ? <a href={linkOf(page + 1)}>Next</a> : <span class="muted">Next</span>}
    </nav>
  );
}
