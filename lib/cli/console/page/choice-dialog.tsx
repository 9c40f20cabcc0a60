import { useRef, useState } from 'preact/hooks';
import type { ConsoleState, PlanWanted } from '../api.ts';
import { Confirm, type OnClose, usePlan } from './act.tsx';
import { Modal } from './modal.tsx';
import { Failed } from './parts.tsx';

/** One thing that may be done. */
export interface Choice {
  readonly value: string;
  /** What it means, before the plan is made. */
  readonly says: string;
  readonly wanted: PlanWanted;
  /** The button that does it. @param n how many of the plan are acted on */
  readonly deed: (n: number) => string;
  /** What cannot be taken back. */
  readonly undo: string;
}

/** Asks what is to be done, then shows the plan of it. */
export function ChoiceDialog({
  state,
  title,
  question,
  choices,
  onClose,
}: {
  readonly state: ConsoleState;
  readonly title: string;
  readonly question: string;
  readonly choices: readonly Choice[];
  readonly onClose: OnClose;
}) {
  const [value, setValue] = useState<string>();
  const { plan, error, make } = usePlan();
  const acted = useRef(false);
  const chosen = choices.find((choice) => choice.value === value);
  return (
    <Modal title={title} onClose={() => onClose(acted.current)}>
      {plan === undefined || chosen === undefined ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (chosen !== undefined) make(chosen.wanted);
          }}
        >
          <fieldset>
            <legend>{question}</legend>
            {choices.map((choice) => (
              <label key={choice.value} class="radio">
                <input
                  type="radio"
                  name="choice"
                  required
                  checked={value === choice.value}
                  onChange={() => setValue(choice.value)}
                />
                <span>
                  <strong>{choice.value}</strong>
                  <br />
                  {choice.says}
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
          undo={chosen.undo}
          deed={chosen.deed(plan.count)}
          onActed={() => {
            acted.current = true;
          }}
        />
      )}
    </Modal>
  );
}
