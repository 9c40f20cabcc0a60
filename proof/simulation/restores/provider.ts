import { RetryableError } from '../../../lib/pawl/kernel/errors.ts';
import type { Sandbox } from '../lambda/sandbox.ts';
import { named } from '../network.ts';
import type { World } from '../world/world.ts';
import type { RestoreScenario } from './scenario.ts';

/** By then, what was asked of the provider is applied, or never will be. */
export const settleMs = 200;

/** A provider that ignores effect keys, and says at once what it has applied. */
export function createProvider(
  world: World,
  { busy, unsaid, faultsEndMs }: RestoreScenario,
  applied: (part: string, times: number) => void,
) {
  const { random } = world;
  const ledger = new Map<string, number>();
  const pending = new Map<string, number>();
  const count = (map: Map<string, number>, name: string, by: number) => {
    const sum = (map.get(name) ?? 0) + by;
    map.set(name, sum);
    return sum;
  };

  return {
    times: (part: string) => ledger.get(part) ?? 0,
    isPending: (key: string) => (pending.get(key) ?? 0) > 0,
    apply(sandbox: Sandbox, key: string, name: string): Promise<string> {
      const part = `${key}/${name}`;
      return sandbox.call(({ resolve, reject }) => {
        const isRough = world.time < faultsEndMs;
        count(pending, key, 1);
        world.after(random.between(1, 60), () => {
          count(pending, key, -1);
          const answer = (settle: () => void) => world.after(random.between(1, 20), () => sandbox.deliver(settle));
          if (isRough && random.chance(busy)) return answer(() => reject(new RetryableError('busy')));
          if (isRough && random.chance(unsaid)) return answer(() => reject(named('ProviderError')));
          const times = count(ledger, part, 1);
          world.note('provider', 'applies', `${part}, the ${times}. time`);
          applied(part, times);
          if (isRough && random.chance(unsaid)) return answer(() => reject(named('ProviderError')));
          answer(() => resolve(`done-${part}`));
        });
      });
    },
  };
}

export type Provider = ReturnType<typeof createProvider>;
