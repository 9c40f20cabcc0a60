import type { Host } from '../kernel/host.ts';
import { NoAnswerError } from '../kernel/request.ts';
import { pauseMs } from '../kernel/retry.ts';
import { Pace } from './pace.ts';

/** What the errors of a database mean for a shared request. */
export interface ErrorMeanings {
  /** Whether a request was refused for what it holds. Of a shared request, one part may be the reason, and the others may be in order. */
  isAboutContents(error: unknown): boolean;
  /** Whether no repetition helps. */
  isHopeless(error: unknown): boolean;
  /** Whether it was refused because the database is asked for more than it can do. */
  isThrottled(error: unknown): boolean;
}

/** How a part stands to the others, where the database throttles. */
export interface Standing {
  /** It goes before what is not. */
  readonly isUrgent: boolean;
  /** It is not sent any more from then on, in epoch milliseconds. */
  readonly until: number;
}

/** What came of one part of a shared request. After an error that may pass, it is sent again, a few times. */
export type Part<Out> = { readonly value: Out | Promise<Out> } | { readonly error: Error };

interface Waiting<In, Out> {
  readonly id: string;
  readonly input: In;
  readonly resolve: (value: Out | Promise<Out>) => void;
  readonly reject: (error: unknown) => void;
  readonly standing: Standing;
  tries: number;
  /** What it was last refused with, because the database throttles. */
  refusal?: Error;
}

/** As often as the AWS SDK sends a request by itself. */
const mostTries = 4;
/** How long a part is sent again that is throttled, where nothing else is said of it. As long as a change of a claim waits for one try. */
const throttledMs = 5000;
/** After this time, what waits behind a request is sent beside it: it may not have the time to wait for one that hangs. */
const patienceMs = 250;

/**
 * Group commit: what is asked for at the same time shares a request of up to `most` parts. What comes while a request is
 * under way goes with the next one, all together; what comes while none is goes at once. Nothing waits for company.
 *
 * Where the database throttles, requests shrink and are sent apart (`pace.ts`), and what is refused for that is sent again until its time is over: a
 * message is not given back for it.
 *
 * @param send serves parts, no two of them with the same id; what it rejects with is the answer to each of them, unless that is about their contents: then
 *   they are sent again in halves, so that the one that is refused is refused alone
 */
export function groupCommit<In, Out>(
  host: Pick<Host, 'now' | 'after' | 'random'>,
  most: number,
  send: (inputs: readonly In[]) => Promise<readonly Part<Out>[]>,
  { isAboutContents, isHopeless, isThrottled }: ErrorMeanings,
): (id: string, input: In, standing?: Standing) => Promise<Out> {
  let queue: Waiting<In, Out>[] = [];
  const underWay = new Set<object>();
  const pace = new Pace(host);
  let flushing = false;

  /** Not before all that becomes ready in this turn of the event loop has come. */
  function flushSoon(): void {
    if (!flushing) host.after(pace.waitMs, flush);
    flushing = true;
  }

  function flush(): void {
    flushing = false;
    for (;;) {
      const mostNow = Math.min(most, pace.most);
      if (queue.length === 0 || (queue.length < mostNow && underWay.size > 0)) return;
      if (pace.waitMs > 0) {
        flushSoon();
        return;
      }
      if (pace.isLimited) queue = inOrderOfNeed(queue);
      const group = new Map<string, Waiting<In, Out>>();
      queue = queue.filter((one) => {
        const stays = group.size === mostNow || group.has(one.id);
        if (!stays) group.set(one.id, one);
        return stays;
      });
      serve([...group.values()]);
    }
  }

  /** What is urgent first, and nothing that has lost its sense. */
  function inOrderOfNeed(waiting: readonly Waiting<In, Out>[]): Waiting<In, Out>[] {
    const now = host.now();
    const {
      over = [],
      urgent = [],
      others = [],
    } = Object.groupBy(waiting, ({ standing }) => {
      if (standing.until <= now) return 'over';
      return standing.isUrgent ? 'urgent' : 'others';
    });
    for (const { reject, refusal } of over) {
      reject(refusal ?? new NoAnswerError('not sent in time: the database is throttled'));
    }
    return [...urgent, ...others];
  }

  async function serve(group: readonly Waiting<In, Out>[]): Promise<void> {
    const ended = () => {
      underWay.delete(group);
      flushSoon();
    };
    underWay.add(group);
    const cancel = host.after(patienceMs, ended);
    await sendApart(group);
    cancel();
    ended();
  }

  /** Sends parts together; or, if what they hold is refused, in halves. Never throws. */
  async function sendApart(group: readonly Waiting<In, Out>[]): Promise<void> {
    const came = pace.send(group.length);
    let parts: readonly Part<Out>[];
    try {
      parts = await send(group.map(({ input }) => input));
    } catch (error) {
      if (group.length > 1 && isAboutContents(error)) {
        const half = Math.ceil(group.length / 2);
        await Promise.all([sendApart(group.slice(0, half)), sendApart(group.slice(half))]);
        return;
      }
      if (!isThrottled(error)) {
        for (const { reject } of group) reject(error);
        return;
      }
      parts = group.map(() => ({ error: error as Error }));
    }
    const throttled = parts.filter((part) => 'error' in part && isThrottled(part.error)).length;
    came(group.length - throttled, throttled);
    for (const [index, one] of group.entries()) settle(one, parts[index] as Part<Out>);
  }

  function settle(one: Waiting<In, Out>, part: Part<Out>): void {
    if ('value' in part) one.resolve(part.value);
    else if (isThrottled(part.error)) enqueue(Object.assign(one, { refusal: part.error }));
    else if (++one.tries >= mostTries || isHopeless(part.error)) one.reject(part.error);
    else host.after(pauseMs(host, one.tries), () => enqueue(one));
  }

  function enqueue(one: Waiting<In, Out>): void {
    queue.push(one);
    flushSoon();
  }

  return (id, input, standing = { isUrgent: true, until: host.now() + throttledMs }) =>
    new Promise((resolve, reject) => enqueue({ id, input, resolve, reject, standing, tries: 0 }));
}
