import { useState } from 'preact/hooks';
import type { OpenClaimView } from '../../operate/index.ts';
import type { ClaimsFilter, ClaimsGroup, ClaimsList, ConsoleState, Sort } from '../api.ts';
import { ResolveDialog } from './act.tsx';
import { age, count, shown, time } from './format.ts';
import { useKeys } from './keyboard.ts';
import { useLoad } from './load.ts';
import { Ago, Failed, Notice, Pages, StatePill } from './parts.tsx';
import { Bar } from './picture.tsx';
import { go, linkTo, type Place, placeWith } from './place.ts';
import { type Selection, useSelection } from './selection.ts';

const pageSize = 50;
const refreshMs = 30_000;
const FILTERS = ['operation', 'state', 'reason', 'error', 'q'] as const;

/** What an act is about: the selected claims, or all that the filter finds. */
type About = { readonly ids: readonly string[] } | { readonly filter: ClaimsFilter };

export function Claims({ state, place }: { readonly state: ConsoleState; readonly place: Place }) {
  const { params } = place;
  const page = Math.max(1, Number(params.get('page') ?? 1));
  const [fresh, setFresh] = useState(0);
  const { value: list, error, reload } = useLoad<ClaimsList>(pathOf(params, page, fresh), refreshMs);
  const selection = useSelection();
  const [about, setAbout] = useState<About>();
  const filter: ClaimsFilter = Object.fromEntries(FILTERS.map((name) => [name, params.get(name) ?? undefined]));
  const refresh = () => {
    setFresh((before) => before + 1);
    reload();
  };
  const resolveSelected = () => {
    if (state.write && selection.ids.size > 0) setAbout({ ids: [...selection.ids] });
  };
  useKeys({ a: resolveSelected });
  return (
    <>
      <div class="head">
        <h1>Open claims</h1>
        <button type="button" onClick={refresh}>
          Refresh
        </button>
      </div>
      <Filters place={place} list={list} />
      <Failed error={error} />
      {list?.incomplete && (
        <Notice>
          Claims that an earlier version parked can be missing. Run: <code>pawl claims --backfill</code>
        </Notice>
      )}
      {list?.truncated && (
        <Notice>There are more: the console has stopped reading. Sorting covers what it has read.</Notice>
      )}
      {list && params.has('group') && <Groups list={list} place={place} />}
      {list && (
        <>
          <ActBar
            list={list}
            selection={selection}
            write={state.write}
            onResolve={resolveSelected}
            onResolveAll={() => setAbout({ filter })}
          />
          <Table list={list} place={place} selection={selection} />
          <Pages
            page={page}
            pages={Math.ceil(list.matching / pageSize)}
            linkOf={(to) => placeWith(place, { page: String(to) })}
          />
        </>
      )}
      {about && (
        <ResolveDialog
          state={state}
          about={about}
          onClose={(acted) => {
            setAbout(undefined);
            if (!acted) return;
            selection.clear();
            refresh();
          }}
        />
      )}
    </>
  );
}

function pathOf(params: URLSearchParams, page: number, fresh: number): string {
  const query = new URLSearchParams();
  for (const name of [...FILTERS, 'sort', 'reverse'] as const) {
    const value = params.get(name);
    if (value !== null) query.set(name, value);
  }
  query.set('offset', String((page - 1) * pageSize));
  query.set('size', String(pageSize));
  if (fresh > 0) query.set('fresh', String(fresh));
  return `/api/claims?${query}`;
}

function Filters({ place, list }: { readonly place: Place; readonly list: ClaimsList | undefined }) {
  const { params } = place;
  const set = (name: string, value: string) => go(placeWith(place, { [name]: value }));
  const error = params.get('error');
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()}>
      <label class="wide">
        Search
        <input
          type="search"
          value={params.get('q') ?? ''}
          placeholder="key, reason or error"
          onInput={({ currentTarget }) => go(placeWith(place, { q: currentTarget.value }), { replace: true })}
          onKeyDown={({ key, currentTarget }) => {
            if (key === 'Escape') currentTarget.blur();
          }}
        />
      </label>
      <Choice
        name="Operation"
        value={params.get('operation')}
        of={list?.operations}
        onChange={(to) => set('operation', to)}
      />
      <Choice
        name="State"
        value={params.get('state')}
        of={['parked', 'in-doubt', 'in-flight']}
        onChange={(to) => set('state', to)}
      />
      <Choice name="Reason" value={params.get('reason')} of={list?.reasons} onChange={(to) => set('reason', to)} />
      <label class="check">
        <input
          type="checkbox"
          checked={params.has('group')}
          onChange={({ currentTarget }) => set('group', currentTarget.checked ? '1' : '')}
        />{' '}
        Group
      </label>
      {error !== null && (
        <p class="chip">
          Error: {shown(error)}{' '}
          <a href={placeWith(place, { error: undefined })} aria-label="Any error">
            ×
          </a>
        </p>
      )}
    </form>
  );
}

