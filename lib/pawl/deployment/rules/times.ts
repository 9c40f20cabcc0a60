import { from, inHandler, inHandlerDeployed, type Rules } from './rule.ts';

/** How long a queue, a function and a claim last beside each other, and how often SQS may deliver a message. */
export const times = {
  visibility: {
    broken: 'a visibility timeout below 6 × function timeout + batching window',
    because: 'SQS delivers messages again while the function still works on them',
    level: 'problem',
    construct: true,
    template: true,
    doctor: true,
    source: from.configure,
  },
  managedInstances: {
    broken:
      'on Managed Instances, a visibility timeout below the function’s timeout plus the batching window plus 61 s',
    because:
      'code runs on after the timeout, and keeps its claim for up to 60 s: its message returns before, and uses up receives',
    level: 'problem',
    construct: 'a function gets its capacity provider after it is made',
    template: true,
    doctor: true,
    source: from.instances,
  },
  lease: {
    broken: '`lease` longer than the visibility timeout',
    because: 'after a crash, a message returns before its claim is free, and uses up receives',
    level: 'problem',
    construct: true,
    template: true,
    doctor: inHandlerDeployed,
  },
  claimRetention: {
    broken: '`claimRetention` below the retention of the queue plus that of the dead-letter queue',
    because: 'after a late redrive the claim is gone, and the effect happens again',
    level: 'problem',
    construct: true,
    template: true,
    doctor: true,
  },
  queueRetention: {
    broken: 'a queue that keeps messages for less than `maxReceiveCount` visibility timeouts, or less than 5',
    because: 'if workers keep dying, SQS deletes the message before it reaches the dead-letter queue',
    level: 'problem',
    construct: true,
    template: true,
    doctor: true,
  },
  receives: {
    broken: '`maxReceiveCount` below what a healthy message may need ([the formula](receives.md))',
    because: 'SQS dead-letters healthy messages that never ran',
    level: 'problem',
    construct: true,
    template: true,
    doctor: true,
    source: from.configure,
  },
  handlerTimeout: {
    broken: '`handlerTimeout`, plus 1 s to record the outcome, not shorter than the function’s timeout',
    because: 'no message ever starts: pawl starts only what can end in time',
    level: 'problem',
    construct: true,
    template: true,
    doctor: true,
  },
  attempts: {
    broken: '`maxAttempts` at or below the number of attempts that waiting for locks takes',
    because: 'pawl parks a healthy message that only waited for a lock',
    level: 'problem',
    construct: true,
    template: inHandler,
    doctor: true,
  },
} as const satisfies Rules;
