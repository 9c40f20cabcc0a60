import { resolverOf } from '../../test/support/resolver-of.ts';
import { operation } from './consumers/options.ts';
import { createSandbox } from './lambda/sandbox.ts';
import { storeBeside } from './postgres/stores.ts';
import type { Simulation } from './simulation.ts';
import type { QueuedMessage } from './sqs/queue.ts';

/**
 * Somebody who looks at the dead-letter queue from time to time: finds out what became of parked claims, decides, and
 * redrives. They know what really happened, and wait while it may still change.
 */
export function startOperator(simulation: Simulation): { isOver(): boolean } {
  const { world, scenario, traffic, provider, oracle, deadLetters, stats } = simulation;
  const { random } = world;
  const operator = createSandbox(world, 'operator', 0);
  const store = storeBeside({ ...simulation, isOut: () => false, strikes: () => false, isSpared: true }, operator);
  const claims = resolverOf({ operation, store, host: operator.host });
  const redriven = new Map<string, number>();
  let visits = scenario.traffic.operatorVisits;

  async function look(message: QueuedMessage): Promise<void> {
    const intent = traffic.intentOfBody(message.body);
    if (intent === undefined || (redriven.get(intent.name) ?? 0) >= 2) return;
    const { key } = intent;
    if (key !== undefined) {
      const found = await claims.read(key);
      // A message that is redriven looks like another copy, and that is what 'discard' discards: the runbook says to wait.
      if (found?.status === 'in-flight' && scenario.onInFlight === 'discard') return;
      if (found?.status === 'parked') {
        if (provider.pending(key) > 0 || oracle.isRunning(key)) return;
        const happened = provider.effectsOf(key) > 0;
        const regardless = random.chance(0.2);
        const verdict = regardless ? 'retry' : happened ? 'applied' : 'not-applied';
        oracle.allowsAnother(key, verdict);
        const { outcome } = await claims.resolve(key, verdict, { by: 'operator', note: 'looked it up' });
        world.note('operator', 'decides', `${key}: ${verdict} (${outcome})`);
        stats.resolved++;
      }
    }
    if (message.gone) return;
    redriven.set(intent.name, (redriven.get(intent.name) ?? 0) + 1);
    stats.redriven++;
    traffic.redrive(message);
  }

  async function visit(): Promise<void> {
    for (const message of [...deadLetters.messages()]) if (random.chance(0.7)) await look(message);
    visits--;
  }

  for (let i = 0; i < visits; i++) {
    // A failure here is one of the simulation: nothing goes wrong on the operator's way.
    world.after(random.between(0.1, 2) * scenario.faultsEndMs, () => {
      visit().catch((error) => oracle.problem(0, `the operator failed: ${error}`));
    });
  }
  return { isOver: () => visits <= 0 };
}
