import { setTimeout as sleep } from 'node:timers/promises';
import { pageAt } from 'pawl/kernel';

/** No rehearsal on this machine could be believed. */
export class MachineTooSlowError extends Error {
  override readonly name = 'MachineTooSlowError';

  constructor(why: string) {
    super(`This machine is too slow to judge an app: ${why}. ${whatToDo}`);
  }
}

export const whatToDo = `End what else is running, or set sandboxesPerFunction to 1, and run it again. See ${pageAt('docs/reference/rehearse-command.md#a-slow-machine')}.`;

/** A process that waits for more than this share of so long a time cannot serve anybody. Beside four busy programs for two cores, it is about a half. */
const tooMuch = 0.85;
const looksInAWhile = 20;

export async function watchOver(
  measure: { stolenMs(): number; end(): void },
  { now, aWhileMs }: { readonly now: () => number; readonly aWhileMs: number },
  signal: AbortSignal,
): Promise<never> {
  const looks: { readonly at: number; readonly stolen: number }[] = [];
  try {
    for (;;) {
      looks.push({ at: now(), stolen: measure.stolenMs() });
      const [first, last] = [looks[0], looks.at(-1)];
      const passed = (last?.at ?? 0) - (first?.at ?? 0);
      const stolen = (last?.stolen ?? 0) - (first?.stolen ?? 0);
      if (passed >= aWhileMs) {
        if (stolen > tooMuch * passed) {
          throw new MachineTooSlowError(
            `of the last ${seconds(passed)} s, the rehearsal itself stood ready for ${seconds(stolen)} s and did not run`,
          );
        }
        looks.shift();
      }
      await sleep(aWhileMs / looksInAWhile, undefined, { ref: false, signal });
    }
  } finally {
    measure.end();
  }
}

export function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
