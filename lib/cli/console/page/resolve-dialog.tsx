import type { ClaimsFilter, ConsoleState, SeenClaim } from '../api.ts';
import type { OnClose } from './act.tsx';
import { ChoiceDialog } from './choice-dialog.tsx';
import { count } from './format.ts';
import { verdicts } from './words.ts';

/** Some claims, as the operator has seen them, or all that the filter finds. */
export type ResolveAbout = { readonly claims: readonly SeenClaim[] } | { readonly filter: ClaimsFilter };

/** Resolves claims, all with one verdict. */
export function ResolveDialog({
  state,
  about,
  onClose,
}: {
  readonly state: ConsoleState;
  readonly about: ResolveAbout;
  readonly onClose: OnClose;
}) {
  const all = 'claims' in about ? count(about.claims.length, 'claim') : 'all claims that the filter finds';
  const choices = verdicts.map(([value, says]) => ({
    ...{ value, says, undo: 'A written decision has no undo.' },
    wanted: { kind: 'resolve', verdict: value, ...seen(about) } as const,
    deed: (n: number) => `Resolve ${count(n, 'claim')} as ${value}`,
  }));
  return (
    <ChoiceDialog
      state={state}
      title={`Resolve ${all}`}
      question="What do you know of the effect?"
      choices={choices}
      onClose={onClose}
    />
  );
}

/** Of each claim, only what the server needs. If it has been granted since, the decision is about another doubt. */
function seen(about: ResolveAbout) {
  return 'claims' in about ? { claims: about.claims.map(({ id, fence }) => ({ id, fence })) } : about;
}
