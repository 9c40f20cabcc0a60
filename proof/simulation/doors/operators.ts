import { type Checkpoint, stepsInDoubt } from '../../../lib/pawl/rules/checkpoints.ts';
import type { ResolutionVerdict, StepResolution } from '../../../lib/pawl/rules/record.ts';
import type { StepResolutions } from '../../../lib/pawl/rules/resolve.ts';
import { resolverOf } from '../../../test/support/resolver-of.ts';
import { operation } from '../consumers/options.ts';
import { createSandbox } from '../lambda/sandbox.ts';
import type { Intent } from '../parts.ts';
import { storeBeside } from '../postgres/stores.ts';
import type { OperatorPlan } from './scenario.ts';
import type { DoorsSimulation } from './simulation.ts';

/** What was found out about a parked claim. */
interface Seen {
  readonly key: string;
  readonly fence: number;
  readonly verdict: ResolutionVerdict | StepResolutions;
  /** What may be applied once more, if that is what is said. */
  readonly again: readonly string[];
}

/**
 * A person who looks at parked claims, or a job that does: finds out what really happened, and decides, at once or much later. They wait
 * while it may still change. Messages whose claims are decided go back to their queue.
 */
export function startOperators(simulation: DoorsSimulation): { isOver(): boolean } {
  const { world, scenario, traffic, oracle, deadLetters, stats, provider } = simulation;
  const { random } = world;
  const redriven = new Map<string, number>();
  /** Who is about to say something about a key. Two at once would not know of each other. */
  const deciding = new Set<string>();
  let visits = 0;

  function start(plan: OperatorPlan): void {
    const operator = createSandbox(world, plan.name, plan.clockMs);
    const store = storeBeside({ ...simulation, isOut: () => false, strikes: () => false, isSpared: true }, operator);
    const claims = resolverOf({ operation, store, host: operator.host });
    const pause = (ms: number) => new Promise<void>((resolve) => world.after(ms, resolve));

    async function look({ key = '', payload }: Intent): Promise<Seen | undefined> {
      const found = await claims.read(key);
      if (found?.status !== 'parked' || oracle.mayStillAct(key)) return undefined;
      const { fence } = found;
      const inDoubt = stepsInDoubt(found);
      const happened = (part: string) => provider.effectsOf(`${key}/${part}`, payload) > 0;
      const regardless = () => random.chance(0.1);
      if (oracle.hasHappened({ name: key, key, payload })) return { key, fence, verdict: 'applied', again: [] };
      if (scenario.shape === 'plain' || scenario.shape === 'beside') {
        return { key, fence, verdict: regardless() ? 'retry' : 'not-applied', again: ['effect'] };
      }
      if (inDoubt.length === 0) {
        // What is not in doubt is done, or may run: that is for the steps themselves to know.
        return { key, fence, verdict: 'retry', again: [] };
      }
      const [first] = inDoubt;
      if (plan.seesOneStep && first && !happened(first.name)) {
        return { key, fence, verdict: 'not-applied', again: [first.name] };
      }
      const verdicts = inDoubt.map(({ name }: Checkpoint): readonly [string, StepResolution] => {
        const verdict = regardless() ? 'retry' : happened(name) ? 'applied' : 'not-applied';
        const effectKey = `${operation}#${key}/${name}`;
        return [name, verdict === 'applied' ? { verdict, result: `done-${effectKey}` } : verdict];
      });
      const again = verdicts.filter(([, said]) => typeof said === 'string').map(([name]) => name);
      return { key, fence, verdict: Object.fromEntries(verdicts), again };
    }

    async function decide({ key, fence, verdict, again }: Seen): Promise<boolean> {
      const namesFence = random.chance(plan.namesFence);
      oracle.decides(key, { operator: plan.name, fence, namesFence, again });
      const by = { by: plan.name, note: 'looked it up', ...(namesFence && { fence }) };
      const { outcome } = await claims.resolve(key, verdict, by);
      oracle.decides(key, undefined);
      world.note(plan.name, 'decides', `${key}: ${JSON.stringify(verdict)} of ${fence} (${outcome})`);
      if (outcome === 'resolved') stats.resolved++;
      return outcome !== 'steps-in-doubt';
    }

    async function settle(intent: Intent): Promise<void> {
      const { key = '' } = intent;
      if (deciding.has(key)) return;
      deciding.add(key);
      const seen = await look(intent);
      // Meanwhile the other one may decide, the message be redriven, and its worker die once more.
      if (plan.dawdlesMs > 0) deciding.delete(key);
      if (seen) {
        if (plan.dawdlesMs > 0) await pause(random.between(0.2, 1) * plan.dawdlesMs);
        if (plan.dawdlesMs === 0 || !deciding.has(key)) {
          deciding.add(key);
          await decide(seen);
        }
      }
      deciding.delete(key);
    }

    async function visit(): Promise<void> {
      for (const intent of [...traffic.intents()]) if (random.chance(0.8)) await settle(intent);
      for (const message of [...deadLetters.messages()]) {
        const intent = traffic.intentOfBody(message.body);
        if (intent === undefined || message.gone || (redriven.get(intent.name) ?? 0) >= 2 || random.chance(0.3))
          continue;
        redriven.set(intent.name, (redriven.get(intent.name) ?? 0) + 1);
        stats.redriven++;
        traffic.redrive(message);
      }
    }

    visits += plan.visits;
    for (let i = 0; i < plan.visits; i++) {
      world.after(random.between(0.1, 2) * scenario.faultsEndMs, () => {
        visit()
          .catch((error) => oracle.problem(0, `${plan.name} failed: ${error}`))
          .finally(() => visits--);
      });
    }
  }

  for (const plan of scenario.operators) start(plan);
  return { isOver: () => visits === 0 };
}
