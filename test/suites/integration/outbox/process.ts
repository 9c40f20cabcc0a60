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

/** Runs one invocation in a process of its own. @returns the signal that ended it, that it returned, or that it returned a message to its queue */
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
  const returned = once(child, 'message').then(([{ returned: response }]) =>
    response.batchItemFailures?.length > 0 ? 'failed' : 'returned',
  );
  const ended = await Promise.race([returned, exit.then(([code, signal]) => String(signal ?? code))]);
  if (child.connected) child.disconnect();
  await exit;
  return ended;
}
