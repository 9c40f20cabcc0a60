import { expectFunction, expectWhole } from '../kernel/check.ts';
import { expectOptions } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import type { Verdict } from '../rules/verdict.ts';
import type { Doubt } from './claim.ts';

/**
 * The options of `reconcile`: how to look an effect up, and how long the provider's reads may lag.
 *
 * @example
 * const options: ReconcileOptions<Payment> = {
 *   ask: async (_, doubt) => ({ verdict: (await bank.find(doubt.effectKey)) ? 'applied' : 'not-applied' }),
 *   settleMs: 5000,
 * };
 */
export interface ReconcileOptions<Input> {
  /**
   * Looks the effect up, by its effect key. It must not apply anything. If it throws, or does not return within the lease, the verdict is
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
/** The policy to ask the provider, as `reconcile` makes it. */
export interface Reconcile<Input> extends ReconcileOptions<Input> {
  readonly kind: 'reconcile';
}

/**
 * The policy for an effect whose provider can be asked: before anything runs again, it says what became of an attempt in
 * doubt. The old holder has been fenced off by then.
 *
 * @throws OptionError when `ask` is no function, or `settleMs` no whole number
 * @example
 * const onAbandoned = reconcile<Payment>({
 *   ask: async (_, doubt) => ({ verdict: (await bank.find(doubt.effectKey)) ? 'applied' : 'not-applied' }),
 *   settleMs: 5000,
 * });
 */
export function reconcile<Input>(options: ReconcileOptions<Input>): Reconcile<Input> {
  expectOptions(options, { door: 'reconcile', known, docs: 'docs/guides/policies.md' });
  const { ask, settleMs } = options;
  expectFunction('reconcile.ask', 'a function', ask);
  expectWhole('reconcile.settleMs', settleMs);
  return { kind: 'reconcile', ask, settleMs };
}

/** Checks a policy where it is used: its author may have changed one field of what `reconcile` has checked. @throws OptionError */
export function checkedReconcile<Input>({ kind, ...policy }: Reconcile<Input>): Reconcile<Input> {
  return { ...reconcile(policy), kind };
}
