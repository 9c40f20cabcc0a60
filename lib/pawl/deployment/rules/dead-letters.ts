import { byConstruct, from, type Rules } from './rule.ts';

/** Where messages go that cannot be handled. */
export const deadLetters = {
  deadLetterRetention: {
    broken: 'a dead-letter queue whose retention is below that of the queue, or below one day',
    because:
      'on a standard queue the age counts from the first send: SQS deletes dead letters before an operator sees them',
    level: 'problem',
    construct: 'the construct keeps dead letters for 14 days, the longest that SQS allows',
    template: true,
    doctor: true,
    source: from.retention,
  },
  deadLetterQueue: {
    broken: 'a queue without a dead-letter queue, or an imported queue without `deadLetterQueue`',
    because: 'SQS deletes a message that keeps failing, and no operator sees it',
    level: 'problem',
    construct: true,
    template: true,
    doctor: true,
  },
  deadLetterQueueOther: {
    broken: 'a `deadLetterQueue` that is not the one in the redrive policy',
    because: 'dead letters arrive in two queues, and the alarm watches one of them',
    level: 'problem',
    construct: true,
    template: true,
    doctor: true,
  },
  deadLetterQueueItself: {
    broken: 'a queue that is its own dead-letter queue',
    because: 'a message that can never run comes back for ever',
    level: 'problem',
    construct: true,
    template: true,
    doctor: true,
  },
  deadLetterQueuePlace: {
    broken: 'a dead-letter queue in another region or account than its queue',
    because: 'neither the redrive policy nor the function’s client can reach it',
    level: 'problem',
    construct: true,
    template: true,
    doctor: true,
    source: from.deadLetters,
  },
  deadLetterQueueKind: {
    broken: 'a FIFO queue with a standard dead-letter queue, or the other way round',
    because: 'SQS refuses it at deployment',
    level: 'problem',
    construct: true,
    template: true,
    doctor: true,
    source: from.deadLetters,
  },
  redriveAllowed: {
    broken: 'a dead-letter queue whose redrive allow policy does not name the queue',
    because: 'SQS does not let the queue use it',
    level: 'problem',
    construct: byConstruct,
    template: true,
    doctor: true,
    source: from.deadLetters,
  },
} as const satisfies Rules;
