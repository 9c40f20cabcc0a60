import { useEffect, useState } from 'preact/hooks';
import {
  type ConsoleState,
  type Counted,
  type History,
  type LocksNow,
  lockStates,
  type OperationNow,
  type Overview as OverviewNow,
  type QueueNow,
} from '../api.ts';
import { age, count, shown, time } from './format.ts';
import { Head } from './list.tsx';
import { Live } from './live.tsx';
import { useLoad } from './load.ts';
import { Failed, Notice } from './parts.tsx';
import { Bar, condensed, Spark } from './picture.tsx';
import { linkTo } from './place.ts';
import { lockLooks, openStates, states } from './words.ts';

const refreshMs = 15_000;
const mostSamples = 120;
const slots = 40;

/** What was open at each look since the page was opened. */
const samples: { readonly open: number; readonly dead: number }[] = [];

export function Overview({ state }: { readonly state: ConsoleState }) {
  const { value, error, reload } = useLoad<OverviewNow>('/api/overview', state.live ? refreshMs / 5 : refreshMs);
  const [, drawn] = useState(0);
  useEffect(() => {
    if (value === undefined) return;
    samples.push({ open: openOf(value.operations), dead: deadOf(value.queues) });
    if (samples.length > mostSamples) samples.shift();
    drawn(samples.length);
  }, [value]);
  return (
    <>
      <Head title="Overview" onRefresh={reload} />
      <Failed error={error} />
      {value && <Now value={value} />}
      {value && <OverTime history={value.history} />}
      {state.live && <Live />}
    </>
  );
}

function openOf(operations: readonly OperationNow[]): number {
  return operations.flatMap((one) => states.map((state) => one[state])).reduce((sum, count) => sum + count, 0);
}

function deadOf(queues: readonly QueueNow[]): number {
  return queues.reduce((sum, { depth = 0 }) => sum + depth, 0);
}

function Now({ value: { at, operations, queues, locks, truncated } }: { readonly value: OverviewNow }) {
  const most = Math.max(...operations.map((one) => openOf([one])), 1);
  const deepest = Math.max(...queues.map(({ depth = 0 }) => depth), 1);
  return (
    <div class="columns">
      <section class="card" aria-labelledby="open">
        <div class="card-head">
          <h2 id="open">Open claims</h2>
          <strong class="big">{openOf(operations).toLocaleString('en')}</strong>
        </div>
        <Spark
          values={samples.map(({ open }) => open)}
          tone="parked"
          slots={slots}
          label="Open claims since this page was opened"
        />
        <p class="muted">at each look since this page was opened</p>
        {operations.length === 0 && <p>No claim is open.</p>}
        <ul class="plain">
          {operations.map((one) => (
            <Operation key={one.operation} one={one} most={most} at={at} />
          ))}
        </ul>
        {truncated && <Notice>There are more: the console has stopped reading.</Notice>}
      </section>
      <section class="card" aria-labelledby="dead">
        <div class="card-head">
          <h2 id="dead">Dead letters</h2>
          <strong class="big">{deadOf(queues).toLocaleString('en')}</strong>
        </div>
        <Spark
          values={samples.map(({ dead }) => dead)}
          tone="bad"
          slots={slots}
          label="Dead letters since this page was opened"
        />
        <p class="muted">at each look since this page was opened</p>
        {queues.length === 0 && <p>The console has no dead-letter queue.</p>}
        <ul class="plain">
          {queues.map((queue) => (
            <Queue key={queue.url} queue={queue} deepest={deepest} />
          ))}
        </ul>
      </section>
      <StandingLocks locks={locks} at={at} />
    </div>
  );
}

function StandingLocks({ locks, at }: { readonly locks: LocksNow; readonly at: number }) {
  const standing = lockStates.filter((state) => locks[state] > 0);
  const all = standing.reduce((sum, state) => sum + locks[state], 0);
  const parts = standing.map((state) => ({
    name: lockLooks[state][1],
    value: locks[state],
    tone: lockLooks[state][0],
  }));
  return (
    <section class="card" aria-labelledby="standing">
      <div class="card-head">
        <h2 id="standing">Locks</h2>
        <strong class="big">{all.toLocaleString('en')}</strong>
      </div>
      {locks.oldestAt !== undefined && (
        <p class="muted">
          the oldest without a worker: <span title={time(locks.oldestAt)}>{age(at - locks.oldestAt)}</span>
        </p>
      )}
      <ul class="plain">
        {parts.map((part, index) => (
          <li key={part.name} class="measure">
            <a href={linkTo('locks', { state: standing[index] })}>{part.name}</a>
            <span>{part.value.toLocaleString('en')}</span>
            <Bar parts={[part]} of={all} label={`${part.value} of ${all}: ${part.name}`} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Operation({ one, most, at }: { readonly one: OperationNow; readonly most: number; readonly at: number }) {
  const parts = states.map((state) => ({ name: openStates[state], value: one[state], tone: state }));
  const text = parts.filter(({ value }) => value > 0).map(({ name, value }) => `${value.toLocaleString('en')} ${name}`);
  return (
    <li class="measure">
      <a href={linkTo('claims', { operation: one.operation })}>{shown(one.operation)}</a>
      <span class="muted" title={time(one.oldestAt)}>
        oldest {age(at - one.oldestAt)}
      </span>
      <Bar parts={parts} of={most} label={`${shown(one.operation)}: ${text.join(', ')}`} />
      <span class="legend">
        {parts
          .filter(({ value }) => value > 0)
          .map(({ name, value, tone }) => (
            <span key={name}>
              <i class={`dot fill-${tone}`} /> {value.toLocaleString('en')} {name}
            </span>
          ))}
      </span>
    </li>
  );
}

function Queue({ queue: { name, depth, error }, deepest }: { readonly queue: QueueNow; readonly deepest: number }) {
  const parts = [{ name: 'messages', value: depth ?? 0, tone: 'bad' }];
  return (
    <li class="measure">
      <a href={linkTo('dead-letters', { queue: name })}>{shown(name)}</a>
      <span class="muted">{depth === undefined ? 'not known' : `about ${count(depth, 'message')}`}</span>
      <Bar parts={parts} of={deepest} label={`${shown(name)}: ${depth ?? 'unknown'} messages`} />
      {error && <span class="legend">{shown(error)}</span>}
    </li>
  );
}

const shownSeries: readonly (readonly [Counted, string, string])[] = [
  ['done', 'Done', 'good'],
  ['suppressed', 'Duplicates suppressed', 'in-flight'],
  ['taken-over', 'Taken over', 'in-doubt'],
  ['parked', 'Parked', 'parked'],
];

function OverTime({ history: { source, why, from, periodMs, series } }: { readonly history: History }) {
  if (source === 'none') return <Notice>Counts over time: {shown(why)}</Notice>;
  const span = age(series.done.length * periodMs);
  return (
    <section class="card" aria-labelledby="over-time">
      <div class="card-head">
        <h2 id="over-time">Over time</h2>
        <span class="muted">
          {source === 'CloudWatch' ? 'from CloudWatch, ' : 'since the console was started, '}
          {span}, from {time(from)}
        </span>
      </div>
      <div class="sparks">
        {shownSeries.map(([name, title, tone]) => {
          const sum = series[name].reduce((all, value) => all + value, 0);
          return (
            <div key={name}>
              <h3>{title}</h3>
              <strong class="big">{sum.toLocaleString('en')}</strong>
              <Spark
                values={condensed(series[name], 60)}
                tone={tone}
                slots={36}
                label={`${title}: ${sum} in ${span}`}
              />
            </div>
          );
        })}
      </div>
    </section>
  );
}
