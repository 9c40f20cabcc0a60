import type { Rules } from './rule.ts';

const byTable = '`OutboxTable` makes it so';
const elsewhere = 'the relay may be in another stack';

/** The outbox of a function. */
export const outboxes = {
  outboxKey: {
    broken: 'an outbox table whose key is not `id`, a string, and `n`, a number',
    because: 'pawl cannot commit a message',
    level: 'problem',
    construct: byTable,
    template: byTable,
    doctor: true,
  },
  outboxRelay: {
    broken: 'an outbox whose stream no enabled event source reads',
    because: 'what a worker leaves waits for a schedule that calls `outboxSweep`; without one, it is never sent',
    level: 'warning',
    construct: elsewhere,
    template: elsewhere,
    doctor: true,
  },
  outboxTtl: {
    broken: 'an outbox table whose TTL attribute is not `expiresAt`',
    because: 'the counters of message groups are never deleted',
    level: 'warning',
    construct: byTable,
    template: byTable,
    doctor: true,
  },
  outboxDeletion: {
    broken: 'an outbox table without deletion protection',
    because: 'if the table is deleted, messages are lost that were committed and not sent',
    level: 'warning',
    construct: byTable,
    template: byTable,
    doctor: true,
  },
} as const satisfies Rules;
