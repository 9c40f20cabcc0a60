import { useState } from 'preact/hooks';
import type { EffectFound, HarmedView, ReportView } from '../api.ts';
import { count, shown, shownBody } from './format.ts';
import { Scroll } from './parts.tsx';

const columnHeads = [
  ['intents', 'intents'],
  ['done', 'done'],
  ['doubled', 'doubled'],
  ['lost', 'lost'],
  ['unfinished', 'unfinished'],
  ['parked', 'parked'],
  ['setAside', 'set aside'],
  ['notOwed', 'refused'],
  ['uncounted', 'uncounted'],
  ['unjudged', 'not judged'],
] as const satisfies readonly (readonly [keyof EffectFound, string])[];

const pageSize = 50;

/** What a rehearsal has found out, with the story of each intent that came to harm. */
export function Report({
  report: { good, noVerdict, seconds, effects, empty, untested, notJudged, harmed, findings, hints },
}: {
  readonly report: ReportView;
}) {
  const [most, setMost] = useState(pageSize);
  const sum = (name: 'absent' | 'doubled' | 'lost' | 'unfinished') =>
    effects.reduce((total, effect) => total + effect[name], 0);
  const unfinished = sum('unfinished');
  const absent = sum('absent');
  return (
    <section class="card" aria-labelledby="report">
      <div class="card-head">
        <h2 id="report">Report</h2>
        <span class="muted">{Math.round(seconds)} s</span>
      </div>
      <p>
        <strong class={good ? 'good' : 'bad'}>
          {sum('doubled')} doubled, {sum('lost')} lost{unfinished > 0 && `, ${unfinished} unfinished`}
          {empty.length > 0 && ', but it shows nothing'}
          {findings.length > 0 && `, ${count(findings.length, 'finding')}`}.
        </strong>
      </p>
      {noVerdict !== undefined && <p>No verdict. {shown(noVerdict)}</p>}
      <Reasons title="The rehearsal shows nothing" reasons={empty} />
      <Scroll label="What became of each effect">
        <table class="list">
          <thead>
            <tr>
              <th>Effect</th>
              {columnHeads.map(([name, title]) => (
                <th key={name} class="number">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {effects.map((effect) => (
              <tr key={effect.effect}>
                <td class="text">{shown(effect.effect)}</td>
                {columnHeads.map(([name]) => (
                  <td key={name} class="number">
                    {effect[name].toLocaleString('en')}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {absent > 0 && <p class="muted">Of the done, {absent} have not happened, and need not.</p>}
      <Reasons title="The rehearsal shows nothing about" reasons={untested} />
      <Reasons title="Not judged: they have not happened at all under --filter" reasons={notJudged} />
      <Reasons title="Found by check" reasons={findings} />
      {hints.length > 0 && <h3>Why</h3>}
      {hints.length > 0 && (
        <ul>
          {hints.map(({ text, intents }) => (
            <li key={text} class="text">
              {shown(text)} {intents.length > 0 && <span class="muted">({count(intents.length, 'intent')})</span>}
            </li>
          ))}
        </ul>
      )}
      {harmed.length > 0 && <h3>Stories</h3>}
      {harmed.slice(0, most).map((one) => (
        <Story key={`${one.effect} ${one.intent} ${one.problem}`} harmed={one} />
      ))}
      {harmed.length > most && (
        <button type="button" onClick={() => setMost(most + pageSize)}>
          Show {count(Math.min(pageSize, harmed.length - most), 'more story', 'more stories')}
        </button>
      )}
    </section>
  );
}

function Reasons({ title, reasons }: { readonly title: string; readonly reasons: readonly string[] }) {
  if (reasons.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {reasons.map((reason) => (
          <li key={reason} class="text">
            {shown(reason)}
          </li>
        ))}
      </ul>
    </>
  );
}

function Story({ harmed: { effect, intent, problem, times, story } }: { readonly harmed: HarmedView }) {
  return (
    <details>
      <summary class="text">
        <strong>{shown(intent)}</strong>: {shown(effect)} happened {times === 1 ? 'once' : `${times} times`}{' '}
        <span class="bad">{problem}</span>
      </summary>
      <Scroll label={`The story of ${shown(intent)}`}>
        <pre>{shownBody(story.join('\n'))}</pre>
      </Scroll>
    </details>
  );
}
