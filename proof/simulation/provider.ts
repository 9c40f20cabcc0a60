import type { Sandbox } from './lambda/sandbox.ts';
import { named } from './network.ts';
import type { EffectRequest, Provider } from './parts.ts';
import type { Simulation } from './simulation.ts';

/** How a provider refuses. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly status: number;
  constructor(status: number) {
    super(`the provider answered ${status}`);
    this.status = status;
  }
}

interface Applied {
  readonly payload: string;
  readonly at: number;
  readonly effects: number;
}

/** A stand-in for somebody else's service, whose effects can go wrong in every way in which effects do. */
export function createProvider({ world, strikes, scenario, oracle, stats, refuses }: Simulation): Provider {
  const { random } = world;
  const { honoursKeys, worksMs, travelMs, lookUpLagMs } = scenario.provider;
  const ledger = new Map<string, Applied>();
  const underWay = new Map<string, number>();
  const perPayload = new Map<string, number>();
  const pendingOf = new Map<string, number>();

  const count = (map: Map<string, number>, key: string, by: number) => map.set(key, (map.get(key) ?? 0) + by);

  function draw() {
    if (strikes('providerFails')) return 'fails';
    if (strikes('providerFailsApplied')) return 'fails-applied';
    if (strikes('providerHangs')) return 'hangs';
    if (strikes('providerHangsApplied')) return 'hangs-applied';
    if (strikes('providerLate')) return 'late';
    return strikes('providerBusy') ? 'busy' : undefined;
  }

  function apply(sandbox: Sandbox, request: EffectRequest): Promise<string> {
    const { effectKey, key, payload } = request;
    return sandbox.call<string>(({ resolve, reject }) => {
      const trouble = draw();
      oracle.effectSent(sandbox, request);
      world.note(sandbox.name, 'asks for the effect of', `${key} ${trouble ?? ''}`);
      const fail = (status: number) =>
        world.after(random.between(1, 20), () => sandbox.deliver(() => reject(new ProviderError(status))));
      const never = trouble === 'fails' || trouble === 'hangs' || trouble === 'busy';
      const outMs = trouble === 'late' ? random.between(0.3, 1) * travelMs : random.between(1, 20);
      if (never) {
        if (trouble !== 'hangs') fail(trouble === 'busy' ? 429 : 500);
        return;
      }
      count(pendingOf, key, 1);
      world.after(outMs, () => {
        if (refuses(key)) {
          count(pendingOf, key, -1);
          return fail(422);
        }
        const known = ledger.get(effectKey);
        if (honoursKeys && (known !== undefined || underWay.get(effectKey))) {
          count(pendingOf, key, -1);
          if (known === undefined) return fail(409);
          if (known.payload !== payload) return fail(422);
          return answer();
        }
        count(underWay, effectKey, 1);
        world.after(random.between(0.5, 1) * worksMs, () => {
          count(underWay, effectKey, -1);
          count(pendingOf, key, -1);
          const before = ledger.get(effectKey);
          ledger.set(effectKey, { payload, at: before?.at ?? world.time, effects: (before?.effects ?? 0) + 1 });
          count(perPayload, `${key}\n${payload}`, 1);
          count(perPayload, key, 1);
          stats.effects++;
          world.note('provider', 'applies the effect of', `${key}, the ${perPayload.get(key)}. of it`);
          oracle.effectApplied(request, perPayload.get(key) ?? 0);
          answer();
        });
      });

      function answer(): void {
        if (trouble === 'hangs-applied') return;
        if (trouble === 'fails-applied') return void fail(500);
        world.after(random.between(1, 20), () => sandbox.deliver(() => resolve(`done-${effectKey}`)));
      }
    });
  }

  function lookUp(sandbox: Sandbox, effectKey: string): Promise<boolean | undefined> {
    return sandbox.call<boolean | undefined>(({ resolve, reject }) => {
      const trouble = strikes('lookUpFails') ? random.pick(['fails', 'hangs', 'cannot say']) : undefined;
      world.after(random.between(2, 40), () => {
        const known = ledger.get(effectKey);
        const found = known !== undefined && known.at + lookUpLagMs <= world.time;
        world.note('provider', 'is asked about', `${effectKey} by ${sandbox.name}: ${trouble ?? found}`);
        if (trouble === 'hangs') return;
        sandbox.deliver(() => {
          if (trouble === 'fails') reject(named('LookUpError'));
          else resolve(trouble ? undefined : found);
        });
      });
    });
  }

  return {
    apply,
    lookUp,
    effectsOf: (key, payload) => perPayload.get(payload === undefined ? key : `${key}\n${payload}`) ?? 0,
    pending: (key) => pendingOf.get(key) ?? 0,
  };
}
