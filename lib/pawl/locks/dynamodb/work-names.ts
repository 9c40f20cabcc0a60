import { expect } from '../../kernel/check.ts';
import { processWide } from '../../kernel/process-wide.ts';
import type { TransactAction } from '../../stores/dynamodb/marshall-action.ts';
import type { WorkName } from '../progress.ts';

/** More attempts than a process has under way. The oldest are forgotten: what is refused here is a mistake that the first try shows. */
const mostRemembered = 1000;

/**
 * The names that works have in use, each in one attempt. A second work under the same name would find the progress of the first, and do
 * nothing.
 */
export class WorkNames {
  readonly #inUse = new Set<string>();

  /**
   * Takes a name for a work in one attempt, which is known by its fence.
   *
   * @returns gives the name back, when the attempt has not finished the work and may go on with it
   * @throws OptionError when the attempt has used the name
   */
  take(tableName: string, { id, work }: WorkName, fence: TransactAction): () => void {
    // A document client takes big integers as well, which JSON does not.
    const name = JSON.stringify([tableName, id, work, fence], (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    expect(!this.#inUse.has(name), 'work', 'a name that no other work of this attempt has', work);
    this.#inUse.add(name);
    const [oldest = name] = this.#inUse;
    if (this.#inUse.size > mostRemembered) this.#inUse.delete(oldest);
    return () => this.#inUse.delete(name);
  }
}

/** The names of this process: a mistake shows in whatever part of it the two works begin. The only state of `lib/pawl/locks` that no caller holds. */
export const processWorkNames: WorkNames = processWide('locks.work-names/1', () => new WorkNames());
