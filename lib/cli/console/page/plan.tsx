import { useLayoutEffect, useRef } from 'preact/hooks';
import { whyItStays } from '../../lock-words.ts';
import type { ActLine, ItemResult, PlannedItem, PlanShown } from '../api.ts';
import { shown } from './format.ts';
import { Failed } from './parts.tsx';
import { Bar } from './picture.tsx';
import { linkTo } from './place.ts';

const willWords: Readonly<Record<string, readonly [tone: string, says: string]>> = {
  resolve: ['good', 'will be resolved'],
  'park and resolve': ['good', 'will be parked, then resolved'],
  run: ['good', 'will run'],
  accept: ['good', 'will be accepted: no later run reports them'],
  settle: ['good', 'will be settled by a remedy'],
  'go on': ['good', 'will be settled: an earlier run has begun the remedy'],
  ask: ['in-flight', 'will be asked for: a second person approves the remedy'],
  approve: ['good', 'will be approved: the next run carries the remedy out'],
  'settle-by-hand': ['good', 'will be recorded as settled by hand'],
  release: ['good', 'will be released: the resources are free for every holder'],
  ...Object.fromEntries(
    Object.entries(whyItStays).map(([why, says]) => [`stay: ${why}`, ['parked', `stay: ${says}`] as const]),
  ),
  delete: ['in-flight', 'will be deleted: the effect is confirmed'],
  discard: ['bad', 'will be deleted for good'],
  'discard in doubt': ['bad', 'will be deleted for good, although the effect may have happened'],
  acknowledge: ['in-flight', 'will be acknowledged: the effect is confirmed'],
  'consumer-decides': ['plain', 'the consumer decides: the claim is not known, or was only observed'],
};

function wordsOf(will: string): readonly [tone: string, says: string] {
  return willWords[will] ?? ['parked', will];
}

/** What will happen, and to how many. */
export function Summary({ plan: { summary, itemsInAll } }: { readonly plan: PlanShown }) {
  return (
    <ul class="plain">
      {summary.map(({ will, count: n }) => {
        const [tone, says] = wordsOf(will);
        return (
          <li key={will} class="measure">
            <span>
              <strong>{n.toLocaleString('en')}</strong> {says}
            </span>
            <Bar parts={[{ name: will, value: n, tone }]} of={itemsInAll} label={`${n} of ${itemsInAll}: ${says}`} />
          </li>
        );
      })}
    </ul>
  );
}

export function PlanItems({ plan: { items, itemsInAll } }: { readonly plan: PlanShown }) {
  return (
    <details>
      <summary>Each item</summary>
      <ul class="items">
        {items.map((item) => {
          return (
            <li key={'id' in item ? item.id : item.messageId}>
              <span class="text">{shown(nameOf(item))}</span> <span class="muted">{willOf(item)}</span>
            </li>
          );
        })}
      </ul>
      {itemsInAll > items.length && <p class="muted">and {(itemsInAll - items.length).toLocaleString('en')} more</p>}
    </details>
  );
}

/** What an item is about, as the operator knows it. */
function nameOf(item: PlannedItem | ItemResult): string {
  if ('lock' in item && item.lock !== undefined) return `${item.lock.holder}: ${item.id}`;
  return 'id' in item ? item.id : (item.claimId ?? item.messageId);
}

function willOf(item: PlannedItem): string {
  if (item.will === 'stay') return `stay: ${item.whyNot}`;
  return 'remedy' in item ? `${item.will}: ${item.remedy}, ${item.amount.toLocaleString('en')}` : item.will;
}

const mostShown = 200;
const doneWords = {
  resolve: 'resolved',
  redrive: 'redriven',
  discard: 'discarded',
  accept: 'accepted',
  approve: 'approved',
  settle: 'settled',
  'settle-by-hand': 'settled-by-hand',
  release: 'released',
} as const satisfies Record<PlanShown['kind'], string>;

/** What became of each item: those that were not done first. */
export function Results({
  plan,
  lines,
  error,
}: {
  readonly plan: PlanShown;
  readonly lines: readonly ActLine[];
  readonly error: string | undefined;
}) {
  const status = useRef<HTMLParagraphElement>(null);
  // The button that was pressed is gone, and the focus with it.
  useLayoutEffect(() => status.current?.focus(), []);
  const results = lines.flatMap((line) => (line.kind === 'result' ? [line.result] : []));
  const failed = lines.find((line) => line.kind === 'failed');
  const isOver = lines.some((line) => line.kind !== 'result') || error !== undefined;
  const wanted = doneWords[plan.kind];
  const done = results.filter(({ outcome }) => outcome === wanted);
  const others = results.filter(({ outcome }) => outcome !== wanted);
  return (
    <>
      <p role="status" class="big" tabIndex={-1} ref={status}>
        {isOver
          ? `${done.length.toLocaleString('en')} ${wanted}, ${(plan.stay + others.length).toLocaleString('en')} not`
          : `${results.length.toLocaleString('en')} of ${plan.count.toLocaleString('en')} …`}
      </p>
      <Bar
        parts={[
          { name: wanted, value: done.length, tone: 'good' },
          { name: 'not', value: others.length, tone: 'bad' },
        ]}
        of={plan.count}
        label={`${results.length} of ${plan.count}`}
      />
      <Failed error={error ?? (failed?.kind === 'failed' ? failed.error : undefined)} />
      <ul class="items">
        {[...others, ...done].slice(0, mostShown).map((result) => (
          <li key={'messageId' in result ? result.messageId : result.id}>
            <span class="text">{shown(nameOf(result))}</span>{' '}
            <span class={result.outcome === wanted ? 'good' : 'bad'}>
              {result.outcome}
              {'whyNot' in result && `: ${result.whyNot}`}
              {'limit' in result && `: ${result.limit}`}
              {'error' in result && `: ${shown(result.error.message)}`}
            </span>
          </li>
        ))}
      </ul>
      {isOver && plan.kind === 'resolve' && done.length > 0 && (
        <p>
          Their messages wait for you: <a href={linkTo('dead-letters')}>dead letters</a>.
        </p>
      )}
    </>
  );
}
