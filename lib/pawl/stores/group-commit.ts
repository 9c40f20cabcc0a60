import type { Host } from '../kernel/host.ts';
import { pauseMs } from '../kernel/retry.ts';
import { createPace } from './pace.ts';

/** What the errors of a database mean for a shared request. */
export interface ErrorMeanings {
  /** Whether a request was refused for what it holds. Of a shared request, one part may be the reason, and the others may be in order. */
  isAboutContents(error: unknown): boolean;
  /** Whether no repetition helps. */
  isHopeless(error: unknown): boolean;
  /** Whether it was refused because the database is asked for more than it can do. @default no error says so */
  isThrottled?(error: unknown): boolean;
}

/** How a part stands to the others, where the database throttles. */
export interface Standing {
  /** How long its caller waits, in milliseconds: until then it is sent again. @default it is sent as often as after any other error */
  readonly waitsMs?: number | undefined;
  /** Whether it goes after the others. @default no */
  readonly mayWait?: boolean;
}

/** What came of one part of a shared request. After an error that may pass, it is sent again, a few times. */
export type Part<Out> = { readonly value: Out | Promise<Out> } | { readonly error: Error };

interface Waiting<In, Out> {
  readonly id: string;
  readonly input: In;
  readonly resolve: (value: Out | Promise<Out>) => void;
  readonly reject: (error: unknown) => void;
  readonly mayWait: boolean;
  /** When its caller stops waiting, in epoch milliseconds; 0 where it does not say. */
  readonly until: number;
  tries: number;
}

/** As often as the AWS SDK sends a request by itself. */
const mostTries = 4;
/** After this time, what waits behind a request is sent beside it: it may not have the time to wait for one that hangs. */
const patienceMs = 250;

/**
 * Group commit: what is asked for at the same time shares a request of up to `most` parts. What comes while a request is
 * under way goes with the next one, all together; what comes while none is goes at once. Nothing waits for company.
 *
 * Where the database throttles, requests shrink and wait (`pace.ts`), and a part is sent again as long as its caller waits.
 *
 * @param send serves parts, no two of them with the same id; what it rejects with is the answer to each of them, unless that is about their contents: then
 *   they are sent again in halves, so that the one that is refused is refused alone
 */
export function groupCommit<In, Out>(
  host: Pick<Host, 'now' | 'after' | 'random'>,
  most: number,
  send: (inputs: readonly In[], isLimited: boolean) => Promise<readonly Part<Out>[]>,
  { isAboutContents, isHopeless, isThrottled = () => false }: ErrorMeanings,
): (id: string, input: In, standing?: Standing) => Promise<Out> {
  let queue: Waiting<In, Out>[] = [];
  const underWay = new Set<object>();
  let flushing = false;
  const pace = createPace(host, flushSoon);
  /** What the database has throttled with last. */
  let throttled: unknown;

  /** Not before all that becomes ready in this turn of the event loop has come. */
  function flushSoon(): void {
    if (!flushing) host.after(0, flush);
    flushing = true;
  }

  function flush(): void {
    flushing = false;
    if (pace.isLimited()) putInOrder();
    else if (queue.length > most) queue = inPairs(queue);
    while (queue.length > 0) {
      const mostNow = Math.min(most, pace.most());
      if (mostNow === 0 || (queue.length < mostNow && underWay.size > 0)) return;
      const group = new Map<string, Waiting<In, Out>>();
      queue = queue.filter((one) => {
        const stays = group.size === mostNow || group.has(one.id);
        if (!stays) group.set(one.id, one);
        return stays;
      });
      serve([...group.values()]);
    }
  }

  /** Outcomes first, and nothing whose caller has gone. */
  function putInOrder(): void {
    const now = host.now();
    const isGone = ({ until }: Waiting<In, Out>) => until > 0 && until <= now;
    for (const { reject } of queue.filter(isGone)) reject(throttled);
    queue = queue.filter((one) => !isGone(one)).sort((a, b) => Number(a.mayWait) - Number(b.mayWait));
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
    const isLimited = pace.isLimited();
    pace.sent(group.length);
    let parts: readonly Part<Out>[];
    let isWhole = false;
    try {
      const inputs = group.map(({ input }) => input);
      parts = await send(inputs, isLimited);
    } catch (error) {
      if (group.length > 1 && isAboutContents(error)) {
        const half = Math.ceil(group.length / 2);
        await Promise.all([sendApart(group.slice(0, half)), sendApart(group.slice(half))]);
        return;
      }
      isWhole = true;
      parts = group.map(() => ({ error: error as Error }));
    }
    let refused = 0;
    for (const [index, one] of group.entries()) if (settle(one, parts[index] as Part<Out>, isWhole)) refused++;
    pace.learn(group.length - refused, refused);
  }

  /**
   * @param isWhole whether the error is that of the whole request, which its client has sent again already
   * @returns whether the database throttled it
   */
  function settle(one: Waiting<In, Out>, part: Part<Out>, isWhole: boolean): boolean {
    if ('value' in part) {
      one.resolve(part.value);
      return false;
    }
    const { error } = part;
    const isBusy = isThrottled(error);
    if (isBusy) throttled = error;
    const waitMs = pauseMs(host, ++one.tries);
    const mayPass =
      isBusy && one.until > 0
        ? host.now() + waitMs < one.until
        : !isWhole && one.tries < mostTries && !isHopeless(error);
    if (mayPass) host.after(waitMs, () => enqueue(one));
    else one.reject(error);
    return isBusy;
  }

  function enqueue(one: Waiting<In, Out>): void {
    queue.push(one);
    flushSoon();
  }

  return (id, input, { waitsMs, mayWait = false } = {}) =>
    new Promise((resolve, reject) => {
      const until = waitsMs === undefined ? 0 : host.now() + waitsMs;
      enqueue({ id, input, resolve, reject, mayWait, until, tries: 0 });
    });
}

/**
 * What may wait beside what may not, one by one. Where outcomes and new claims take several requests, each has as many of both: if the worker dies when one
 * of the requests has been sent and the next has not, one claim more is open than before, and not all new ones.
 */
function inPairs<One extends { readonly mayWait: boolean }>(queue: readonly One[]): One[] {
  const later = queue.filter(({ mayWait }) => mayWait);
  const sooner = queue.filter(({ mayWait }) => !mayWait);
  return sooner.flatMap((one) => [one, ...later.splice(0, 1)]).concat(later);
}
