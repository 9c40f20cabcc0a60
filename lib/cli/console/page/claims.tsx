import type { OpenClaimView } from 'pawl/operate';
import { useState } from 'preact/hooks';
import type { ClaimsFilter, ClaimsGroup, ClaimsList, ConsoleState, Sort } from '../api.ts';
import { Choice, Search } from './filters.tsx';
import { age, count, shown, time } from './format.ts';
import { Head, Pages, useList } from './list.tsx';
import { Ago, Failed, Notice, StatePill } from './parts.tsx';
import { Bar } from './picture.tsx';
import { go, linkTo, type Place, placeWith } from './place.ts';
import { type ResolveAbout, ResolveDialog } from './resolve-dialog.tsx';
import { ActBar, Rows, Tick } from './rows.tsx';
import { type Selection, useSelection } from './selection.ts';
import { states } from './words.ts';

const filterNames = ['operation', 'state', 'reason', 'error', 'q'] as const;

export function Claims({ state, place }: { readonly state: ConsoleState; readonly place: Place }) {
  const { params } = place;
  const { list, error, refresh } = useList<ClaimsList>('/api/claims', place, [...filterNames, 'sort', 'reverse']);
  const selection = useSelection<OpenClaimView>(({ id }) => id);
  const [about, setAbout] = useState<ResolveAbout>();
  const filter: ClaimsFilter = Object.fromEntries(filterNames.map((name) => [name, params.get(name) ?? undefined]));
  return (
    <>
      <Head title="Open claims" onRefresh={refresh} />
      <Filters place={place} list={list} />
      <Failed error={error} />
      {list?.truncated && (
        <Notice>There are more: the console has stopped reading. Sorting covers what it has read.</Notice>
      )}
      {list && params.has('group') && <Groups list={list} place={place} />}
      {list && (
        <>
          <ActBar
            found={foundOf(list)}
            all={list.matching}
            selection={selection}
            write={state.write}
            verb="Resolve"
            onSelected={() => setAbout({ claims: selection.rows })}
            onAll={() => setAbout({ filter })}
          />
          <Table list={list} place={place} selection={selection} />
          <Pages place={place} of={list.matching} />
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

function Filters({ place, list }: { readonly place: Place; readonly list: ClaimsList | undefined }) {
  const { params } = place;
  const error = params.get('error');
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()}>
      <Search place={place} placeholder="key, reason or error" />
      <Choice place={place} param="operation" name="Operation" of={list?.operations} />
      <Choice place={place} param="state" name="State" of={states} />
      <Choice place={place} param="reason" name="Reason" of={list?.reasons} />
      <label class="check">
        <input
          type="checkbox"
          checked={params.has('group')}
          onChange={({ currentTarget }) => go(placeWith(place, { group: currentTarget.checked ? '1' : '' }))}
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

/** How many claims are open, and how many of them the filter finds. */
function foundOf({ matching, total }: ClaimsList): string {
  const all = count(total, 'open claim');
  return matching === total ? all : `${matching.toLocaleString('en')} of ${all}`;
}

const columnHeads: readonly (readonly [Sort | undefined, string, string])[] = [
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
  readonly selection: Selection<OpenClaimView>;
}) {
  const { claims, at } = list;
  const sort = place.params.get('sort') ?? 'age';
  const reversed = place.params.has('reverse');
  if (claims.length === 0) return <p class="empty">No open claim fits.</p>;
  return (
    <Rows
      caption="Open claims"
      rows={claims}
      selection={selection}
      heads={columnHeads.map(([by, name, look]) => (
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
    >
      {claims.map((claim) => (
        <Row key={claim.id} claim={claim} at={at} selection={selection} />
      ))}
    </Rows>
  );
}

function Row({
  claim,
  at,
  selection,
}: {
  readonly claim: OpenClaimView;
  readonly at: number;
  readonly selection: Selection<OpenClaimView>;
}) {
  const { id, operation, key, state, reason, error, attempts, firstSeenAt } = claim;
  const name = shown(key ?? id);
  return (
    <tr data-row class={selection.has(claim) ? 'selected' : undefined}>
      <Tick row={claim} name={name} selection={selection} />
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
