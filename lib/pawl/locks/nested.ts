import { AsyncLocalStorage } from 'node:async_hooks';
import { processWide } from '../kernel/process-wide.ts';
import { NestedLockError } from './errors.ts';
import type { Resource } from './resource.ts';

/** Work that is under way, and what it has locked. */
interface Inside {
  readonly ids: ReadonlyMap<string, Resource>;
  readonly around: Inside | undefined;
  isOver: boolean;
}

/**
 * The work that a call is made in. By where it is made, not by its holder: the next attempt of a request may come into the process
 * in which an earlier one still runs, and comes in. Of all copies of pawl: the inner call may be another copy's.
 */
const insides = processWide('locks.inside/1', () => new AsyncLocalStorage<Inside>());

/**
 * Refuses to lock what the work around the call has locked. Granted, it would fence that work off; unlocked, its resources would be
 * free while it goes on.
 *
 * @throws NestedLockError
 */
export function refuseNested(named: ReadonlyMap<string, Resource>): void {
  for (let inside = insides.getStore(); inside; inside = inside.around) {
    if (inside.isOver) continue;
    const { ids } = inside;
    const both = [...named].filter(([id]) => ids.has(id)).map(([, resource]) => resource);
    if (both.length > 0) throw new NestedLockError(both);
  }
}

/** Runs what is done under a lock, up to the end of the lock. */
export async function inside<T>(ids: ReadonlyMap<string, Resource>, work: () => Promise<T>): Promise<T> {
  const here: Inside = { ids, around: insides.getStore(), isOver: false };
  try {
    return await insides.run(here, work);
  } finally {
    // What the work has left behind un-awaited may lock them like everybody else.
    here.isOver = true;
  }
}
