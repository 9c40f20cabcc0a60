import { useEffect, useState } from 'preact/hooks';
import type { ConsoleState, QueueName, RedriveTargets } from '../api.ts';
import { PlanDialog } from './act.tsx';
import { post } from './call.ts';
import { Modal } from './modal.tsx';
import { Failed, Notice } from './parts.tsx';

interface LetterActProps {
  readonly state: ConsoleState;
  readonly queue: QueueName;
  readonly messageIds: readonly string[];
  readonly onClose: (acted: boolean) => void;
}

/** Redrives messages. Where it is not known which queue they are from, the operator says it: a message does not. */
export function RedriveDialog({ state, queue, messageIds, onClose }: LetterActProps) {
  const [to, setTo] = useState(queue.to);
  if (to !== undefined) {
    const wanted = { kind: 'redrive', queueUrl: queue.url, messageIds, to } as const;
    return <PlanDialog state={state} wanted={wanted} onClose={onClose} />;
  }
  return (
    <Modal title="Where do the messages go?" onClose={() => onClose(false)}>
      <Target queue={queue} onChosen={setTo} />
    </Modal>
  );
}

function Target({ queue, onChosen }: { readonly queue: QueueName; readonly onChosen: (to: string) => void }) {
  const [targets, setTargets] = useState<RedriveTargets>();
  const [error, setError] = useState<string>();
  const [chosen, setChosen] = useState('');
  const [typed, setTyped] = useState('');
  useEffect(() => {
    post<RedriveTargets>('/api/dead-letters/targets', { queueUrl: queue.url }).then(
      (found) => {
        const [only, ...more] = found.sources;
        if (only !== undefined && more.length === 0 && found.error === undefined) return onChosen(only);
        setTargets(found);
      },
      (thrown: Error) => setError(thrown.message),
    );
  }, []);
  if (targets === undefined) return error === undefined ? <p role="status">Asking SQS …</p> : <Failed error={error} />;
  const { sources } = targets;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onChosen(chosen === '' ? typed : chosen);
      }}
    >
      <Failed error={targets.error} />
      <Notice>
        {sources.length > 1
          ? 'Several queues share this dead-letter queue, and a message does not say which one it is from.'
          : 'It is not known which queue feeds this dead-letter queue.'}
      </Notice>
      {sources.length > 0 && (
        <fieldset>
          <legend>The queue of the consumer</legend>
          {[...sources, ''].map((url) => (
            <label key={url} class="radio">
              <input type="radio" name="target" checked={chosen === url} onChange={() => setChosen(url)} />
              <span class="text">{url === '' ? 'another one' : url}</span>
            </label>
          ))}
        </fieldset>
      )}
      {chosen === '' && (
        <label>
          The URL of the queue
          <input type="url" required value={typed} onInput={({ currentTarget }) => setTyped(currentTarget.value)} />
        </label>
      )}
      <p class="actions">
        <button class="main" type="submit">
          Show the plan
        </button>
      </p>
    </form>
  );
}

/** Deletes messages for good, those that can never run. */
export function DiscardDialog({ state, queue, messageIds, onClose }: LetterActProps) {
  const [evenInDoubt, setEvenInDoubt] = useState(false);
  const wanted = { kind: 'discard', queueUrl: queue.url, messageIds, evenInDoubt } as const;
  return (
    <PlanDialog state={state} wanted={wanted} onClose={onClose}>
      <label class="radio">
        <input
          type="checkbox"
          checked={evenInDoubt}
          onChange={({ currentTarget }) => setEvenInDoubt(currentTarget.checked)}
        />
        <span>
          Also messages whose effect may have happened, or whose claim is not known. Their claims stay as they are: one
          that is open stays open.
        </span>
      </label>
    </PlanDialog>
  );
}
