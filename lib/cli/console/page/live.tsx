import { useEffect, useState } from 'preact/hooks';
import type { LiveEvent } from '../api.ts';
import { liveEvents } from './call.ts';
import { shown, time } from './format.ts';
import { Failed, Pill } from './parts.tsx';

const mostShown = 14;

/** What happens, as it happens. It can be held, to be read. */
export function Live() {
  const [events, setEvents] = useState<readonly (LiveEvent & { readonly id: number })[]>([]);
  const [held, setHeld] = useState(false);
  const [error, setError] = useState<string>();
  useEffect(() => {
    if (held) return;
    const ending = new AbortController();
    void follow(ending.signal);
    return () => ending.abort();

    async function follow(signal: AbortSignal) {
      let id = 0;
      setEvents([]);
      try {
        for await (const event of liveEvents(signal)) {
          const seen = { ...event, id: ++id };
          setEvents((before) => [seen, ...before].slice(0, mostShown));
        }
      } catch (thrown) {
        if (!signal.aborted) setError(thrown instanceof Error ? thrown.message : String(thrown));
      }
    }
  }, [held]);
  return (
    <section class="card" aria-labelledby="live">
      <div class="card-head">
        <h2 id="live">Live</h2>
        <button type="button" class="small" onClick={() => setHeld(!held)}>
          {held ? 'Go on' : 'Hold'}
        </button>
      </div>
      <Failed error={error} />
      {events.length === 0 && <p class="muted">Nothing has happened yet.</p>}
      <ol class="live">
        {events.map(({ id, at, tone, what, text }) => (
          <li key={id}>
            <time class="muted" dateTime={new Date(at).toISOString()}>
              {time(at).slice(11, 19)}
            </time>
            <Pill tone={tone}>{shown(what)}</Pill>
            <span class="text">{shown(text)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
