import { AsyncLocalStorage } from 'node:async_hooks';
import { processWide } from '../kernel/process-wide.ts';

/** What the function of a commit makes, and is to return. By where it is made, and not by time: other handlers run beside it. */
const making = processWide('claims.made-inside/1', () => new AsyncLocalStorage<Set<object>>());

/** Runs a function. What is noted in it goes into `made`. */
export function noting<T>(made: Set<object>, run: () => T): T {
  return making.run(made, run);
}

/** Notes what was made, where it is made in such a function. */
export function noted<T extends object>(one: T): T {
  making.getStore()?.add(one);
  return one;
}

/** Forgets what needs not be returned after all. */
export function forgetNoted(some: readonly object[]): void {
  for (const one of some) making.getStore()?.delete(one);
}
