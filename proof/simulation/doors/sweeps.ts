import { type Doubt, reconcile } from '../../../lib/pawl/engine/reconcile.ts';
import { isHashed } from '../../../lib/pawl/kernel/name.ts';
import { type OpenClaim, openClaimOf } from '../../../lib/pawl/rules/open-claims.ts';
import { fromItem } from '../../../lib/pawl/stores/dynamodb/item.ts';
import { sweepOpenClaims } from '../../../lib/pawl/sweep/index.ts';
import { operation } from '../consumers/options.ts';
import { createSandbox, type Sandbox } from '../lambda/sandbox.ts';
import { storeBeside } from '../postgres/stores.ts';
import type { Random } from '../world/random.ts';
import type { DoorsSimulation } from './simulation.ts';
import type { SweepPlan } from './sweep-plan.ts';
import { settleMsOf } from './work.ts';

const timeoutMs = 20_000;
/** So often the sweep runs when there are no faults any more. */
const everyMs = 30_000;
/** By then it has settled everything: the provider is asked again after pauses that double. */
const mostRuns = 400;

export function startSweeps(simulation: DoorsSimulation): { isOver(): boolean } {
  const { world, scenario, oracle, provider, stats } = simulation;
  const { random } = world;
  const { sweep: plan } = scenario;
  let runs = 0;
  let underWay = 0;

  /** Whether something is in doubt that is no operator's. */
  const leavesSomething = () => {
    for (const item of simulation.table.items.values()) if (item['open'] && item['status']?.S !== 'parked') return true;
    return false;
  };

  function listOf(sandbox: Sandbox, lagMs: number): Promise<readonly OpenClaim[]> {
    return sandbox.call(({ resolve }) => {
      const claims = [...simulation.table.items.values()]
        .filter(({ open }) => open)
        .map((item) => openClaimOf(fromItem(item)));
      world.after(random.between(0.2, 1) * lagMs + 5, () => sandbox.deliver(() => resolve(claims)));
    });
  }

  async function ask(sandbox: Sandbox, { key, effectKey, step }: Doubt) {
    const { shape, door } = scenario;
    oracle.asksAbout(key);
    // Steps say by themselves what of them is in doubt, and a commit is never.
    const isWhole = shape === 'plain' || shape === 'beside';
    if (step === undefined && !isWhole) return { verdict: 'not-applied' } as const;
    const isByKey = door === 'sqs-once' && step === undefined;
    // A batch handler gives the provider the key, and a claim keeps of a long key its hash only: nobody can look it up.
    if (isByKey && isHashed(key)) return { verdict: 'inconclusive' } as const;
    const asked = isByKey ? `${operation}#${key}` : effectKey;
    const applied = await provider.lookUp(sandbox, asked);
    if (applied === undefined) return { verdict: 'inconclusive' } as const;
    if (!applied) return { verdict: 'not-applied' } as const;
    return { verdict: 'applied', result: step === undefined ? { statusCode: 201 } : `done-${effectKey}` } as const;
  }

  function run({ onDoubt, lagMs, struck }: SweepPlan): void {
    const name = `sweep-${++runs}`;
    underWay++;
    const sandbox = createSandbox(world, name, random.between(-0.4, 0.4) * scenario.skewMs);
    const over = () => {
      if (!sandbox.alive) return;
      sandbox.kill();
      underWay--;
    };
    const store = storeBeside(simulation, sandbox);
    const endsAt = sandbox.clock() + timeoutMs;
    const handler = sweepOpenClaims({
      store: {
        ...store,
        listOpen: async () => ({ claims: await listOf(sandbox, lagMs), cursor: undefined }),
      },
      host: sandbox.host,
      operations: {
        [operation]:
          onDoubt === 'park'
            ? { onAbandoned: 'park' }
            : { onAbandoned: reconcile({ ask: (doubt) => ask(sandbox, doubt), settleMs: settleMsOf(simulation) }) },
      },
      askTimeoutMs: 5000,
      askAgainMs: 1000,
      skewMs: scenario.skewMs,
      onEvent: (event) => oracle.event(sandbox, event),
      onReport: ({ applied, notApplied, parked }) => {
        if (sandbox.alive) stats.swept += applied + notApplied + parked;
      },
    });
    world.after(timeoutMs, over);
    if (world.time < scenario.faultsEndMs && random.chance(struck)) strikeOne(sandbox, random, over);
    // Its error is the table's: the next run looks again.
    handler({}, { getRemainingTimeInMillis: () => endsAt - sandbox.clock() }).then(over, over);
  }

  function strikeOne(sandbox: Sandbox, { below, chance, between }: Random, over: () => void): void {
    const kills = chance(0.6);
    const strike = () => {
      world.note(sandbox.name, kills ? 'is killed' : 'stands still');
      if (kills) return over();
      sandbox.freeze();
      world.after(between(1000, 15_000), () => sandbox.alive && sandbox.thaw());
    };
    sandbox.lieInWait({ call: below(8), sent: chance(0.5), strike });
  }

  if (plan !== undefined) {
    for (let i = 0; i < plan.runs; i++) {
      world.after(random.between(0.1, 1) * scenario.faultsEndMs, () => {
        for (let at = 0; at < plan.atOnce; at++) run(plan);
      });
    }
    const watch = () => {
      if (leavesSomething() && underWay === 0) run(plan);
      if (runs > mostRuns) oracle.problem(14, `the sweep leaves something in doubt after ${runs} runs`);
      else world.after(everyMs, watch);
    };
    world.after(scenario.faultsEndMs, watch);
  }
  return {
    isOver: () => plan === undefined || (world.time > scenario.faultsEndMs && underWay === 0 && !leavesSomething()),
  };
}
