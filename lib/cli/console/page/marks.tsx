import { useState } from 'preact/hooks';
import type { Mark, MarkedFault, RehearsalView } from '../api.ts';
import { count, shown } from './format.ts';
import { xOf } from './lines.tsx';
import { Pill, Scroll } from './parts.tsx';

const faultRows: readonly (readonly [MarkedFault, name: string, tone: string])[] = [
  ['kill', 'killed', 'bad'],
  ['freeze', 'stopped', 'parked'],
  ['redeliver', 'delivered again', 'in-flight'],
  ['duplicate', 'sent again', 'in-flight'],
  ['loseAnswer', 'response lost', 'in-doubt'],
  ['throttle', 'throttled', 'parked'],
  ['provider', 'provider', 'in-doubt'],
  ['ttl', 'expired', 'in-doubt'],
  ['indexLag', 'index lags', 'in-doubt'],
  ['other', 'other', 'plain'],
  ['deploy', 'deployed', 'good'],
];

const pageSize = 50;

/** What went wrong, on a line of time, and one by one. */
export function Marks({
  view: { marks, marksInAll },
  from,
  until,
}: {
  readonly view: RehearsalView;
  readonly from: number;
  readonly until: number;
}) {
  const [fault, setFault] = useState('');
  const [most, setMost] = useState(pageSize);
  const chosen = marks.filter((mark) => fault === '' || mark.fault === fault);
  const lanes = faultRows
    .map(([name, title, tone]) => ({
      ...{ name, title, tone },
      marks: marks.filter((mark) => mark.fault === name),
    }))
    .filter((lane) => lane.marks.length > 0);
  return (
    <section class="card" aria-labelledby="faults">
      <div class="card-head">
        <h2 id="faults">Faults</h2>
        <strong class="big">{marksInAll.toLocaleString('en')}</strong>
      </div>
      {marks.length === 0 && <p class="muted">Nothing has gone wrong yet.</p>}
      {marks.length < marksInAll && <p class="muted">The newest {marks.length.toLocaleString('en')} are shown.</p>}
      <dl class="lanes">
        {lanes.map(({ name, title, tone, marks: own }) => (
          <div key={name}>
            <dt>
              {title} <span class="muted">{own.length.toLocaleString('en')}</span>
            </dt>
            <dd>
              <Lane marks={own} tone={tone} from={from} until={until} label={`${title}: ${own.length}, over time`} />
            </dd>
          </div>
        ))}
      </dl>
      {marks.length > 0 && (
        <label class="choice">
          Show{' '}
          <select value={fault} onChange={({ currentTarget }) => setFault(currentTarget.value)}>
            <option value="">all faults</option>
            {lanes.map(({ name, title }) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
        </label>
      )}
      {chosen.length > 0 && <Table marks={chosen.slice(-most).reverse()} from={from} />}
      {chosen.length > most && (
        <button type="button" onClick={() => setMost(most + pageSize)}>
          Show {count(Math.min(pageSize, chosen.length - most), 'older one')}
        </button>
      )}
    </section>
  );
}

function Lane({
  marks,
  tone,
  from,
  until,
  label,
}: {
  readonly marks: readonly Mark[];
  readonly tone: string;
  readonly from: number;
  readonly until: number;
  readonly label: string;
}) {
  return (
    <svg class="lane" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label={label}>
      <line class="spark-ground" x1="0" x2="100" y1="5" y2="5" />
      {marks.map((mark) => (
        <rect key={mark.id} class={`fill-${tone}`} x={xOf(mark.at, from, until) * 0.996} y="1" width="0.4" height="8">
          <title>{shown(titleOf(mark, from))}</title>
        </rect>
      ))}
    </svg>
  );
}

function titleOf({ at, sandbox = '', intents, message, text }: Mark, from: number): string {
  const which = message === undefined ? '' : `, message ${message}`;
  return `${secondsOf(at, from)} ${sandbox} ${intents.join(', ')}${which}: ${text}`;
}

function secondsOf(at: number, from: number): string {
  return `${((at - from) / 1000).toFixed(1)} s`;
}

function Table({ marks, from }: { readonly marks: readonly Mark[]; readonly from: number }) {
  return (
    <Scroll label="Faults, the newest first">
      <table class="list">
        <thead>
          <tr>
            <th class="number">After</th>
            <th>Fault</th>
            <th>Intent</th>
            <th>Sandbox</th>
            <th>Message</th>
            <th>What</th>
          </tr>
        </thead>
        <tbody>
          {marks.map(({ id, at, fault, intents, sandbox, construct, message, text }) => {
            const [, title, tone] = faultRows.find(([name]) => name === fault) ?? [fault, fault, 'plain'];
            return (
              <tr key={id}>
                <td class="number">{secondsOf(at, from)}</td>
                <td>
                  <Pill tone={tone}>{title}</Pill>
                </td>
                <td class="text">{shown(intents.join(', '))}</td>
                <td class="text">
                  {shown(sandbox)} <span class="muted">{shown(construct)}</span>
                </td>
                <td>
                  <code>{shown(message)}</code>
                </td>
                <td class="text">{shown(text)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Scroll>
  );
}
