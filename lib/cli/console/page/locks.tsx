import { useState } from 'preact/hooks';
import { resourcesOf } from '../../lock-words.ts';
import { type ConsoleState, type LockShown, type LocksList, lockStates, type SeenLock } from '../api.ts';
import { PlanDialog } from './act.tsx';
import { Choice, Search } from './filters.tsx';
import { count, shown } from './format.ts';
import { Head, Pages, useList } from './list.tsx';
import { Ago, Failed, LockPill, Notice, StatePill } from './parts.tsx';
import { linkTo, type Place } from './place.ts';
import { ActBar, Rows, Tick } from './rows.tsx';
import { type Selection, useSelection } from './selection.ts';

/** Who holds which resources, since when, and how far the work is. */
export function Locks({ state, place }: { readonly state: ConsoleState; readonly place: Place }) {
  const { list, error, refresh } = useList<LocksList>('/api/locks', place, ['state', 'q']);
  const selection = useSelection<SeenLock>(({ id }) => id);
  const [chosen, setChosen] = useState<readonly SeenLock[]>();
  return (
    <>
      <Head title="Locks" onRefresh={refresh} />
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <Search place={place} placeholder="holder, reason or resource" />
        <Choice place={place} param="state" name="State" of={lockStates} />
      </form>
      <Failed error={error} />
      {list && (
        <>
          {list.truncated && (
            <Notice>
              There are more: the console has stopped reading. Run: <code>pawl locks</code>
            </Notice>
          )}
          <ActBar
            found={count(list.matching.length, 'lock')}
            all={list.matching.length}
            selection={selection}
            write={state.write}
            verb="Release"
            onSelected={() => setChosen(selection.rows)}
            onAll={() => setChosen(list.matching)}
          />
          <Table list={list} selection={selection} />
          <Pages place={place} of={list.matching.length} />
        </>
      )}
      {chosen && (
        <ReleaseDialog
          state={state}
          locks={chosen}
          onClose={(acted) => {
            setChosen(undefined);
            if (!acted) return;
            selection.clear();
            refresh();
          }}
        />
      )}
    </>
  );
}

/** Gives the work under locks up. */
export function ReleaseDialog({
  state,
  locks,
  onClose,
}: {
  readonly state: ConsoleState;
  readonly locks: readonly SeenLock[];
  readonly onClose: (acted: boolean) => void;
}) {
  // Only what the server needs. If a lock has changed since, it stays.
  const wanted = { kind: 'release', locks: locks.map(({ id, fence }) => ({ id, fence })) } as const;
  return <PlanDialog state={state} wanted={wanted} onClose={onClose} />;
}

function Table({
  list: { locks, at },
  selection,
}: {
  readonly list: LocksList;
  readonly selection: Selection<SeenLock>;
}) {
  if (locks.length === 0) return <p class="empty">No lock fits. A lock is listed once it was renewed or kept.</p>;
  return (
    <Rows
      caption="Locks"
      rows={locks}
      selection={selection}
      heads={
        <>
          <th>Holder, and its claim</th>
          <th>State</th>
          <th>Work</th>
          <th class="wide-only">Resources</th>
          <th class="number">Age</th>
        </>
      }
    >
      {locks.map((lock) => (
        <tr key={lock.id} data-row class={selection.has(lock) ? 'selected' : undefined}>
          <Tick row={lock} name={`the lock of ${lock.holder}`} selection={selection} />
          <td class="text">
            <a data-open href={linkTo('lock', { id: lock.id })}>
              {shown(lock.holder)}
            </a>
            {lock.claim !== undefined && (
              <div>
                claim <StatePill state={lock.claim} />
              </div>
            )}
          </td>
          <td>
            <LockPill state={lock.state} />
          </td>
          <td class="text">
            {shown(lock.reason)}
            <Progress lock={lock} />
          </td>
          <td class="text muted wide-only">{shown(resourcesOf(lock))}</td>
          <td class="number">
            <Ago at={lock.since} now={at} />
          </td>
        </tr>
      ))}
    </Rows>
  );
}

/** How far the works under a lock are. */
export function Progress({ lock: { works } }: { readonly lock: LockShown }) {
  return (
    <>
      {works.map(({ work, done, total }) => (
        <div key={work} class="muted">
          {shown(work)}: {done.toLocaleString('en')} of {total.toLocaleString('en')} done
        </div>
      ))}
    </>
  );
}
