import { once } from 'node:events';
import { startWorker } from '../../../fixtures/locks/children.ts';
import type { World } from './storages.ts';

/** One invocation of `test/fixtures/outbox/worker.ts`, or of the worker of another database. */
export interface Run {
  readonly role: 'post' | 'commit' | 'outside' | 'relay' | 'sweep' | 'consume';
  readonly event: unknown;
  /** The request at which it kills itself: `sends send`, before it leaves; `wrote …`, after it was served. */
  readonly diesAt?: string | undefined;
  readonly atOnceMs?: number;
  /** How far ahead of ours the clock of its outbox and of its consumer is. */
  readonly aheadMs?: number;
}

/** Runs one invocation in a process of its own. @returns the signal that ended it, or how it returned */
export async function run(
  world: Pick<World, 'sqs' | 'bus' | 'provider' | 'worker'>,
  to: string,
  one: Run,
): Promise<string> {
  const { role, event, diesAt = '', atOnceMs, aheadMs = 0 } = one;
  const env = {
    ...world.worker.env,
    QUEUES: world.sqs.endpoint,
    BUS: world.bus.endpoint,
    PROVIDER: world.provider.endpoint,
    TO: to,
    ROLE: role,
    DIES_AT: diesAt,
    AHEAD_MS: String(aheadMs),
    ...(atOnceMs !== undefined && { AT_ONCE_MS: String(atOnceMs) }),
  };
  const child = startWorker(world.worker.file, env);
  const exit = once(child, 'exit');
  await once(child, 'message');
  child.send(event as object);
  const returned = once(child, 'message').then(([{ returned: response }]) => {
    if (response.batchItemFailures?.length > 0) return 'failed';
    return response.left > 0 || response.reachedEnd === false ? 'out of time' : 'returned';
  });
  const ended = await Promise.race([returned, exit.then(([code, signal]) => String(signal ?? code))]);
  if (child.connected) child.disconnect();
  await exit;
  return ended;
}

/**
 * The message comes again for as long as it is given back: where a slow machine has kept an answer of the database from its worker. Later each time, so that
 * the lease of one that has died is over.
 */
export async function deliverUntilTaken(world: Parameters<typeof run>[0], to: string, one: Run): Promise<string> {
  for (let aheadMs = one.aheadMs ?? 0; ; aheadMs += 31_000) {
    const ended = await run(world, to, { ...one, aheadMs });
    if (ended !== 'failed') return ended;
  }
}

/**
 * The schedule goes on until a sweep has had its time. On a slow machine one ends before it has done all of it.
 *
 * Later each time: what a relay in PostgreSQL has taken it holds for half a minute, also where it has died.
 */
export async function sweepOut(world: Parameters<typeof run>[0], to: string): Promise<void> {
  let aheadMs = 31_000;
  while ((await run(world, to, { role: 'sweep', event: {}, aheadMs })) !== 'returned') aheadMs += 31_000;
}
