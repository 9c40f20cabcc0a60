import { useEffect, useRef, useState } from 'preact/hooks';
import type { ActLine, ClaimsFilter, ConsoleState, PlanShown, PlanWanted } from '../api.ts';
import { act, post } from './call.ts';
import { count, shown } from './format.ts';
import { Modal } from './modal.tsx';
import { Failed } from './parts.tsx';
import { Bar } from './picture.tsx';
import { linkTo } from './place.ts';

/*
 * What the operator does, in three moments: choose, read the plan and confirm it with a name and a note, see what became of each item.
 */

export const VERDICTS = [
  ['applied', 'The effect happened. A redriven message is acknowledged, and does not run.'],
  ['not-applied', 'It did not happen. A redriven message runs.'],
  ['retry', 'It is not known. A redriven message runs all the same, and the effect may happen twice.'],
] as const;

type Verdict = (typeof VERDICTS)[number][0];
type OnClose = (acted: boolean) => void;

export function ResolveDialog({
  state,
  about,
  onClose,
}: {
  readonly state: ConsoleState;
  readonly about: { readonly ids: readonly string[] } | { readonly filter: ClaimsFilter };
  readonly onClose: OnClose;
}) {
  const [verdict, setVerdict] = useState<Verdict>();
  const { plan, error, make } = usePlan();
  const acted = useRef(false);
  const all = 'ids' in about ? count(about.ids.length, 'claim') : 'all claims that the filter finds';
  return (
    <Modal title={`Resolve ${all}`} onClose={() => onClose(acted.current)}>
      {plan === undefined ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (verdict !== undefined) make({ kind: 'resolve', verdict, ...about });
          }}
        >
          <fieldset>
            <legend>What do you know of the effect?</legend>
            {VERDICTS.map(([value, says]) => (
              <label key={value} class="radio">
                <input
                  type="radio"
                  name="verdict"
                  required
                  checked={verdict === value}
                  onChange={() => setVerdict(value)}
                />
                <span>
                  <strong>{value}</strong>
                  <br />
                  {says}
                </span>
              </label>
            ))}
          </fieldset>
          <Failed error={error} />
          <p class="actions">
            <button class="main" type="submit">
              Show the plan
            </button>
          </p>
        </form>
      ) : (
        <Confirm
          state={state}
          plan={plan}
          undo="A written decision has no undo."
          deed={`Resolve ${count(plan.count, 'claim')} as ${verdict}`}
          onActed={() => {
            acted.current = true;
          }}
        />
      )}
    </Modal>
  );
}

export function RedriveDialog({
  state,
  wanted,
  onClose,
}: {
  readonly state: ConsoleState;
  readonly wanted: Extract<PlanWanted, { readonly kind: 'redrive' }>;
  readonly onClose: OnClose;
}) {
  const { plan, error, make } = usePlan();
  const acted = useRef(false);
  useEffect(() => make(wanted), []);
  return (
    <Modal title={`Redrive ${count(wanted.messageIds.length, 'message')}`} onClose={() => onClose(acted.current)}>
      <Failed error={error} />
      {plan === undefined ? (
        error === undefined && <p role="status">Reading the claims …</p>
      ) : (
        <Confirm
          state={state}
          plan={plan}
          undo="A message that was sent has no undo: its consumer runs at once. pawl sends a copy first, and then deletes the dead letter."
          deed={`Redrive ${count(plan.count, 'message')}`}
          onActed={() => {
            acted.current = true;
          }}
        />
      )}
    </Modal>
  );
}

function usePlan() {
  const [plan, setPlan] = useState<PlanShown>();
  const [error, setError] = useState<string>();
  const make = (wanted: PlanWanted) => {
    setError(undefined);
    post<PlanShown>('/api/plan', wanted).then(setPlan, (thrown: Error) => setError(thrown.message));
  };
  return { plan, error, make };
}

const willWords: Readonly<Record<string, readonly [tone: string, says: string]>> = {
  resolve: ['good', 'will be resolved'],
  'park and resolve': ['good', 'will be parked, then resolved'],
  run: ['good', 'will run'],
  acknowledge: ['in-flight', 'will be acknowledged: the effect is confirmed'],
  'consumer-decides': ['plain', 'the consumer decides: the claim is not known'],
};

