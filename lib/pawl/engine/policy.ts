import { expect } from '../kernel/check.ts';
import { type AbandonedPolicy, abandonedPolicies } from '../rules/decide.ts';
import type { Reconcile } from './reconcile.ts';

/**
 * What an author says about an effect in doubt. There is no default: only its author knows which mistake is worse.
 *
 * - `'retry'`: run it again. Right when the provider honours the effect key, or when twice is better than never.
 * - `'park'`: never twice. The claim waits for an operator's decision.
 * - `reconcile({ ask, settleMs })`: ask the provider.
 */
export type Policy<Input> = Exclude<AbandonedPolicy, 'reconcile'> | Reconcile<Input>;

/** What decides about an effect in doubt: the name of the policy, and the provider that it asks, if it asks one. */
export interface Decides<Input> {
  readonly onAbandoned: AbandonedPolicy;
  readonly provider: Reconcile<Input> | undefined;
}

const written: Readonly<Record<AbandonedPolicy, string>> = {
  retry: "'retry'",
  park: "'park'",
  reconcile: 'reconcile({ ask, settleMs })',
};

/**
 * What an author says about an effect in doubt.
 *
 * @param option names it in the error
 * @param taken the policies that make sense there
 * @throws OptionError unless it is one of them
 */
export function policyOf<Input>(
  option: string,
  policy: Policy<Input>,
  taken: readonly AbandonedPolicy[] = abandonedPolicies,
): Decides<Input> {
  const given = typeof policy === 'object' ? policy?.kind : policy;
  const asks = typeof policy === 'object' && given === 'reconcile' && typeof policy.check === 'function';
  const name = taken.find((one) => one === given && (one === 'reconcile') === asks);
  const [last = '', ...others] = taken.map((one) => written[one]).toReversed();
  expect(name !== undefined, option, `${others.toReversed().join(', ')} or ${last}`, policy);
  const onAbandoned = name as AbandonedPolicy;
  if (!asks) return { onAbandoned, provider: undefined };
  policy.check(policy);
  return { onAbandoned, provider: policy };
}
