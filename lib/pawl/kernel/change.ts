import type { Host } from './host.ts';
import type { Transition, Write, Written } from './record.ts';
import { answeredBy } from './request.ts';
import { Retry, type RetryPolicy } from './retry.ts';

/** A change that the owner of a record wants to make. */
export interface Change<R extends object> extends RetryPolicy {
  /** The record as its owner knows it. */
  readonly seen: R | undefined;
  /** What to make of the record, `now` in epoch milliseconds. Pure: it is asked again for each state of the record that is found. */
  readonly transition: (found: R | undefined, now: number) => Transition<R>;
  readonly write: (write: Write<R>) => Promise<Written<R>>;
}

/** What became of a change. `applied`: by this call, or by an earlier one whose answer was lost; `record` is what stands now. */
export type Changed<R> = { readonly kind: 'applied'; readonly record: R | undefined } | { readonly kind: 'stale' };

/**
 * Makes one transition of a record true, whatever happens on the way: it writes, looks at what refused the write, and writes again.
 * A request that hangs is given up and sent again. If both arrive, the condition lets one of them through.
 *
 * @throws the store's error, or NoAnswerError, once the policy allows no further try. Then the change may or may not be applied
 */
export async function change<R extends object>(host: Host, wanted: Change<R>): Promise<Changed<R>> {
  const { transition, write } = wanted;
  const retry = new Retry(host, wanted);
  let { seen } = wanted;
  for (;;) {
    const now = host.now();
    const next = transition(seen, now);
    if (next === 'stale') return { kind: 'stale' };
    if (next === 'applied') return { kind: 'applied', record: seen };
    let written: Written<R>;
    try {
      const until = retry.tryUntil(now);
      written = await answeredBy(host, until, write({ next, seen, waitsMs: until - now }), { now });
    } catch (error) {
      await retry.pauseAfter(error);
      continue;
    }
    if (written.applied) return { kind: 'applied', record: next };
    await retry.pauseAfterRefusal();
    seen = written.found;
  }
}
