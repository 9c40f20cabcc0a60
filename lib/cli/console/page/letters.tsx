import type { DeadLetter } from 'pawl/operate';
import { useEffect, useState } from 'preact/hooks';
import type { Body, ConsoleState, LettersList, Overview, QueueName } from '../api.ts';
import { post } from './call.ts';
import { Choice, Search } from './filters.tsx';
import { bytes, count, shown, shownBody } from './format.ts';
import { DiscardDialog, RedriveDialog } from './letter-acts.tsx';
import { Pages, rowsAt } from './list.tsx';
import { useLoad } from './load.ts';
import { Ago, Failed, Notice, StatePill } from './parts.tsx';
import { go, linkTo, type Place, placeWith } from './place.ts';
import { ActBar, Rows, Tick } from './rows.tsx';
import { type Selection, useSelection } from './selection.ts';

/** The name of the reason of a message that SQS moved by itself. */
const movedBySqs = 'moved by SQS';

export function Letters({ state, place }: { readonly state: ConsoleState; readonly place: Place }) {
  const asked = state.queues.find(({ name }) => name === place.params.get('queue'));
  const [only] = state.queues;
  if (asked !== undefined) return <Queues state={state} place={place} queue={asked} />;
  if (only !== undefined && state.queues.length === 1) return <Queues state={state} place={place} queue={only} />;
  return <FirstWithLetters state={state} place={place} />;
}

/** Opens on a queue that has some: the first one is often empty, and looks as if there were none. */
function FirstWithLetters({ state, place }: { readonly state: ConsoleState; readonly place: Place }) {
  const { value, error } = useLoad<Overview>('/api/overview');
  const [first] = state.queues;
  if (first === undefined) return <p class="empty">The console has no dead-letter queue. Name it with --queue.</p>;
  if (value === undefined && error === undefined) return null;
  const found = value?.queues.find(({ depth = 0 }) => depth > 0)?.url;
  return <Queues state={state} place={place} queue={state.queues.find(({ url }) => url === found) ?? first} />;
}

function Queues({
  state,
  place,
  queue,
}: {
  readonly state: ConsoleState;
  readonly place: Place;
  readonly queue: QueueName;
}) {
  return (
    <>
      <div class="head">
        <h1>Dead letters</h1>
      </div>
      {state.queues.length > 1 && (
        <nav class="tabs" aria-label="Queues">
          {state.queues.map(({ url, name }) => (
            <a
              key={url}
              href={linkTo('dead-letters', { queue: name })}
              aria-current={url === queue.url ? 'page' : undefined}
            >
              {shown(name)}
            </a>
          ))}
        </nav>
      )}
      <QueueLetters key={queue.url} state={state} place={place} queue={queue} />
    </>
  );
}

function QueueLetters({
  state,
  place,
  queue,
}: {
  readonly state: ConsoleState;
  readonly place: Place;
  readonly queue: QueueName;
}) {
  const [list, setList] = useState<LettersList>();
  const [looking, setLooking] = useState(false);
  const [error, setError] = useState<string>();
  const [chosen, setChosen] = useState<readonly string[]>();
  const [discarded, setDiscarded] = useState<readonly string[]>();
  const selection = useSelection<DeadLetter>(({ messageId }) => messageId);
  const { params } = place;

  const last = () =>
    post<{ readonly last?: LettersList }>('/api/dead-letters/last', { queueUrl: queue.url }).then(
      (found) => setList(found.last),
      (thrown: Error) => setError(thrown.message),
    );
  useEffect(() => void last(), []);
  const [operation, key] = [params.get('operation') ?? '', params.get('key') ?? ''];
  const look = async () => {
    setLooking(true);
    setError(undefined);
    try {
      const finder = operation !== '' && key !== '' ? { operation, key } : {};
      setList(await post<LettersList>('/api/dead-letters', { queueUrl: queue.url, ...finder }));
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown.message : String(thrown));
    }
    setLooking(false);
  };

  const ended = (acted: boolean) => {
    if (!acted) return;
    selection.clear();
    void last();
  };

  const q = (params.get('q') ?? '').toLowerCase();
  const reason = params.get('reason');
  const found = (list?.letters ?? []).filter(
    (letter) => (reason === null || reasonOf(letter) === reason) && (q === '' || textOf(letter).includes(q)),
  );
  const redrive = (letters: readonly DeadLetter[]) => setChosen(letters.map(({ messageId }) => messageId));
  return (
    <>
      <div class="act-bar">
        <p>
          A look receives each message: it counts as a receive, and hides the messages for a moment.
          {queue.url.endsWith('.fifo') && ' Their groups are blocked meanwhile.'}
        </p>
        <button type="button" class={list === undefined ? 'main' : ''} disabled={looking} onClick={look}>
          {looking ? 'Looking …' : list === undefined ? 'Look at the messages' : 'Look again'}
        </button>
      </div>
      <Finder place={place} />
      <Failed error={error} />
      {list && (
        <>
          <Filters place={place} list={list} />
          <ActBar
            found={count(found.length, 'message')}
            all={found.length}
            selection={selection}
            write={state.write}
            verb="Redrive"
            onSelected={() => redrive(selection.rows)}
            onAll={() => redrive(found)}
          >
            <button
              type="button"
              disabled={selection.rows.length === 0}
              onClick={() => setDiscarded(selection.rows.map(({ messageId }) => messageId))}
            >
              Discard selected …
            </button>
          </ActBar>
          <Unseen list={list} />
          <Table letters={rowsAt(place, found)} at={list.at} queue={queue} selection={selection} />
          <Pages place={place} of={found.length} />
        </>
      )}
      {chosen && (
        <RedriveDialog
          state={state}
          queue={queue}
          messageIds={chosen}
          onClose={(acted) => {
            setChosen(undefined);
            ended(acted);
          }}
        />
      )}
      {discarded && (
        <DiscardDialog
          state={state}
          queue={queue}
          messageIds={discarded}
          onClose={(acted) => {
            setDiscarded(undefined);
            ended(acted);
          }}
        />
      )}
    </>
  );
}

