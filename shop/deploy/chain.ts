import type { ProviderRoutes } from '../../lib/rehearsal/provider.ts';
import { type ChainEffect, chainEffects } from '../plan/chain-plan.ts';
import type { ChainVerdict } from '../traffic/traffic-result.ts';

/** What the providers have done behind the payments: a payment for each time. */
export type Followed = Readonly<Record<ChainEffect, readonly string[]>>;

/** Notes for whom a provider has had its effect. */
export function noting<Effect extends string>(
  routes: ProviderRoutes<Effect>,
  done: (subject: string) => void,
): ProviderRoutes<Effect> {
  return (call) => {
    const asked = routes(call);
    if (!('apply' in asked)) return asked;
    return {
      ...asked,
      apply() {
        const answer = asked.apply();
        if (answer.status < 300) done(asked.subject);
        return answer;
      },
    };
  };
}

/** What became of each effect behind these payments. */
export function judgeChain(paymentIds: readonly string[], followed: Followed): readonly ChainVerdict[] {
  return chainEffects.map((effect) => {
    const times = (paymentId: string) => followed[effect].filter((one) => one === paymentId).length;
    return {
      effect,
      payments: paymentIds.length,
      done: paymentIds.filter((one) => times(one) === 1).length,
      doubled: paymentIds.filter((one) => times(one) > 1),
    };
  });
}
