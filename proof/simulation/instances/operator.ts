import { individualDynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { resolverOf } from '../../../test/support/resolver-of.ts';
import { dynamoClient } from '../dynamodb/client.ts';
import { createSandbox } from '../lambda/sandbox.ts';
import { operation } from './function.ts';
import { keyOf } from './oracle.ts';
import { providerTakesMs } from './scenario.ts';
import type { InstancesSimulation } from './simulation.ts';

const visitsEveryMs = 15_000;

/**
 * A job that looks parked claims up at the provider, once a request that was on its way must have arrived, and decides by what it finds. It believes
 * the library that the worker of a parked claim has ended. Dead letters go back to the queue when their claims are decided.
 */
export function startOperator(simulation: InstancesSimulation): void {
  const { world, scenario, oracle, queue, deadLetters, stats } = simulation;
  const operator = createSandbox(world, 'operator', 0);
  const calm = { ...simulation, isOut: () => false, strikes: () => false };
  const store = individualDynamoStore({
    tableName: 'claims',
    aws: sdk({ dynamodb: dynamoClient(calm, operator, simulation.table) }),
    host: operator.host,
  });
  const claims = resolverOf({ operation, store, host: operator.host });
  const seenAt = new Map<string, number>();

  async function visit(): Promise<void> {
    for (let i = 1; i <= scenario.keys; i++) await decide(`o${i}`);
    for (const message of [...deadLetters.messages()]) {
      const found = await claims.read(keyOf(message));
      if (message.gone || found?.status === 'parked') continue;
      deadLetters.remove(message, 'redriven');
      queue.send({ body: message.body, attributes: {} });
      stats.redriven++;
    }
    world.after(visitsEveryMs, () => void visit());
  }

  async function decide(key: string): Promise<void> {
    const found = await claims.read(key);
    if (found?.status !== 'parked') return;
    const doubt = `${key} ${found.fence}`;
    if (!seenAt.has(doubt)) seenAt.set(doubt, world.time);
    if (world.time < (seenAt.get(doubt) ?? 0) + providerTakesMs) return;
    const verdict = oracle.effectsOf(key) > 0 ? 'applied' : 'not-applied';
    const { outcome } = await claims.resolve(key, verdict, { by: 'job', note: 'looked it up', fence: found.fence });
    world.note('operator', verdict, key);
    if (outcome === 'resolved') stats.resolved++;
  }

  world.after(visitsEveryMs, () => void visit());
}
