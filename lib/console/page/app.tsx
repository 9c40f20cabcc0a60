import { useEffect, useRef, useState } from 'preact/hooks';
import type { ConsoleState } from '../api.ts';
import { Claim } from './claim.tsx';
import { Claims } from './claims.tsx';
import { Findings } from './findings.tsx';
import { Help } from './help.tsx';
import { focusSearch, moveRow, toggleRow, useKeys } from './keyboard.ts';
import { Letters } from './letters.tsx';
import { useLoad } from './load.ts';
import { Overview } from './overview.tsx';
import { Failed, Pill } from './parts.tsx';
import { go, linkTo, usePlace } from './place.ts';

const VIEWS = [
  ['overview', 'Overview'],
  ['claims', 'Open claims'],
  ['dead-letters', 'Dead letters'],
  ['findings', 'Findings'],
] as const;

export function App() {
  const place = usePlace();
  const { value: state, error } = useLoad<ConsoleState>('/api/state');
  const [help, setHelp] = useState(false);
  const main = useRef<HTMLElement>(null);
  const title = titleOf(place.view);
  useKeys({
    '1': () => go('#/overview'),
    '2': () => go('#/claims'),
    '3': () => go('#/dead-letters'),
    '4': () => go('#/findings'),
    j: () => moveRow(1),
    k: () => moveRow(-1),
    x: toggleRow,
    '/': focusSearch,
    '?': () => setHelp(true),
  });
  useEffect(() => {
    document.title = `${title} · pawl console`;
    // A new view begins at its heading, for the keyboard and for a screen reader. The first one begins where the browser has put the focus.
    if (state !== undefined) main.current?.focus();
  }, [title]);
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        To the content
      </button>
      <header class="top">
        <a class="brand" href="#/overview">
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <rect width="32" height="32" rx="7" />
            <path d="M9 24V8h8.5a5.5 5.5 0 0 1 0 11H13" />
          </svg>
          <span>
            pawl <span class="muted">{state?.title}</span>
          </span>
        </a>
        <nav aria-label="Views">
          {VIEWS.map(([view, name]) => (
            <a key={view} href={linkTo(view)} aria-current={isIn(place.view, view) ? 'page' : undefined}>
              {name}
            </a>
          ))}
        </nav>
        <div class="mode">
          {state && <Pill tone={state.write ? 'parked' : 'plain'}>{state.write ? 'can write' : 'read-only'}</Pill>}
          <button type="button" class="small" onClick={() => setHelp(true)} aria-label="Keyboard">
            ?
          </button>
        </div>
      </header>
      <main id="main" ref={main} tabIndex={-1} aria-label={title}>
        <Failed error={error} />
        {state && place.view === 'overview' && <Overview state={state} />}
        {state && place.view === 'claims' && <Claims state={state} place={place} />}
        {state && place.view === 'claim' && <Claim key={place.params.get('id')} state={state} place={place} />}
        {state && place.view === 'dead-letters' && <Letters state={state} place={place} />}
        {state && place.view === 'findings' && <Findings state={state} place={place} />}
      </main>
      {help && <Help onClose={() => setHelp(false)} />}
    </>
  );
}

function isIn(view: string, tab: string): boolean {
  return view === tab || (view === 'claim' && tab === 'claims');
}

function titleOf(view: string): string {
  return VIEWS.find(([name]) => name === view)?.[1] ?? 'Claim';
}
