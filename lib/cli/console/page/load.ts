import { useCallback, useEffect, useState } from 'preact/hooks';
import { get } from './call.ts';

export interface Loaded<T> {
  readonly value: T | undefined;
  readonly error: string | undefined;
  readonly reload: () => void;
}

/** Reads a path of the server, and again whenever it changes. @param everyMs again after this long, while the page is seen */
export function useLoad<T>(path: string, everyMs?: number): Loaded<T> {
  const [loaded, setLoaded] = useState<{ readonly value?: T; readonly error?: string }>({});
  const [round, setRound] = useState(0);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  useEffect(() => {
    const ending = new AbortController();
    get<T>(path, ending.signal).then(
      (value) => setLoaded({ value }),
      (error: unknown) => {
        if (ending.signal.aborted) return;
        setLoaded((before) => ({ ...before, error: error instanceof Error ? error.message : String(error) }));
      },
    );
    return () => ending.abort();
  }, [path, round]);
  useEffect(() => {
    if (everyMs === undefined) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') reload();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, reload]);
  return { value: loaded.value, error: loaded.error, reload };
}
