import { done } from './fate.ts';
import { receiveCountOf } from './message.ts';
import type { Delivery } from './queue.ts';

/** The message group of a FIFO queue. On a standard queue, a message group means fairness and no order. */
export function groupOf({ record }: Delivery): string | undefined {
  return record.eventSourceARN?.endsWith('.fifo') ? record.attributes.MessageGroupId : undefined;
}

/**
 * Takes all messages of a batch one step: side by side, but those of a message group of a FIFO queue in order, and none after one that is
 * neither done nor safe in the dead-letter queue, or whose step answers that the group ends there. What was received most often goes
 * first: it has waited for its turn before, and each wait has cost it a receive.
 *
 * @param makeWay called with a message and how many of its group wait behind it, to bury it if it keeps them waiting for nothing
 */
export async function inOrder<One extends Delivery>(
  batch: readonly One[],
  step: (one: One, group: readonly One[]) => Promise<unknown>,
  makeWay: (one: One, behind: number) => Promise<void>,
): Promise<void> {
  const groups = [...Map.groupBy(batch, (one) => groupOf(one) ?? one).values()];
  const receives = ([head]: readonly One[]) => (head ? receiveCountOf(head.record) : 0);
  groups.sort((a, b) => receives(b) - receives(a));
  await Promise.all(
    groups.map(async (group) => {
      for (const [place, one] of group.entries()) {
        const ends = await step(one, group);
        const behind = group.length - 1 - place;
        if (ends || behind === 0) return;
        await makeWay(one, behind);
        if ((one.fate ?? done).fate !== 'done' && !one.isBuried) return;
      }
    }),
  );
}
