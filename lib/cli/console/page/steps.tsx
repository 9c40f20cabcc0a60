import type { ClaimView, ResolveResult } from 'pawl/operate';
import { useState } from 'preact/hooks';
import type { ConsoleState } from '../api.ts';
import { ActedBy, YoungDoubt } from './act.tsx';
import { post } from './call.ts';
import { shown } from './format.ts';
import { Modal } from './modal.tsx';
import { Failed } from './parts.tsx';
import { verdicts } from './words.ts';

interface Said {
  readonly verdict: string;
  /** JSON text. */
  readonly result: string;
}

/** Resolves the steps of one claim, each with a verdict of its own. */
export function StepsDialog({
  state,
  claim,
  onClose,
}: {
  readonly state: ConsoleState;
  readonly claim: ClaimView;
  readonly onClose: (acted: boolean) => void;
}) {
  const [said, setSaid] = useState<ReadonlyMap<string, Said>>(new Map());
  const [outcome, setOutcome] = useState<string>();
  const [error, setError] = useState<string>();
  const of = (name: string): Said => said.get(name) ?? { verdict: '', result: '' };
  const say = (name: string, change: Partial<Said>) => setSaid(new Map(said).set(name, { ...of(name), ...change }));

  const youngest = youngestOf(claim, (name) => of(name).verdict === 'not-applied');

  async function resolve(by: string, note: string) {
    setError(undefined);
    try {
      const steps = Object.fromEntries(claim.stepsInDoubt.map((name) => [name, verdictOf(name, of(name))]));
      const result = await post<ResolveResult>('/api/resolve-steps', {
        id: claim.id,
        fence: claim.fence,
        steps,
        by,
        note,
      });
      setOutcome(result.outcome);
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown.message : String(thrown));
    }
  }

  return (
    <Modal title="Resolve each step in doubt" onClose={() => onClose(outcome !== undefined)}>
      {outcome !== undefined ? (
        <p role="status" class="big">
          {outcome}
        </p>
      ) : (
        <>
          {claim.stepsInDoubt.map((name) => (
            <fieldset key={name}>
              <legend class="text">{shown(name)}</legend>
              <label>
                What do you know of it?
                <select
                  value={of(name).verdict}
                  onChange={({ currentTarget }) => say(name, { verdict: currentTarget.value })}
                >
                  <option value="">choose</option>
                  {verdicts.map(([verdict]) => (
                    <option key={verdict} value={verdict}>
                      {verdict}
                    </option>
                  ))}
                </select>
              </label>
              {of(name).verdict === 'applied' && (
                <label>
                  What did it return? JSON, if a later step reads it
                  <input
                    type="text"
                    value={of(name).result}
                    onInput={({ currentTarget }) => say(name, { result: currentTarget.value })}
                  />
                </label>
              )}
            </fieldset>
          ))}
          <Failed error={error} />
          {youngest !== undefined && <YoungDoubt age={Date.now() - youngest} />}
          <ActedBy
            state={state}
            undo="A written decision has no undo. The handler runs again, and its steps go on from this."
            deed={`Resolve ${claim.stepsInDoubt.length === 1 ? 'the step' : `${claim.stepsInDoubt.length} steps`}`}
            onConfirm={resolve}
          />
        </>
      )}
    </Modal>
  );
}

/** Since when the youngest doubt about some steps of a claim stands, which no worker holds. @returns nothing where none of them is in doubt */
function youngestOf(
  { steps, stepsInDoubt, inDoubtSince = 0 }: ClaimView,
  isMeant: (name: string) => boolean,
): number | undefined {
  const since = steps.filter(({ name }) => stepsInDoubt.includes(name) && isMeant(name)).map(({ at }) => at);
  return since.length === 0 ? undefined : Math.max(...since, inDoubtSince);
}

/** @throws Error, whose message is for the operator */
function verdictOf(name: string, { verdict, result }: Said) {
  if (verdict === '') throw new Error(`${name}: choose what you know of it.`);
  if (verdict !== 'applied' || result === '') return verdict;
  try {
    return { verdict, result: JSON.parse(result) };
  } catch {
    throw new Error(`${name}: what it returned is not JSON. A text stands in quotes.`);
  }
}
