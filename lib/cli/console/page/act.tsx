import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ActLine, ConsoleState, PlanShown, PlanWanted } from '../api.ts';
import { act, post } from './call.ts';
import { age, count } from './format.ts';
import { Modal } from './modal.tsx';
import { Failed } from './parts.tsx';
import { PlanItems, Results, Summary } from './plan.tsx';

/*
 * What the operator does, in three moments: choose, read the plan and confirm it with a name and a note, see what became of each item.
 */

/** @param acted whether something was done */
export type OnClose = (acted: boolean) => void;

/** An act whose plan is shown at once: there is nothing to choose. */
type AtOnce = Extract<PlanWanted, { readonly kind: keyof typeof atOnce }>;

const atOnce = {
  redrive: {
    title: ({ messageIds }: Extract<PlanWanted, { kind: 'redrive' }>) =>
      `Redrive ${count(messageIds.length, 'message')}`,
    deed: (n: number) => `Redrive ${count(n, 'message')}`,
    reading: 'Reading the claims …',
    undo: 'A message that was sent has no undo: its consumer runs at once. pawl sends a copy first, and then deletes the dead letter.',
  },
  discard: {
    title: ({ messageIds }: Extract<PlanWanted, { kind: 'discard' }>) =>
      `Discard ${count(messageIds.length, 'message')}`,
    deed: (n: number) => `Delete ${count(n, 'message')} for good`,
    reading: 'Reading the claims …',
    undo: 'A message that was deleted does not come back. Its claim keeps your name and your note, and stays what it is.',
  },
  release: {
    title: ({ locks }: Extract<PlanWanted, { kind: 'release' }>) => `Release ${count(locks.length, 'lock')}`,
    deed: (n: number) => `Release ${count(n, 'lock')}`,
    reading: 'Reading the locks …',
    undo: 'A release has no undo. The resources are free then, for every holder. Work that is not done stays half done, until the request of its holder comes again.',
  },
} as const;

function titleOf(wanted: AtOnce): string {
  switch (wanted.kind) {
    case 'redrive':
      return atOnce.redrive.title(wanted);
    case 'discard':
      return atOnce.discard.title(wanted);
    case 'release':
      return atOnce.release.title(wanted);
  }
}

export function PlanDialog({
  state,
  wanted,
  onClose,
  children,
}: {
  readonly state: ConsoleState;
  readonly wanted: AtOnce;
  readonly onClose: OnClose;
  /** What stands before the plan, and may change it. */
  readonly children?: ComponentChildren;
}) {
  const { plan, error, make } = usePlan();
  const acted = useRef(false);
  const { deed, reading, undo } = atOnce[wanted.kind];
  const asked = JSON.stringify(wanted);
  useEffect(() => make(wanted), [asked]);
  return (
    <Modal title={titleOf(wanted)} onClose={() => onClose(acted.current)}>
      {children}
      <Failed error={error} />
      {plan === undefined ? (
        error === undefined && <p role="status">{reading}</p>
      ) : (
        <Confirm
          state={state}
          plan={plan}
          undo={undo}
          deed={deed(plan.count)}
          onActed={() => {
            acted.current = true;
          }}
        />
      )}
    </Modal>
  );
}

export function usePlan() {
  const [plan, setPlan] = useState<PlanShown>();
  const [error, setError] = useState<string>();
  const make = (wanted: PlanWanted) => {
    setError(undefined);
    setPlan(undefined);
    post<PlanShown>('/api/plan', wanted).then(setPlan, (thrown: Error) => setError(thrown.message));
  };
  return { plan, error, make };
}

export function Confirm({
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
  // As soon as the plan is seen: a moment later, it would take the focus from where Tab has led.
  useLayoutEffect(() => heading.current?.focus(), []);

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
      {plan.to !== undefined && (
        <p class="muted">
          To <code class="text">{plan.to}</code>
        </p>
      )}
      {plan.isSource === false && (
        <p class="notice notice-bad">
          That queue does not feed this dead-letter queue: its redrive policy does not name it. Its consumer may not be
          the one that the messages are for.
        </p>
      )}
      {plan.amount !== undefined && <Amount plan={plan} />}
      {plan.youngestDoubt !== undefined && <YoungDoubt age={plan.at - plan.youngestDoubt} />}
      <PlanItems plan={plan} />
      {plan.count === 0 ? (
        <p class="notice">There is nothing to do.</p>
      ) : (
        <ActedBy state={state} undo={undo} deed={deed} onConfirm={carryOut} />
      )}
    </>
  );
}

/** What remedies cost. Other runs of today count as well, and what a run that died has reserved. */
function Amount({ plan: { amount = 0, taken } }: { readonly plan: PlanShown }) {
  return (
    <p class="notice">
      {amount.toLocaleString('en')} in all, in the smallest unit of the currency.
      {taken !== undefined &&
        taken.count > 0 &&
        ` Today, ${count(taken.count, 'remedy', 'remedies')} for ${taken.amount.toLocaleString('en')} in all are spent or reserved.`}
    </p>
  );
}

/** What was not applied at the moment may be applied by a request that is still under way. */
export function YoungDoubt({ age: ms }: { readonly age: number }) {
  return (
    <p class="notice notice-bad">
      The youngest doubt is {age(ms)} old. Wait until a request that the worker gave up can no longer reach the
      provider: as long as you would set settleMs. Until then, not-applied can repeat the effect.
    </p>
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
