import { expect, expectWhole } from '../kernel/check.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import { expectOptions } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import type { Doubt, Verdict } from './claim.ts';
import type { Reconcile } from './held.ts';
import { openClaim } from './open-claim.ts';
import type { Outcome } from './outcome.ts';

export interface ReconcileOptions<Input> {
  /**
   * Looks the effect up, by its effect key. It must not apply anything. What it throws, and what it does not answer within the lease, is
   * inconclusive.
   */
  readonly ask: (input: Input, doubt: Doubt) => Promise<Verdict> | Verdict;
  /**
   * How long after an attempt ended its effect may still come to be seen, in milliseconds: the lag of the provider's reads, and the longest
   * that a request given up by the worker may still be on its way. "Not applied" is not believed earlier.
   */
  readonly settleMs: number;
}

const known = { ask: true, settleMs: true } as const satisfies NamesOf<ReconcileOptions<unknown>>;

/**
 * The policy for an effect whose provider can be asked: before anything runs again, it says what became of an attempt in
 * doubt. The old holder has been fenced off by then.
 *
 * @throws OptionError when `ask` is no function, or `settleMs` no whole number
 * @example
 * onAbandoned: reconcile({
 *   ask: async ({ body }, doubt) => ({ verdict: (await cards.find(doubt.effectKey)) ? 'applied' : 'not-applied' }),
 *   settleMs: 5000,
 * }),
 */
export function reconcile<Input>(options: ReconcileOptions<Input>): Reconcile<Input> {
  expectOptions(options, { door: 'reconcile', known, docs: 'docs/policies.md' });
  const { ask, settleMs } = options;
  expect(typeof ask === 'function', 'reconcile.ask', 'a function', ask);
  expectWhole('reconcile.settleMs', settleMs);

  return {
    settleMs,
    async settleDoubt<R>(...[engine, held, input]: Parameters<Reconcile<Input>['settleDoubt']>) {
      const { host, skewMs, maxAbandoned } = engine.settings;
      const { identity, record } = held;
      const { unknownAt } = record;
      if (unknownAt === undefined) return undefined;
      const retryAfterMs = Math.max(0, unknownAt + settleMs + skewMs - host.now());
      const settled = retryAfterMs === 0;
      const { claim, stop } = openClaim(engine, held, Infinity);
      const { signal } = claim;
      const late = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      let answer: { readonly verdict?: string; readonly result?: unknown } | undefined;
      let thrown: unknown = 'the provider cannot say yet';
      try {
        answer = await Promise.race([late, ask(input, claim)]);
      } catch (error) {
        thrown = error;
      }
      stop();
      const { verdict = 'inconclusive', result } = answer ?? {};
      engine.emit(identity, 'reconciled', { verdict, settled });
      if (verdict === 'applied') {
        return { ran: 'reconciled', value: result as R, applied: true, recorded: await engine.succeed(held, result) };
      }
      const inconclusive = verdict !== 'not-applied';
      if (settled && !inconclusive) return undefined;
      // "Not applied", asked too early, is no failure of the provider's: it only has to be asked again. Once too often
      // inconclusive, and somebody has to decide.
      const error = recordedError(thrown);
      const tooOften = inconclusive && record.abandoned + 1 >= maxAbandoned;
      const outcome: Outcome = tooOften ? { status: 'parked', error } : { status: 'released', error, inconclusive };
      return { ran: 'in-doubt', error, recorded: await engine.record(held, outcome), retryAfterMs };
    },
  };
}
