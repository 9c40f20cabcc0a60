import { once } from 'node:events';
import { inject } from 'vitest';
import { startWorker } from '../../../fixtures/locks/children.ts';
import type { setUpOutbox } from './support.ts';

/** Where an invocation runs: the tables and queues of a test. */
type Place = Pick<Awaited<ReturnType<typeof setUpOutbox>>, 'sqs' | 'tableName' | 'ledger' | 'outboxTable'>;

/** One invocation of `test/fixtures/outbox/worker.ts`. */
export interface Run {
  readonly role: 'post' | 'commit' | 'outside' | 'relay' | 'sweep';
  readonly event: unknown;
  /** The request at which it kills itself: `sends SendMessageCommand`, before it leaves; `wrote …`, after it was served. */
  readonly diesAt?: string | undefined;
  readonly atOnceMs?: number;
}

/** Runs one invocation in a process of its own. @returns the signal that ended it, that it returned, or that it returned a message to its queue */
export async function run(place: Place, to: string, { role, event, diesAt = '', atOnceMs }: Run): Promise<string> {
  const env = {
    ENDPOINT: inject('dynamoEndpoint'),
    QUEUES: place.sqs.endpoint,
    CLAIMS: place.tableName,
    LEDGER: place.ledger,
    OUTBOX: place.outboxTable,
    TO: to,
    ROLE: role,
    DIES_AT: diesAt,
    ...(atOnceMs !== undefined && { AT_ONCE_MS: String(atOnceMs) }),
  };
  const child = startWorker('../outbox/worker.ts', env);
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
