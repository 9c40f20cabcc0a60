import type { ClaimView } from 'pawl/operate';
import { age, shown, time } from './format.ts';

interface Moment {
  readonly at: number;
  readonly tone: string;
  readonly what: string;
  readonly more?: string | undefined;
}

/** The times that the record has, in order. */
function momentsOf(claim: ClaimView): readonly Moment[] {
  const { firstSeenAt, fence, attempts, inDoubtSince, leaseUntil, status, resolution, steps } = claim;
  const moments: Moment[] = [
    { at: firstSeenAt, tone: 'plain', what: 'First seen', more: 'A worker was granted the claim.' },
    ...steps.map(({ name, state, at, fence: by }) => ({
      at,
      tone: state === 'done' ? 'good' : state === 'started' ? 'in-doubt' : 'plain',
      what: `Step ${name}: ${state === 'started' ? 'started, no outcome' : state}`,
      more: by === undefined ? undefined : `fence ${by}`,
    })),
  ];
  if (status !== 'completed' && status !== 'rejected') {
    moments.push({
      at: leaseUntil,
      tone: 'in-flight',
      what: claim.state === 'waiting' ? 'The sweep looks at the execution' : `End of the lease of fence ${fence}`,
      more: attempts > 1 ? `The last of ${attempts} attempts.` : undefined,
    });
  }
  if (inDoubtSince !== undefined && inDoubtSince !== leaseUntil) {
    moments.push({
      at: inDoubtSince,
      tone: 'in-doubt',
      what: 'In doubt',
      more: 'Until here, an attempt may have applied the effect.',
    });
  }
  if (resolution !== undefined) {
    const steps = resolution.steps === undefined ? '' : `${JSON.stringify(resolution.steps)} `;
    moments.push({
      at: Date.parse(resolution.at),
      tone: 'good',
      what: `Resolved as ${resolution.verdict} by ${resolution.by}`,
      more: `${steps}${resolution.note}`,
    });
  }
  return moments.toSorted((a, b) => a.at - b.at);
}

const now: Readonly<Record<string, readonly [tone: string, what: string]>> = {
  parked: ['parked', 'Parked: it waits for an operator'],
  'in-doubt': ['in-doubt', 'In doubt: the next request decides by the policy'],
  waiting: ['waiting', 'It waits for the end of an execution'],
  'in-flight': ['in-flight', 'In flight'],
  completed: ['good', 'Completed'],
  rejected: ['bad', 'Rejected'],
  released: ['plain', 'Released: the next request runs it'],
};

export function Story({ claim, now: at }: { readonly claim: ClaimView; readonly now: number }) {
  const [tone, what] = now[claim.state ?? claim.status] ?? ['plain', claim.status];
  const moments = momentsOf(claim);
  return (
    <ol class="story">
      {moments
        .filter((moment) => moment.at <= at)
        .map((moment) => (
          <Point key={`${moment.at}${moment.what}`} moment={moment} now={at} />
        ))}
      <li class={`point tone-${tone}`} aria-current="step">
        <strong>{what}</strong>
        <div class="muted">now, {time(at)}</div>
      </li>
      {moments
        .filter((moment) => moment.at > at)
        .map((moment) => (
          <Point key={`${moment.at}${moment.what}`} moment={moment} now={at} />
        ))}
    </ol>
  );
}

function Point({ moment: { at, tone, what, more }, now }: { readonly moment: Moment; readonly now: number }) {
  return (
    <li class={`point tone-${tone}`}>
      <span class="text">{shown(what)}</span>
      {more && <div class="text">{shown(more)}</div>}
      <div class="muted">
        {time(at)} · {at > now ? `in ${age(at - now)}` : `${age(now - at)} ago`}
      </div>
    </li>
  );
}
