import { answeredBy } from '../kernel/request.ts';
import type { Outbox } from './outbox.ts';
import type { OutboxRecord } from './record.ts';
import { drain, left, sendInOrder } from './sender.ts';

/** What a commit has written into an outbox. */
interface Written {
  readonly records: readonly OutboxRecord[];
  /** The lanes in which something lay before these messages. */
  readonly waiting: ReadonlySet<string>;
  readonly atOnceMs: number;
}

/**
 * What the worker does that has committed messages: it sends them at once, where it is their turn. What it does not send, the relay does, also where the
 * table could not be read.
 */
export function followBy(outbox: Outbox, { records, waiting, atOnceMs }: Written) {
  const lanes = Map.groupBy(records, ({ id }) => id);

  /** Whether nothing lies in a lane before these messages. */
  async function isTheirTurn(lane: string, [first]: readonly OutboxRecord[], until: number): Promise<boolean> {
    if (!waiting.has(lane)) return true;
    const [head] = await answeredBy(outbox.host, until, outbox.store.lane(lane, 0));
    return head?.uid === first?.uid;
  }

  async function followLane(
    lane: string,
    theirs: readonly OutboxRecord[],
    until: number,
    isKnown: boolean,
  ): Promise<void> {
    if (!isKnown) await drain(outbox, lane, until);
    else if (await isTheirTurn(lane, theirs, until)) await sendInOrder(outbox, theirs, until);
    else for (const one of theirs) left(outbox, one);
  }

  /** @param until in epoch milliseconds @param isKnown whether these messages are known to be committed. Never throws */
  return async function follow(until: number, isKnown: boolean): Promise<void> {
    const end = Math.min(until, outbox.host.now() + atOnceMs);
    await Promise.allSettled(Array.from(lanes, ([lane, theirs]) => followLane(lane, theirs, end, isKnown)));
  };
}
