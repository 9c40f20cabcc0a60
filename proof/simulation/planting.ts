import { vi } from 'vitest';
import type { Simulate } from './tally.ts';

/** Breakages of the library, put in place of what its modules export, and what a simulation finds of them. */
export function createPlanting(load: () => Promise<Simulate<object>>) {
  const planted = new Set<string>();
  return {
    /** Puts something else in place of what a module exports; its path as seen from this folder. */
    plant<Module extends object>(path: string, breakage: (original: Module) => Partial<Module>): void {
      planted.add(path);
      vi.doMock(path, async (original) => {
        const module = await original<Module>();
        return { ...module, ...breakage(module) };
      });
    },
    /** The first invariant that breaks, within so many seeds. */
    async firstBroken(within: number, first = 1): Promise<number | undefined> {
      vi.resetModules();
      const simulate = await load();
      for (let seed = first; seed < first + within; seed++) {
        const [violation] = (await simulate(seed, { turnsTheLoop: false })).violations;
        if (violation) return violation.invariant;
      }
      return undefined;
    },
    /** Takes all of them out again. */
    uproot(): void {
      for (const path of planted) vi.doUnmock(path);
      planted.clear();
      vi.resetModules();
    },
  };
}
