import { useEffect, useState } from 'preact/hooks';

/** Where the operator is: a view, and its state. All of it is in the URL, so that it can be kept, shared with a second browser tab, and gone back to. */
export interface Place {
  /** Empty for the first view that there is. */
  readonly view: string;
  readonly params: URLSearchParams;
}

function placeNow(): Place {
  const [view = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  return { view, params: new URLSearchParams(query) };
}

/** The link to a place. A parameter that is `undefined` or empty is left out. */
export function linkTo(view: string, params: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(params).filter(
    (pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== '',
  );
  const query = new URLSearchParams(given).toString();
  return `#/${view}${query === '' ? '' : `?${query}`}`;
}

/** @param replace for a change that is no step of its own, such as a letter typed into the search */
export function go(link: string, { replace = false } = {}): void {
  if (!replace) {
    location.hash = link;
    return;
  }
  history.replaceState(null, '', link);
  dispatchEvent(new HashChangeEvent('hashchange'));
}

/** This place with other parameters. The list begins at its first page again, unless the page is what changes. */
export function placeWith({ view, params }: Place, changes: Readonly<Record<string, string | undefined>>): string {
  return linkTo(view, { ...Object.fromEntries(params), page: undefined, ...changes });
}

export function usePlace(): Place {
  const [place, setPlace] = useState(placeNow);
  useEffect(() => {
    const moved = () => setPlace(placeNow());
    addEventListener('hashchange', moved);
    return () => removeEventListener('hashchange', moved);
  }, []);
  return place;
}
