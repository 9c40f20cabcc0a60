import type { ConsoleState, FindingAct } from '../api.ts';
import type { OnClose } from './act.tsx';
import { ChoiceDialog } from './choice-dialog.tsx';
import { count } from './format.ts';

type Act = FindingAct | 'settle';

const words: Readonly<Record<Act, { readonly value: string; readonly says: string; readonly undo: string }>> = {
  settle: {
    value: 'Run its remedy',
    says: 'Once for each, such as a refund, within the limits. What needs a second person is asked for. The plan is a dry run.',
    undo: 'A remedy that has run has no undo. It runs in the console, with your credentials.',
  },
  approve: {
    value: 'Approve its remedy',
    says: 'Another person has asked for it. The next run carries it out.',
    undo: 'An approval has no undo. Who you are, AWS says: not the name below.',
  },
  'settle-by-hand': {
    value: 'It was settled by hand',
    says: 'You have done at the provider what was due. No remedy of it happens any more.',
    undo: 'What was settled by hand has no undo: no remedy of it happens any more.',
  },
  accept: {
    value: 'Accept it',
    says: 'Nothing is due. No later run reports it.',
    undo: 'No later run reports an accepted finding, and it has no undo. The provider and the claims stay as they are.',
  },
};

const verbs: Readonly<Record<Act, string>> = {
  settle: 'Settle',
  approve: 'Approve',
  'settle-by-hand': 'Record',
  accept: 'Accept',
};

/** Ends findings, all in one way. */
export function FindingDialog({
  state,
  ids,
  onClose,
}: {
  readonly state: ConsoleState;
  readonly ids: readonly string[];
  readonly onClose: OnClose;
}) {
  const acts = (Object.keys(words) as readonly Act[]).filter((act) => act !== 'settle' || state.remedies);
  const choices = acts.map((kind) => ({
    ...words[kind],
    wanted: { kind, ids },
    deed: (n: number) =>
      `${verbs[kind]} ${count(n, 'finding')}${kind === 'settle-by-hand' ? ' as settled by hand' : ''}`,
  }));
  return (
    <ChoiceDialog
      state={state}
      title={`Settle ${count(ids.length, 'finding')}`}
      question="What is to become of them?"
      choices={choices}
      onClose={onClose}
    />
  );
}
