import type { EffectOverTime, RehearsalView, ReportView } from '../api.ts';
import { count, shown } from './format.ts';
import { Lines } from './lines.tsx';
import { useLoad } from './load.ts';
import { Marks } from './marks.tsx';
import { Failed, Notice, Pill } from './parts.tsx';
import { Report } from './report.tsx';

const refreshMs = 1_000;

/** A rehearsal while it runs, and what it has found out. */
export function Rehearsal() {
  const { value, error } = useLoad<{ readonly rehearsal?: RehearsalView }>('/api/rehearsal', refreshMs);
  const view = value?.rehearsal;
  return (
    <>
      <div class="head">
        <h1>Rehearsal</h1>
        {view && (
          <span role="status">
            <Pill tone={tones[view.state]}>{view.state}</Pill>
          </span>
        )}
      </div>
      <Failed error={error} />
      {view === undefined ? <p class="empty">No rehearsal has begun yet.</p> : <Run view={view} />}
    </>
  );
}

const tones = { starting: 'plain', running: 'in-flight', ended: 'plain', failed: 'bad' } as const;

function Run({ view }: { readonly view: RehearsalView }) {
  const { run, title, seed, state, doing, startedAt, messages, left, killed, effects, marksInAll } = view;
  // The synth and the start of the servers are no part of the pictures.
  const { trafficAt: from = startedAt } = view;
  const until = state === 'ended' ? lastOf(view) : view.at;
  return (
    <>
      <p class="muted">
        {shown(title)}, seed {seed}
        {run > 1 && `, run ${run}`} · {Math.round((until - startedAt) / 1000)} s · {count(messages, 'message')} sent ·{' '}
        {count(left, 'message')} left · {count(killed, 'sandbox', 'sandboxes')} killed · {count(marksInAll, 'fault')}
      </p>
      {state === 'failed' ? <Failed error={doing} /> : state !== 'ended' && <Notice>{shown(doing)} …</Notice>}
      <div class="columns">
        {effects.map((effect) => (
          <Effect key={effect.effect} effect={effect} from={from} until={until} isOver={state === 'ended'} />
        ))}
      </div>
      {state === 'ended' && <Ended key={run} />}
      {effects.length > 0 && <Marks view={view} from={from} until={until} />}
    </>
  );
}

/** When the last thing was counted. The time that the page stays open is no part of the run. */
function lastOf({ at, effects }: RehearsalView): number {
  const last = Math.max(...effects.map(({ samples }) => samples.at(-1)?.at ?? 0));
  return last > 0 ? last : at;
}

function Ended() {
  const { value, error } = useLoad<{ readonly report?: ReportView }>('/api/rehearsal/report');
  return (
    <>
      <Failed error={error} />
      {value?.report && <Report report={value.report} />}
    </>
  );
}

const shownSeries = [
  { name: 'deliveries', title: 'Deliveries', tone: 'in-flight' },
  { name: 'done', title: 'Done', tone: 'good' },
  { name: 'doubled', title: 'Doubled', tone: 'bad' },
  { name: 'lost', title: 'Lost', tone: 'parked' },
] as const;

function Effect({
  effect: { effect, owed, isLive, samples },
  from,
  until,
  isOver,
}: {
  readonly effect: EffectOverTime;
  readonly from: number;
  readonly until: number;
  readonly isOver: boolean;
}) {
  const last = samples.at(-1);
  const series = shownSeries.map(({ name, title, tone }) => ({
    ...{ title: name === 'lost' && !isOver ? 'Lost so far' : title, tone },
    value: last?.[name] ?? 0,
    points: samples.map((sample) => [sample.at, sample[name]] as const),
  }));
  const said = series.map(({ title, value }) => `${value.toLocaleString('en')} ${title.toLowerCase()}`).join(', ');
  return (
    <section class="card" aria-label={shown(effect)}>
      <div class="card-head">
        <h2 class="text">{shown(effect)}</h2>
        <span class="muted">
          {owed > 0 && `owed to ${count(owed, 'intent')}`}
          {last !== undefined && last.toCome > 0 && ` · ${last.toCome.toLocaleString('en')} to come`}
        </span>
      </div>
      {!isLive && !isOver && <p class="muted">A function of the rehearsal file counts it, at the end.</p>}
      <dl class="numbers">
        {series.map(({ title, tone, value }) => (
          <div key={title}>
            <dt>
              <i class={`dot fill-${tone}`} /> {title}
            </dt>
            <dd class="big">{value.toLocaleString('en')}</dd>
          </div>
        ))}
      </dl>
      <Lines series={series} from={from} until={until} label={`${shown(effect)} over time: ${said}`} />
    </section>
  );
}
