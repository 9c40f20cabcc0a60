import type { Delivery } from './delivery.ts';
import type { Limit } from './limit.ts';
import { receiveCountOf } from './message.ts';

/** The message group of a FIFO queue. On a standard queue, a message group means fairness and no order. */
export function groupOf({ record }: Delivery): string | undefined {
  return record.eventSourceARN?.endsWith('.fifo') ? record.attributes.MessageGroupId : undefined;
}

/** How a message group goes on behind a message. */
export type GroupGoesOn = 'by-disposition' | 'not';

/**
 * Takes all messages of a batch one step: side by side, but those of a message group of a FIFO queue in order, and none after a message that is
 * neither acknowledged nor safe in the dead-letter queue. The groups whose first message was received most often go first: that message has waited for
 * its turn before, and each wait has cost it a receive.
 *
 * @param step returns `'not'` if the group ends with this message, whatever becomes of it
 * @param makeWay called with a message and how many of its group wait behind it, to dead-letter it if it keeps them waiting for nothing
 * @param each when a group begins. @default all at once
 */
export async function inOrder<One extends Delivery>(
  batch: readonly One[],
  step: (one: One, group: readonly One[]) => Promise<GroupGoesOn>,
  makeWay: (one: One, behind: number) => Promise<void>,
  each: Limit['each'] = allAtOnce,
): Promise<void> {
  const groups = [...Map.groupBy(batch, (one) => groupOf(one) ?? one).values()];
  const receives = ([head]: readonly One[]) => (head ? receiveCountOf(head.record) : 0);
  groups.sort((a, b) => receives(b) - receives(a));
  await each(groups, (group) => {
    const [head] = group;
    // Most messages are the only ones of their group.
    return head !== undefined && group.length === 1 ? step(head, group) : oneByOne(group);
  });

  async function oneByOne(group: readonly One[]): Promise<void> {
    for (const [place, one] of group.entries()) {
      const goesOn = await step(one, group);
      const behind = group.length - 1 - place;
      if (goesOn === 'not' || behind === 0) return;
      await makeWay(one, behind);
      if (keepsGroupWaiting(one)) return;
    }
  }
}

async function allAtOnce<T>(groups: Iterable<T>, begin: (group: T) => Promise<unknown>): Promise<void> {
  await Promise.all(Array.from(groups, begin));
}

/** A message without a disposition does not: its claim is granted, and its handler runs before those behind it, in the same batch. */
function keepsGroupWaiting({ disposition, isInDeadLetterQueue }: Delivery): boolean {
  return disposition !== undefined && disposition.kind !== 'acknowledged' && !isInDeadLetterQueue;
}
