import { expectFunction, expectWhole } from '../kernel/check.ts';
import { expectOptions } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import type { Attributes } from '../rules/record.ts';
import type { Verdict } from '../rules/verdict.ts';
import type { Claim } from './claim.ts';

/**
 * What is known of an attempt in doubt: of a whole effect, or of one step of a handler. `effectKey` is what the provider knows it by.
 *
 * @example
 * const ask = async (doubt: Doubt): Promise<Verdict> => {
 *   const found = await bank.find(doubt.effectKey);
 *   return found ? { verdict: 'applied', result: found } : { verdict: 'not-applied' };
 * };
 */
export interface Doubt extends Pick<Claim, 'operation' | 'key' | 'attempt' | 'fence' | 'signal'> {
  /** Search the provider for it. Of the step, where a step is in doubt. */
  readonly effectKey: string;
  /** The name of the step in doubt; `undefined` where it is the whole effect. */
  readonly step: string | undefined;
  /** Until when an attempt may have applied the effect, in epoch milliseconds. */
  readonly inDoubtSince: number;
  /** What the author keeps beside the key. */
  readonly attributes: Attributes | undefined;
}

/**
 * The options of `reconcile`: how to look an effect up, and how long the provider's reads may lag.
 *
 * @example
 * const options: ReconcileOptions<Payment> = {
 *   ask: async (doubt) => ({ verdict: (await bank.find(doubt.effectKey)) ? 'applied' : 'not-applied' }),
 *   settleMs: 5000,
 * };
 */
export interface ReconcileOptions<Input = unknown> {
  /**
   * Looks the effect up, by its effect key. It must not apply anything. If it throws, or does not return within the lease, the verdict is
   * inconclusive. If the provider knows the key and not the effect key: `key` is a hash (`sha256:…`) where it is too long for the claim's id. Look such an
   * effect up by an attribute, or return `'inconclusive'`.
   *
   * @param input what the handler is given, at a door. A step has none, and neither has a sweep, since no claim keeps its payload
   */
  readonly ask: (doubt: Doubt, input: Input) => Promise<Verdict> | Verdict;
  /**
   * How long after an attempt ended its effect may still come to be seen, in milliseconds: the lag of the provider's reads, and the longest
   * that a request given up by the worker may still be on its way. "Not applied" is not believed earlier.
   */
  readonly settleMs: number;
}

const known = { ask: true, settleMs: true } as const satisfies NamesOf<ReconcileOptions>;

/** The policy to ask the provider, as `reconcile` makes it: of a door, of a step and of a sweep. */
export interface Reconcile<Input = unknown> extends ReconcileOptions<Input> {
  readonly kind: 'reconcile';
  /** Called where the policy is used: its author may have changed a field of what `reconcile` has checked. @throws OptionError */
  readonly check: (policy: object) => void;
}

/**
 * The policy for an effect whose provider can be asked: before anything runs again, it says what became of an attempt in
 * doubt. The old holder has been fenced off by then. One policy serves a door, a step and a sweep, if `ask` needs no input.
 *
 * @throws OptionError when `ask` is no function, or `settleMs` no whole number
 * @example
 * const onAbandoned = reconcile({
 *   ask: async (doubt) => ({ verdict: (await bank.find(doubt.effectKey)) ? 'applied' : 'not-applied' }),
 *   settleMs: 5000,
 * });
 */
export function reconcile<Input = unknown>(options: ReconcileOptions<Input>): Reconcile<Input> {
  check(options);
  const { ask, settleMs } = options;
  return {
    kind: 'reconcile',
    ask,
    settleMs,
    check: ({ kind, check: _, ...policy }: Partial<Reconcile>) => check(policy),
  };
}

function check(options: Partial<ReconcileOptions<never>>): void {
  expectOptions(options, { door: 'reconcile', known, docs: 'docs/guides/policies.md' });
  const { ask, settleMs } = options;
  expectFunction('reconcile.ask', 'a function', ask);
  expectWhole('reconcile.settleMs', settleMs);
}