export function wordsOf(will: string): readonly [tone: string, says: string] {
  return willWords[will] ?? ['parked', will.replace('stay: ', 'stay: ')];
}

function Confirm({
  state,
  plan,
  undo,
  deed,
  onActed,
}: {
  readonly state: ConsoleState;
  readonly plan: PlanShown;
  readonly undo: string;
  readonly deed: string;
  readonly onActed: () => void;
}) {
  const [lines, setLines] = useState<readonly ActLine[]>();
  const [error, setError] = useState<string>();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);

  async function carryOut(by: string, note: string) {
    onActed();
    const all: ActLine[] = [];
    setLines([]);
    try {
      for await (const line of act({ planId: plan.planId, by, note })) {
        all.push(line);
        // Drawn for every line, ten thousand results would take minutes.
        if (all.length < 50 || all.length % 50 === 0) setLines([...all]);
      }
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown.message : String(thrown));
    }
    setLines([...all]);
  }

  if (lines !== undefined) return <Results plan={plan} lines={lines} error={error} />;
  return (
    <>
      <h3 ref={heading} tabIndex={-1}>
        The plan
      </h3>
      <Summary plan={plan} />
      <PlanItems plan={plan} />
      {plan.count === 0 ? (
        <p class="notice">There is nothing to do.</p>
      ) : (
        <ActedBy state={state} undo={undo} deed={deed} onConfirm={carryOut} />
      )}
    </>
  );
}

/** A name and a note, and the deed. */
export function ActedBy({
  state,
  undo,
  deed,
  onConfirm,
}: {
  readonly state: ConsoleState;
  readonly undo: string;
  readonly deed: string;
  readonly onConfirm: (by: string, note: string) => void;
}) {
  const [by, setBy] = useState(state.user);
  const [note, setNote] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onConfirm(by, note);
      }}
    >
      <label>
        Your name
        <input type="text" required value={by} onInput={({ currentTarget }) => setBy(currentTarget.value)} />
      </label>
      <label>
        Note: how do you know?
        <textarea
          required
          maxLength={2000}
          rows={2}
          value={note}
          onInput={({ currentTarget }) => setNote(currentTarget.value)}
        />
      </label>
      <p class="notice notice-bad">{undo}</p>
      <p class="actions">
        <button class="danger" type="submit">
          {deed}
        </button>
      </p>
    </form>
  );
}

function Summary({ plan: { summary, itemsInAll } }: { readonly plan: PlanShown }) {
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

function PlanItems({ plan: { items, itemsInAll } }: { readonly plan: PlanShown }) {
  return (
    <details>
      <summary>Each item</summary>
      <ul class="items">
        {items.map((item) => {
          const id = 'id' in item ? item.id : (item.claimId ?? item.messageId);
          const will = item.will === 'stay' ? `stay: ${item.whyNot}` : item.will;
          return (
            <li key={'id' in item ? item.id : item.messageId}>
              <span class="text">{shown(id)}</span> <span class="muted">{will}</span>
            </li>
          );
        })}
      </ul>
      {itemsInAll > items.length && <p class="muted">and {(itemsInAll - items.length).toLocaleString('en')} more</p>}
    </details>
  );
}

const mostShown = 200;

/** What became of each item: those that were not done first. */
function Results({
  plan,
  lines,
  error,
}: {
  readonly plan: PlanShown;
  readonly lines: readonly ActLine[];
  readonly error: string | undefined;
}) {
  const results = lines.flatMap((line) => (line.kind === 'result' ? [line.result] : []));
  const failed = lines.find((line) => line.kind === 'failed');
  const isOver = lines.some((line) => line.kind !== 'result') || error !== undefined;
  const wanted = plan.kind === 'resolve' ? 'resolved' : 'redriven';
  const done = results.filter(({ outcome }) => outcome === wanted);
  const others = results.filter(({ outcome }) => outcome !== wanted);
  return (
    <>
      <p role="status" class="big">
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
            <span class="text">{shown('id' in result ? result.id : (result.claimId ?? result.messageId))}</span>{' '}
            <span class={result.outcome === wanted ? 'good' : 'bad'}>
              {result.outcome}
              {'whyNot' in result && `: ${result.whyNot}`}
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
