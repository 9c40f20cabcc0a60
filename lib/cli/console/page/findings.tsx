import type { Finding } from 'pawl/statements';
import { useState } from 'preact/hooks';
import type { ConsoleState, FindingsList } from '../api.ts';
import { Choice, Search } from './filters.tsx';
import { FindingDialog } from './finding-dialog.tsx';
import { count, shown, time } from './format.ts';
import { Head, Pages, refreshMs, rowsAt } from './list.tsx';
import { useLoad } from './load.ts';
import { Ago, Failed, Notice, Pill } from './parts.tsx';
import { linkTo, type Place } from './place.ts';
import { ActBar, Rows, Tick } from './rows.tsx';
import { type Selection, useSelection } from './selection.ts';

/** What comparisons with the providers' statements have found, and no operator has accepted. */
export function Findings({ state, place }: { readonly state: ConsoleState; readonly place: Place }) {
  const { value: list, error, reload } = useLoad<FindingsList>('/api/findings', refreshMs);
  const selection = useSelection<Finding>(({ id }) => id);
  const [chosen, setChosen] = useState<readonly string[]>();
  const { params } = place;
  const found = (list?.findings ?? []).filter((finding) => fits(finding, params));
  const settle = (rows: readonly Finding[]) => setChosen(rows.map(({ id }) => id));
  return (
    <>
      <Head title="Findings" onRefresh={reload} />
      <Failed error={error} />
      {list && (
        <>
          <Runs list={list} />
          <form class="filters" onSubmit={(event) => event.preventDefault()}>
            <Search place={place} placeholder="claim, line or reason" />
            <Choice place={place} param="operation" name="Operation" of={list.operations} />
            <Choice place={place} param="kind" name="Kind" of={kindsIn(list.findings)} />
          </form>
          {list.truncated && (
            <Notice>
              There are more: the console has stopped reading. Run: <code>pawl findings</code>
            </Notice>
          )}
          <ActBar
            found={count(found.length, 'open finding')}
            all={found.length}
            selection={selection}
            write={state.write}
            verb="Settle"
            onSelected={() => settle(selection.rows)}
            onAll={() => settle(found)}
          />
          <Table findings={rowsAt(place, found)} at={list.at} selection={selection} />
          <Pages place={place} of={found.length} />
        </>
      )}
      {chosen && (
        <FindingDialog
          state={state}
          ids={chosen}
          onClose={(acted) => {
            setChosen(undefined);
            if (!acted) return;
            selection.clear();
            reload();
          }}
        />
      )}
    </>
  );
}

function fits(finding: Finding, params: URLSearchParams): boolean {
  const [operation, kind, q = ''] = ['operation', 'kind', 'q'].map((name) => params.get(name) ?? undefined);
  if (operation !== undefined && finding.operation !== operation) return false;
  if (kind !== undefined && finding.kind !== kind) return false;
  return `${finding.id}\n${whatOf(finding)}`.toLowerCase().includes(q.toLowerCase());
}

function kindsIn(findings: readonly Finding[]): readonly string[] {
  return [...new Set(findings.map(({ kind }) => kind))].toSorted();
}

/** What a finding says besides its kind. */
function whatOf({ differences = [], why, line, attributes, status }: Finding): string {
  if (differences.length > 0) {
    return differences.map(({ name, here, there }) => `${name}: ${here ?? 'nothing'} here, ${there} there`).join('; ');
  }
  if (why !== undefined) return why;
  const facts = Object.entries(line?.facts ?? attributes ?? {}).map(([name, value]) => `${name} ${value}`);
  const ofLine = line?.id === undefined ? [] : [`line ${line.id}`];
  return [...ofLine, ...facts, ...(status === undefined ? [] : [`claim ${status}`])].join(', ');
}

function Runs({ list: { reports } }: { readonly list: FindingsList }) {
  if (reports.length === 0) return <p>No finding is open. A comparison that finds nothing leaves none.</p>;
  return (
    <ul class="plain">
      {reports.map(({ operation, endedAt, lines, matched, waiting, cutOff }) => (
        <li key={operation}>
          <strong>{shown(operation)}</strong>: {count(lines, 'line')} until {time(cutOff)},{' '}
          {matched.toLocaleString('en')} matched, {waiting.toLocaleString('en')} waiting.{' '}
          <span class="muted">Compared {time(endedAt)}.</span>
        </li>
      ))}
    </ul>
  );
}

function Table({
  findings,
  at,
  selection,
}: {
  readonly findings: readonly Finding[];
  readonly at: number;
  readonly selection: Selection<Finding>;
}) {
  if (findings.length === 0) return <p class="empty">No finding fits.</p>;
  return (
    <Rows
      caption="Findings"
      rows={findings}
      selection={selection}
      heads={
        <>
          <th>Kind</th>
          <th>Claim, and what is found</th>
          <th class="number">Age</th>
        </>
      }
    >
      {findings.map((finding) => (
        <tr key={finding.id} data-row class={selection.has(finding) ? 'selected' : undefined}>
          <Tick row={finding} name={`finding ${finding.id}`} selection={selection} />
          <td>
            <Pill tone="parked">{finding.kind}</Pill>
          </td>
          <td class="text">
            <Subject finding={finding} />
            <div class="muted">{shown(whatOf(finding))}</div>
            <Remedy finding={finding} />
          </td>
          <td class="number">
            <Ago at={finding.foundAt} now={at} />
          </td>
        </tr>
      ))}
    </Rows>
  );
}

/** The claim that a finding is about; or the line, if there is no claim. */
function Subject({ finding: { claimId, line, status } }: { readonly finding: Finding }) {
  if (claimId !== undefined && status !== undefined) {
    return (
      <a data-open href={linkTo('claim', { id: claimId })}>
        {shown(claimId)}
      </a>
    );
  }
  return (
    <span data-open tabIndex={-1}>
      {shown(claimId ?? line?.id)} <span class="muted">no claim</span>
    </span>
  );
}

/** How far its remedy is. */
function Remedy({ finding: { remedy, request, approval } }: { readonly finding: Finding }) {
  if (remedy !== undefined) {
    const { operation, amount, claimId, failed, by } = remedy;
    return (
      <div>
        <Pill tone={failed === undefined ? 'in-flight' : 'bad'}>
          remedy {failed === undefined ? 'begun' : 'rejected'}
        </Pill>{' '}
        {shown(operation)}, {amount.toLocaleString('en')}, by {shown(by)}:{' '}
        <a href={linkTo('claim', { id: claimId })}>{shown(claimId)}</a>
      </div>
    );
  }
  if (request === undefined) return null;
  const isApproved = approval?.of === request.id;
  return (
    <div>
      <Pill tone={isApproved ? 'good' : 'waiting'}>{isApproved ? 'approved' : 'waits for approval'}</Pill>{' '}
      {shown(request.operation)}, {request.amount.toLocaleString('en')}, asked for by {shown(request.by)} (
      {shown(request.identity)}){isApproved && `, approved by ${shown(approval.by)}`}
    </div>
  );
}
