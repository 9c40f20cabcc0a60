import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { LockShown } from '../api.ts';
import { age, shown, time } from './format.ts';
import { isOpen, lockLooks, openStates } from './words.ts';

export function Pill({ tone, children }: { readonly tone: string; readonly children: ComponentChildren }) {
  return <span class={`pill tone-${tone}`}>{children}</span>;
}

export function StatePill({ state }: { readonly state: string }) {
  return <Pill tone={state}>{isOpen(state) ? openStates[state] : state}</Pill>;
}

export function LockPill({ state }: { readonly state: LockShown['state'] }) {
  const [tone, says] = lockLooks[state];
  return <Pill tone={tone}>{says}</Pill>;
}

export function Ago({ at, now }: { readonly at: number; readonly now: number }) {
  return (
    <time dateTime={Number.isFinite(at) ? new Date(at).toISOString() : undefined} title={time(at)}>
      {age(now - at)}
    </time>
  );
}

export function Notice({ tone = 'plain', children }: { readonly tone?: string; readonly children: ComponentChildren }) {
  return <p class={`notice notice-${tone}`}>{children}</p>;
}

export function Failed({ error }: { readonly error: string | undefined }) {
  return error === undefined ? null : (
    <p class="notice notice-bad" role="alert">
      {shown(error)}
    </p>
  );
}

export function Copy({ text, what }: { readonly text: string; readonly what: string }) {
  const [said, setSaid] = useState('');
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setSaid('Copied'),
      () => setSaid('The browser refused'),
    );
  return (
    <span class="copy">
      <button type="button" class="small" onClick={copy} aria-label={`Copy ${what}`}>
        Copy
      </button>
      <span role="status">{said}</span>
    </span>
  );
}

/** What may be wider than a narrow screen: it scrolls, and a keyboard reaches it. */
export function Scroll({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it, no key could scroll it
    <section class="scroll" tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}

/** What finds every event of a claim or a lock in CloudWatch Logs, by its id. */
export function LogQuery({ id, children }: { readonly id: string; readonly children: ComponentChildren }) {
  // In the log it stands in JSON.
  const inJson = JSON.stringify(id).slice(1, -1);
  const query = `filter @message like ${JSON.stringify(inJson)} | sort @timestamp`;
  return (
    <Notice>
      {children} The console does not read CloudWatch Logs. For every event of it, run this in Logs Insights:{' '}
      <code class="text">{query}</code> <Copy text={query} what="the query" />
    </Notice>
  );
}

export function Fact({ name, text }: { readonly name: string; readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <>
      <dt class="text">{shown(name)}</dt>
      <dd>
        <code class="text">{shown(text)}</code>
      </dd>
    </>
  );
}
