import type { Sent } from './traffic.ts';

/**
 * Watches in which order the effects of a message group happen: looked at after every call, an effect that is there now and was not
 * before has just happened.
 */
export function watchOrder(messages: readonly Sent[], hasHappened: (one: Sent) => boolean) {
  const grouped = messages.filter(({ message }) => message.messageGroupId !== undefined);
  const happened = new Map<Sent, number>();
  let looks = 0;

  return {
    look(): void {
      looks++;
      for (const one of grouped) if (!happened.has(one) && hasHappened(one)) happened.set(one, looks);
    },
    /** The numbers of those whose effect came before that of an earlier one of their group. */
    outOfOrder(): ReadonlySet<number> {
      const found = new Set<number>();
      for (const [index, one] of grouped.entries()) {
        const at = happened.get(one);
        const earlier = grouped
          .slice(0, index)
          .filter(({ message }) => message.messageGroupId === one.message.messageGroupId);
        // A repetition has its effect when the first of its kind has.
        const repeats = earlier.some((other) => happened.get(other) === at);
        if (at !== undefined && !repeats && earlier.some((other) => (happened.get(other) ?? 0) > at))
          found.add(one.number);
      }
      return found;
    },
  };
}
