import { Fragment } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ConsoleState } from '../api.ts';
import { askAbout } from './call.ts';
import { Claim } from './claim.tsx';
import { Claims } from './claims.tsx';
import { Findings } from './findings.tsx';
import { Help } from './help.tsx';
import { focusSearch, moveRow, toggleRow, useKeys } from './keyboard.ts';
import { Letters } from './letters.tsx';
import { useLoad } from './load.ts';
import { Lock } from './lock.tsx';
import { Locks } from './locks.tsx';
import { Overview } from './overview.tsx';
import { Failed, Notice, Pill } from './parts.tsx';
import { go, linkTo, usePlace } from './place.ts';
import { Rehearsal } from './rehearsal.tsx';

const claimViews = [
  ['overview', 'Overview'],
  ['claims', 'Open claims'],
  ['locks', 'Locks'],
  ['dead-letters', 'Dead letters'],
  ['findings', 'Findings'],
] as const;

const rehearsalView = ['rehearsal', 'Rehearsal'] as const;

/** Over a rehearsal, the tables change with each run. */
const stateEveryMs = 2_000;

export function App() {
  const place = usePlace();
  const [isRehearsal, setIsRehearsal] = useState(false);
  const { value: state, error } = useLoad<ConsoleState>('/api/state', isRehearsal ? stateEveryMs : undefined);
  const [chosen, choose] = useState<string>();
  const [help, setHelp] = useState(false);
  const main = useRef<HTMLElement>(null);
  useEffect(() => setIsRehearsal(state?.rehearsal ?? false), [state?.rehearsal]);
  const views = state === undefined ? [] : viewsOf(state);
  const view = place.view === '' ? (views[0]?.[0] ?? '') : place.view;
  const title = titleOf(view, views);
  const table = state?.tables.find((name) => name === chosen) ?? state?.tables[0];
  // Before any view loads: each of its calls is about this table.
  askAbout(table);
  useKeys({
    ...Object.fromEntries(views.map(([name], index) => [String(index + 1), () => go(`#/${name}`)])),
    j: () => moveRow(1),
    k: () => moveRow(-1),
    x: toggleRow,
    '/': focusSearch,
    '?': () => setHelp(true),
  });
  useLayoutEffect(() => {
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
        <a class="brand" href="#/">
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <rect width="32" height="32" rx="7" />
            <path d="M9 24V8h8.5a5.5 5.5 0 0 1 0 11H13" />
          </svg>
          <span>
            pawl <span class="muted">{state?.title}</span>
          </span>
        </a>
        <nav aria-label="Views">
          {views.map(([tab, name]) => (
            <a key={tab} href={linkTo(tab)} aria-current={isIn(view, tab) ? 'page' : undefined}>
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
        {state?.rehearsal && view === 'rehearsal' && <Rehearsal />}
        {state && table !== undefined && (
          // Another run has other tables: what was loaded of the one before is gone.
          <Fragment key={`${state.version} ${table}`}>
            {state.tables.length > 1 && view !== 'rehearsal' && (
              <TableChoice tables={state.tables} table={table} onChoose={choose} />
            )}
            {view === 'overview' && <Overview state={state} />}
            {view === 'claims' && <Claims state={state} place={place} />}
            {view === 'claim' && <Claim key={place.params.get('id')} state={state} place={place} />}
            {view === 'locks' && <Locks state={state} place={place} />}
            {view === 'lock' && <Lock key={place.params.get('id')} state={state} place={place} />}
            {view === 'dead-letters' && <Letters state={state} place={place} />}
            {view === 'findings' && <Findings state={state} place={place} />}
          </Fragment>
        )}
        {state && table === undefined && view !== 'rehearsal' && <Notice>There is no table of claims to show.</Notice>}
      </main>
      {help && <Help onClose={() => setHelp(false)} />}
    </>
  );
}

/** The view of one thing, and the view that lists them. */
const listOf: Readonly<Record<string, string>> = { claim: 'claims', lock: 'locks' };

function isIn(view: string, tab: string): boolean {
  return view === tab || listOf[view] === tab;
}

type View = (typeof claimViews)[number] | typeof rehearsalView;

/** Without a table of claims there is nothing to see but the rehearsal. */
function viewsOf({ rehearsal, tables }: ConsoleState): readonly View[] {
  return [...(rehearsal ? [rehearsalView] : []), ...(tables.length > 0 || !rehearsal ? claimViews : [])];
}

function titleOf(view: string, views: readonly View[]): string {
  return views.find(([name]) => name === view)?.[1] ?? (view === 'lock' ? 'Lock' : 'Claim');
}

function TableChoice({
  tables,
  table,
  onChoose,
}: {
  readonly tables: readonly string[];
  readonly table: string;
  readonly onChoose: (table: string) => void;
}) {
  return (
    <label class="choice">
      Table of claims{' '}
      <select value={table} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        {tables.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}
