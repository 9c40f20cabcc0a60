import type { ProviderFault } from '../provider.ts';
import { type Carrying, freezes, takes, victimAt } from './carrying.ts';

export const providerFaults = {
  before: 'before the provider had done it',
  applied: 'when the provider had done it, before the response',
  answered: 'when it had the response of the provider',
} as const;

/** Kills the sandbox that calls a provider, at the moment of its fault. */
export function killCaller({ dying, journal, kill }: Carrying, sandbox: string): void {
  const said = dying.get(sandbox);
  dying.delete(sandbox);
  // Noted now, and not when it was decided: the provider may have done it in between.
  if (said !== undefined) journal.add([said.intent], { kind: 'killed', sandbox, moment: said.moment });
  kill(sandbox);
}

/** What goes wrong with a call of a provider. It may stall the caller. */
export function atProvider(
  state: Carrying,
  intent: string,
  provider: string,
  sandbox: string | undefined,
): ProviderFault | undefined {
  const work = sandbox === undefined ? undefined : state.working.get(sandbox);
  if (sandbox !== undefined && work !== undefined) {
    const about = { sandbox, construct: work.construct, intents: [intent] };
    for (const when of ['before', 'applied', 'answered'] as const) {
      const victim = victimAt(state, about, () => ({ at: 'provider', when }));
      if (victim === undefined) continue;
      state.dying.set(sandbox, { intent: victim, moment: providerFaults[when] });
      return { kind: `kill-${when}` };
    }
    freezes(state, about, () => ({ at: 'provider', when: 'applied' }), 'while it called the provider');
  }
  const fault = state.plan.provider(intent, provider);
  if (fault !== undefined && takes(state, 'planned', provider, intent)) state.planned.provider += 1;
  if (fault === undefined || !takes(state, 'provider', provider, intent)) return undefined;
  state.stats.provider += 1;
  if (sandbox !== undefined) state.disturbed.add(sandbox);
  return fault;
}
