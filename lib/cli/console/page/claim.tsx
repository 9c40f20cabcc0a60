import type { ClaimView } from 'pawl/operate';
import { useState } from 'preact/hooks';
import type { ConsoleState } from '../api.ts';
import { shown, shownBody, time } from './format.ts';
import { useKeys } from './keyboard.ts';
import { useLoad } from './load.ts';
import { Copy, Fact, Failed, LogQuery, StatePill } from './parts.tsx';
import { linkTo, type Place } from './place.ts';
import { ResolveDialog } from './resolve-dialog.tsx';
import { StepsDialog } from './steps.tsx';
import { Story } from './story.tsx';

interface Found {
  readonly at: number;
  readonly claim?: ClaimView;
}

export function Claim({ state, place: { params } }: { readonly state: ConsoleState; readonly place: Place }) {
  const id = params.get('id') ?? '';
  const [results, setResults] = useState(false);
  const path = `/api/claim?${new URLSearchParams({ id, ...(results && { results: '1' }) })}`;
  const { value: found, error, reload } = useLoad<Found>(path);
  const [acting, setActing] = useState(false);
  const claim = found?.claim;
  const waits = claim?.state === 'waiting' && claim.execution !== undefined;
  const canResolve = state.write && (claim?.state === 'parked' || claim?.state === 'in-doubt' || waits);
  useKeys({ a: () => canResolve && setActing(true) });
  const close = (acted: boolean) => {
    setActing(false);
    if (acted) reload();
  };
  return (
    <>
      <p class="crumb">
        <a href={linkTo('claims')}>Open claims</a>
      </p>
      <div class="head">
        <h1 class="text">{shown(id)}</h1>
        {canResolve && (
          <button type="button" class="main" onClick={() => setActing(true)}>
            Resolve …
          </button>
        )}
      </div>
      <Failed error={error} />
      {found && claim === undefined && <p class="empty">The table has no such claim.</p>}
      {found && claim && (
        <div class="columns">
          <section class="card" aria-labelledby="story">
            <h2 id="story">Its story</h2>
            <Story claim={claim} now={found.at} />
            <LogQuery id={claim.id}>The record keeps the first and the last of it.</LogQuery>
          </section>
          <Facts claim={claim} results={results} onResults={() => setResults(true)} />
        </div>
      )}
      {acting && claim && claim.stepsInDoubt.length > 0 && <StepsDialog state={state} claim={claim} onClose={close} />}
      {acting && claim && claim.stepsInDoubt.length === 0 && (
        <ResolveDialog state={state} about={{ claims: [claim] }} onClose={close} />
      )}
    </>
  );
}

function Facts({
  claim,
  results,
  onResults,
}: {
  readonly claim: ClaimView;
  readonly results: boolean;
  readonly onResults: () => void;
}) {
  const { effectKey, error, attributes, execution, steps, hasResult, result } = claim;
  const isHidden = !results && (hasResult || steps.some((step) => step.hasResult));
  return (
    <section class="card" aria-labelledby="facts">
      <h2 id="facts">What is known</h2>
      <dl class="facts">
        <dt>State</dt>
        <dd>
          <StatePill state={claim.state ?? claim.status} />
        </dd>
        <dt>Effect key</dt>
        <dd>
          <code class="text">{shown(effectKey)}</code> <Copy text={effectKey} what="the effect key" />
          <div class="muted">Search the provider for it.</div>
        </dd>
        {error && (
          <>
            <dt>Reason</dt>
            <dd class="text">
              {shown(error.name)}
              <div class="muted">{shown(error.message)}</div>
            </dd>
          </>
        )}
        {execution && (
          <>
            <dt>Execution</dt>
            <dd>
              <code class="text">{shown(execution.execution)}</code>{' '}
              <Copy text={execution.execution} what="the execution" />
              {execution.consoleUrl && (
                <div>
                  <a href={execution.consoleUrl} target="_blank" rel="noreferrer">
                    In the console of AWS
                  </a>
                </div>
              )}
            </dd>
          </>
        )}
        <dt>Attempts</dt>
        <dd>
          {claim.attempts}, {claim.abandoned} of them abandoned
        </dd>
        <dt>Fence</dt>
        <dd>{claim.fence}</dd>
        <Fact name="Fingerprint" text={claim.fingerprint} />
        <Fact name="Message" text={claim.source} />
        {attributes &&
          Object.entries(attributes)
            .filter(([name]) => execution === undefined || name !== 'execution')
            .map(([name, value]) => <Fact key={name} name={name} text={String(value)} />)}
        <Fact name="Kept until" text={claim.expiresAt === undefined ? undefined : time(claim.expiresAt)} />
        <Fact name="Result" text={result} />
      </dl>
      {steps.length > 0 && (
        <>
          <h3>Steps</h3>
          <ol class="steps">
            {steps.map((step) => (
              <li key={step.name}>
                <span class="text">{shown(step.name)}</span>{' '}
                <StatePill state={claim.stepsInDoubt.includes(step.name) ? 'in-doubt' : step.state} />
                {step.result !== undefined && <pre>{shownBody(step.result)}</pre>}
              </li>
            ))}
          </ol>
        </>
      )}
      {isHidden && (
        <button type="button" onClick={onResults}>
          Show results
        </button>
      )}
    </section>
  );
}
