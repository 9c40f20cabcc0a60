import type { Host } from '../kernel/host.ts';
import { pauseMs } from '../kernel/retry.ts';

/** What the errors of a database mean for a shared request. */
export interface ErrorMeanings {
  /** Whether a request was refused for what it holds. Of a shared request, one part may be the reason, and the others may be in order. */
  isAboutContents(error: unknown): boolean;
  /** Whether no repetition helps. */
  isHopeless(error: unknown): boolean;
}

/** What came of one part of a shared request. After an error that may pass, it is sent again, a few times. */
export type Part<Out> = { readonly value: Out | Promise<Out> } | { readonly error: Error };

interface Waiting<In, Out> {
  readonly id: string;
  readonly input: In;
  readonly resolve: (value: Out | Promise<Out>) => void;
  readonly reject: (error: unknown) => void;
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
 * @param send serves parts, no two of them with the same id; what it rejects with is the answer to each of them, unless that is about their contents: then
 *   they are sent again in halves, so that the one that is refused is refused alone
 */
export function groupCommit<In, Out>(
  host: Pick<Host, 'after' | 'random'>,
  most: number,
  send: (inputs: readonly In[]) => Promise<readonly Part<Out>[]>,
  { isAboutContents, isHopeless }: ErrorMeanings,
): (id: string, input: In) => Promise<Out> {
  let queue: Waiting<In, Out>[] = [];
  const underWay = new Set<object>();
  let flushing = false;

  /** Not before all that becomes ready in this turn of the event loop has come. */
  function flushSoon(): void {
    if (!flushing) host.after(0, flush);
    flushing = true;
  }

  function flush(): void {
    flushing = false;
    while (queue.length >= most || (queue.length > 0 && underWay.size === 0)) {
      const group = new Map<string, Waiting<In, Out>>();
      queue = queue.filter((one) => {
        const stays = group.size === most || group.has(one.id);
        if (!stays) group.set(one.id, one);
        return stays;
      });
      serve([...group.values()]);
    }
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
    let parts: readonly Part<Out>[];
    try {
      parts = await send(group.map(({ input }) => input));
    } catch (error) {
      if (group.length > 1 && isAboutContents(error)) {
        const half = Math.ceil(group.length / 2);
        await Promise.all([sendApart(group.slice(0, half)), sendApart(group.slice(half))]);
        return;
      }
      for (const { reject } of group) reject(error);
      return;
    }
    for (const [index, one] of group.entries()) settle(one, parts[index] as Part<Out>);
  }

  function settle(one: Waiting<In, Out>, part: Part<Out>): void {
    if ('value' in part) one.resolve(part.value);
    else if (++one.tries >= mostTries || isHopeless(part.error)) one.reject(part.error);
    else host.after(pauseMs(host, one.tries), () => enqueue(one));
  }

  function enqueue(one: Waiting<In, Out>): void {
    queue.push(one);
    flushSoon();
  }

  return (id, input) => new Promise((resolve, reject) => enqueue({ id, input, resolve, reject, tries: 0 }));
}