/** A message that SQS has moved does not name its claim: the operation and the key of its consumer do. */
function Finder({ place }: { readonly place: Place }) {
  const field = (name: 'operation' | 'key', title: string, placeholder: string) => (
    <label>
      {title}
      <input
        type="text"
        value={place.params.get(name) ?? ''}
        placeholder={placeholder}
        onInput={({ currentTarget }) => go(placeWith(place, { [name]: currentTarget.value }), { replace: true })}
      />
    </label>
  );
  return (
    <details open={place.params.has('key')}>
      <summary>Find the claims of messages that SQS has moved</summary>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        {field('operation', 'Operation of the consumer', 'send-email')}
        {field('key', 'Its key', 'body:<path>, attribute:<name> or message-id')}
      </form>
    </details>
  );
}

function reasonOf({ reason }: DeadLetter): string {
  return reason ?? movedBySqs;
}

function textOf({ messageId, claimId = '', reason = '', error = '' }: DeadLetter): string {
  return `${messageId}\n${claimId}\n${reason}\n${error}`.toLowerCase();
}

function Filters({ place, list }: { readonly place: Place; readonly list: LettersList }) {
  const reasons = [...new Set(list.letters.map(reasonOf))].toSorted();
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()}>
      <Search place={place} placeholder="key, reason, error or message id" />
      <Choice place={place} param="reason" name="Reason" of={reasons} />
    </form>
  );
}

function Unseen({ list: { unseen, approximateNumber, maxReceiveCount } }: { readonly list: LettersList }) {
  return (
    <>
      {unseen > 0 && (
        <Notice>
          About {unseen} of {approximateNumber} could not be seen: they are hidden, behind others of their group, or too
          many.
        </Notice>
      )}
      {maxReceiveCount !== undefined && (
        <Notice>
          The queue has a redrive policy of its own: after {count(maxReceiveCount, 'receive')}, SQS moves a message on.
        </Notice>
      )}
    </>
  );
}

function Table({
  letters,
  at,
  queue,
  selection,
}: {
  readonly letters: readonly DeadLetter[];
  readonly at: number;
  readonly queue: QueueName;
  readonly selection: Selection<DeadLetter>;
}) {
  if (letters.length === 0) return <p class="empty">No message fits.</p>;
  return (
    <Rows
      caption="Dead letters"
      rows={letters}
      selection={selection}
      heads={
        <>
          <th>Message</th>
          <th>Reason and error</th>
          <th>Claim</th>
          <th class="number wide-only">Receives</th>
          <th class="number">Age</th>
        </>
      }
    >
      {letters.map((letter) => (
        <Row key={letter.messageId} letter={letter} at={at} queue={queue} selection={selection} />
      ))}
    </Rows>
  );
}

function Row({
  letter,
  at,
  queue,
  selection,
}: {
  readonly letter: DeadLetter;
  readonly at: number;
  readonly queue: QueueName;
  readonly selection: Selection<DeadLetter>;
}) {
  const { messageId, error, claimId, claim, claimIsForeign, joinedBy, receiveCount, sentAt, bodyBytes, group } = letter;
  const [body, setBody] = useState<Body>();
  const [failed, setFailed] = useState<string>();
  const selected = selection.has(letter);
  const reveal = () => {
    if (body !== undefined) return setBody(undefined);
    post<Body>('/api/dead-letters/body', { queueUrl: queue.url, messageId }).then(setBody, (thrown: Error) =>
      setFailed(thrown.message),
    );
  };
  return (
    <>
      <tr data-row class={selected ? 'selected' : undefined}>
        <Tick row={letter} name={`message ${messageId}`} selection={selection} />
        <td>
          <code title={messageId}>{messageId.slice(0, 8)}</code>{' '}
          <button type="button" class="small" aria-expanded={body !== undefined} onClick={reveal}>
            Body, {bytes(bodyBytes)}
            <span class="hidden"> of {messageId}</span>
          </button>
          {group !== undefined && <div class="muted text">group {shown(group)}</div>}
          <Failed error={failed} />
        </td>
        <td class="text">
          {shown(reasonOf(letter))}
          <div class="muted line" title={shown(error)}>
            {shown(error)}
          </div>
        </td>
        <td class="text">
          {claimId === undefined ? (
            <span class="muted" data-open tabIndex={-1}>
              not known
            </span>
          ) : (
            <a data-open href={linkTo('claim', { id: claimId })}>
              {shown(claimId)}
            </a>
          )}
          <div>
            {claimId !== undefined && (
              <StatePill
                state={claimIsForeign ? 'foreign' : (claim?.status ?? (joinedBy === 'key' ? 'not found' : 'not there'))}
              />
            )}
          </div>
        </td>
        <td class="number wide-only">{receiveCount}</td>
        <td class="number">
          <Ago at={sentAt} now={at} />
        </td>
      </tr>
      {body && (
        <tr class={selected ? 'selected' : undefined}>
          <td class="tick" />
          <td colSpan={5}>
            <pre class="body">
              {shownBody(body.body)}
              {body.cut && ' …'}
            </pre>
          </td>
        </tr>
      )}
    </>
  );
}
