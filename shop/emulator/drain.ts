import { setTimeout as sleep } from 'node:timers/promises';
import { messagesIn, type QueueDepth } from '../../lib/rehearsal/engine/servers/sqs-local.ts';

export interface DrainOptions {
  /** Looks at the queues. */
  readonly depths: () => Promise<readonly QueueDepth[]>;
  /** When to give up, in epoch milliseconds. */
  readonly until: number;
  /** Called at every look that finds messages. */
  readonly onLook?: (state: { readonly left: number; readonly ready: number }) => void;
  /** How long to wait between two looks. @default 250 */
  readonly betweenLooksMs?: number;
}

/** Waits until the queues are empty or the time is up. Returns how many messages are left. */
export async function drainQueues({ depths, until, onLook, betweenLooksMs = 250 }: DrainOptions): Promise<number> {
  for (;;) {
    const found = await depths();
    const left = found.reduce((sum, depth) => sum + messagesIn(depth), 0);
    if (left === 0 || Date.now() >= until) return left;
    onLook?.({ left, ready: found.reduce((sum, { ready }) => sum + ready, 0) });
    await sleep(betweenLooksMs);
  }
}
