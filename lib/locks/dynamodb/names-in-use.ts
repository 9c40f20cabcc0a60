import { expect } from '../../kernel/check.ts';
import type { Host } from '../../kernel/host.ts';
import type { WorkName } from './progress.ts';
import type { TransactAction } from './store.ts';

/** More attempts than a process has under way. The oldest are forgotten: what is refused here is a mistake that the first try shows. */
const mostRemembered = 1000;
/** For each world: what simulated ones have in use is not in use in another. */
const worlds = new WeakMap<Host, Set<string>>();

/**
 * Takes a name for a work in one attempt, which is known by its fence. A second work under the same name would find the progress of
 * the first, and do nothing.
 *
 * @returns gives the name back, when the attempt has not finished the work and may go on with it
 * @throws OptionError when the attempt has used the name
 */
export function takeName(
  { tableName, host }: { readonly tableName: string; readonly host: Host },
  { id, work }: WorkName,
  fence: TransactAction,
): () => void {
  const inUse = worlds.get(host) ?? new Set<string>();
  worlds.set(host, inUse);
  // A document client takes big integers as well, which JSON does not.
  const name = JSON.stringify([tableName, id, work, fence], (_, value) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  expect(!inUse.has(name), 'work', 'a name that no other work of this attempt has', work);
  inUse.add(name);
  const [oldest = name] = inUse;
  if (inUse.size > mostRemembered) inUse.delete(oldest);
  return () => inUse.delete(name);
}