function Choice({
  name,
  value,
  of = [],
  onChange,
}: {
  readonly name: string;
  readonly value: string | null;
  readonly of: readonly string[] | undefined;
  readonly onChange: (to: string) => void;
}) {
  const all = value === null || of.includes(value) ? of : [value, ...of];
  return (
    <label>
      {name}
      <select value={value ?? ''} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        <option value="">any</option>
        {all.map((one) => (
          <option key={one} value={one}>
            {shown(one)}
          </option>
        ))}
      </select>
    </label>
  );
}

function Groups({ list: { groups, at }, place }: { readonly list: ClaimsList; readonly place: Place }) {
  const most = Math.max(1, ...groups.map((group) => group.count));
  return (
    <section class="card" aria-labelledby="groups">
      <h2 id="groups">By reason and error</h2>
      <ul class="plain">
        {groups.map((group) => (
          <li key={JSON.stringify([group.operation, group.reason, group.error])} class="measure">
            <a href={linkOfGroup(place, group)}>
              {shown(group.operation)} · {shown(group.reason) || 'no reason'}
            </a>
            <span class="muted">oldest {age(at - group.oldestAt)}</span>
            <Bar
              parts={[{ name: 'claims', value: group.count, tone: 'parked' }]}
              of={most}
              label={count(group.count, 'claim')}
            />
            <span class="legend">
              {group.count.toLocaleString('en')} · {shown(group.error)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function linkOfGroup(place: Place, { operation, reason, error }: ClaimsGroup): string {
  return placeWith(place, { operation, reason, error, group: undefined });
}

function ActBar({
  list: { matching, total },
  selection: { ids, clear },
  write,
  onResolve,
  onResolveAll,
}: {
  readonly list: ClaimsList;
  readonly selection: Selection;
  readonly write: boolean;
  readonly onResolve: () => void;
  readonly onResolveAll: () => void;
}) {
  const found =
    matching === total
      ? count(total, 'open claim')
      : `${matching.toLocaleString('en')} of ${count(total, 'open claim')}`;
  return (
    <div class="act-bar">
      <p role="status">
        {found}
        {ids.size > 0 && `, ${ids.size.toLocaleString('en')} selected`}
      </p>
      {ids.size > 0 && (
        <button type="button" class="small" onClick={clear}>
          Select none
        </button>
      )}
      {write && (
        <>
          <button type="button" class="main" disabled={ids.size === 0} onClick={onResolve}>
            Resolve selected …
          </button>
          <button type="button" disabled={matching === 0} onClick={onResolveAll}>
            Resolve all {matching.toLocaleString('en')} …
          </button>
        </>
      )}
    </div>
  );
}

const COLUMNS: readonly (readonly [Sort | undefined, string, string])[] = [
  ['key', 'Claim', ''],
  [undefined, 'State', ''],
  ['reason', 'Reason and error', ''],
  ['attempts', 'Attempts', 'number wide-only'],
  ['age', 'Age', 'number'],
];

function Table({
  list,
  place,
  selection,
}: {
  readonly list: ClaimsList;
  readonly place: Place;
  readonly selection: Selection;
}) {
  const { claims, at } = list;
  const sort = place.params.get('sort') ?? 'age';
  const reversed = place.params.has('reverse');
  const ids = claims.map(({ id }) => id);
  if (claims.length === 0) return <p class="empty">No open claim fits.</p>;
  return (
    <table class="list">
      <caption class="hidden">Open claims</caption>
      <thead>
        <tr>
          <th class="tick">
            <input
              type="checkbox"
              aria-label="Select this page"
              checked={ids.every((id) => selection.ids.has(id))}
              onChange={() => selection.toggleAll(ids)}
            />
          </th>
          {COLUMNS.map(([by, name, look]) => (
            <th key={name} class={look} aria-sort={by === sort ? (reversed ? 'descending' : 'ascending') : undefined}>
              {by === undefined ? (
                name
              ) : (
                <a href={placeWith(place, { sort: by, reverse: by === sort && !reversed ? '1' : undefined })}>
                  {name}
                  {by === sort && <span aria-hidden="true">{reversed ? ' ↑' : ' ↓'}</span>}
                </a>
              )}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {claims.map((claim) => (
          <Row key={claim.id} claim={claim} at={at} selection={selection} />
        ))}
      </tbody>
    </table>
  );
}

function Row({
  claim,
  at,
  selection,
}: {
  readonly claim: OpenClaimView;
  readonly at: number;
  readonly selection: Selection;
}) {
  const { id, operation, key, state, reason, error, attempts, firstSeenAt } = claim;
  const name = shown(key ?? id);
  const selected = selection.ids.has(id);
  return (
    <tr data-row class={selected ? 'selected' : undefined}>
      <td class="tick">
        <input type="checkbox" checked={selected} aria-label={`Select ${name}`} onChange={() => selection.toggle(id)} />
      </td>
      <td class="text">
        <a data-open href={linkTo('claim', { id })}>
          {name}
        </a>
        <div class="muted">{shown(operation)}</div>
      </td>
      <td>
        <StatePill state={state} />
      </td>
      <td class="text">
        {shown(reason)}
        <div class="muted line" title={shown(error?.message)}>
          {shown(error?.message)}
        </div>
      </td>
      <td class="number wide-only">{attempts}</td>
      <td class="number" title={time(firstSeenAt)}>
        <Ago at={firstSeenAt} now={at} />
      </td>
    </tr>
  );
}
