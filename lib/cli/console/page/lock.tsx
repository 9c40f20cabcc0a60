import { useState } from 'preact/hooks';
import { resourcesOf } from '../../lock-words.ts';
import type { ConsoleState, LockShown } from '../api.ts';
import { age, shown, time } from './format.ts';
import { useKeys } from './keyboard.ts';
import { useLoad } from './load.ts';
import { Progress, ReleaseDialog } from './locks.tsx';
import { Fact, Failed, LockPill, LogQuery, StatePill } from './parts.tsx';
import { linkTo, type Place } from './place.ts';

interface Found {
  readonly at: number;
  readonly lock?: LockShown;
}

/** One lock, and the two ways out of work that is not done. */
export function Lock({ state, place: { params } }: { readonly state: ConsoleState; readonly place: Place }) {
  const path = `/api/lock?${new URLSearchParams({ id: params.get('id') ?? '' })}`;
  const { value: found, error, reload } = useLoad<Found>(path);
  const [acting, setActing] = useState(false);
  const lock = found?.lock;
  const canRelease = state.write && (lock?.state === 'kept' || lock?.state === 'lease-over');
  useKeys({ a: () => canRelease && setActing(true) });
  return (
    <>
      <p class="crumb">
        <a href={linkTo('locks')}>Locks</a>
      </p>
      <div class="head">
        <h1 class="text">{lock === undefined ? 'Lock' : `The lock of ${shown(lock.holder)}`}</h1>
        {canRelease && (
          <button type="button" class="main" onClick={() => setActing(true)}>
            Release …
          </button>
        )}
      </div>
      <Failed error={error} />
      {found && lock === undefined && <p class="empty">The table has no such lock.</p>}
      {found && lock && (
        <div class="columns">
          <Facts lock={lock} at={found.at} works={state.works} />
          <section class="card" aria-labelledby="ways">
            <h2 id="ways">What you can do</h2>
            <Ways lock={lock} />
            <LogQuery id={lock.id}>Requests that were refused for it say lock-busy, with its id.</LogQuery>
          </section>
        </div>
      )}
      {acting && lock && (
        <ReleaseDialog
          state={state}
          locks={[lock]}
          onClose={(acted) => {
            setActing(false);
            if (acted) reload();
          }}
        />
      )}
    </>
  );
}

function Facts({
  lock,
  at,
  works,
}: {
  readonly lock: LockShown;
  readonly at: number;
  readonly works: readonly string[];
}) {
  const { id, holder, claim, reason, since, until, status, resources, fence, released } = lock;
  return (
    <section class="card" aria-labelledby="facts">
      <h2 id="facts">What is known</h2>
      <dl class="facts">
        <dt>State</dt>
        <dd>
          <LockPill state={lock.state} />
        </dd>
        <dt>Holder</dt>
        <dd>
          {claim === undefined ? (
            <code class="text">{shown(holder)}</code>
          ) : (
            <>
              <a class="text" href={linkTo('claim', { id: holder })}>
                {shown(holder)}
              </a>{' '}
              <StatePill state={claim} />
            </>
          )}
        </dd>
        <Fact name="Reason" text={reason} />
        <dt>Since</dt>
        <dd>
          {time(since)} <span class="muted">{age(at - since)}</span>
        </dd>
        <dt>{status === 'kept' ? 'Kept until' : 'Lease until'}</dt>
        <dd>{time(until)}</dd>
        <Fact name={`Resources, ${resources}`} text={resourcesOf(lock)} />
        <dt>Work</dt>
        <dd>
          <Progress lock={lock} />
          {lock.works.length === 0 && (
            <span class="muted">
              {works.length === 0 ? 'Start the console with --work <name> to see how far it is.' : 'not begun'}
            </span>
          )}
        </dd>
        <dt>Fence</dt>
        <dd>{fence}</dd>
        <Fact name="Lock" text={id} />
        <Fact name="Released" text={released && `by ${released.by} at ${time(released.at)}: ${released.note}`} />
      </dl>
    </section>
  );
}

function Ways({ lock: { state, claim, works } }: { readonly lock: LockShown }) {
  if (state === 'ended') return <p>It has ended: its resources are free.</p>;
  if (state === 'held')
    return <p>Its worker may be alive. Wait: only that worker ends the lock, until its lease is over.</p>;
  const sum = (what: 'done' | 'total') => works.reduce((all, work) => all + work[what], 0);
  const [done, total] = [sum('done'), sum('total')];
  return (
    <dl class="ways">
      <dt>Go on</dt>
      <dd>
        {claim === 'rejected' ? (
          'The claim of its holder is rejected: no attempt comes any more.'
        ) : (
          <>
            Let the request of its holder come again, such as by a redrive of its{' '}
            <a href={linkTo('dead-letters')}>dead letter</a>. The next attempt has the resources at once, and does what
            is left
            {total > 0 && `: ${(total - done).toLocaleString('en')} of ${total.toLocaleString('en')}`}.
          </>
        )}
      </dd>
      <dt>Give up</dt>
      <dd>
        Release the lock. The resources are free for every holder. What is done stays done
        {total > 0 && `: ${done.toLocaleString('en')} of ${total.toLocaleString('en')}`}.
        {claim !== 'rejected' && ' If the request comes again, it locks anew, and does what is left.'}
      </dd>
    </dl>
  );
}
