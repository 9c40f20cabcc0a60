import { byConstruct, from, type Rules } from './rule.ts';

/** What Lambda polls, and what it may poll beside it. */
export const eventSources = {
  partialResponses: {
    broken: 'an event source without partial responses',
    because: 'Lambda deletes the messages that failed together with those that succeeded',
    level: 'problem',
    construct: 'the construct turns them on',
    template: true,
    doctor: true,
    source: from.configure,
  },
  batch: {
    broken: 'a batch size, a batching window or a `maxConcurrency` that Lambda refuses',
    because: 'the deployment fails',
    level: 'problem',
    construct: true,
    template: true,
    doctor: 'Lambda refuses it, so it cannot be deployed',
    source: from.mapping,
  },
  provisionedPollers: {
    broken: 'provisioned pollers together with `maxConcurrency`, or fewer or more of them than Lambda takes',
    because: 'the deployment fails',
    level: 'problem',
    construct: true,
    template: true,
    doctor: 'Lambda refuses it, so it cannot be deployed',
    source: from.scaling,
  },
  eventFilters: {
    broken: 'event filters',
    because: 'Lambda deletes the messages that do not match',
    level: 'warning',
    construct: byConstruct,
    template: true,
    doctor: true,
    source: from.filtering,
  },
  disabled: {
    broken: 'a disabled event source, or a disabled schedule of a sweep or of a comparison with statements',
    because:
      'messages wait until SQS deletes them at the end of their retention, and claims in doubt wait for an operator',
    level: 'warning',
    construct: byConstruct,
    template: true,
    doctor: true,
  },
  oneEventSource: {
    broken: 'two event sources from the queue to the function, or to an alias of it',
    because: 'Lambda refuses the second. If one leads to an alias, two settings compete for the messages',
    level: 'problem',
    construct: byConstruct,
    template: true,
    doctor: true,
  },
  oneConsumer: {
    broken: 'a queue that feeds two functions',
    because: 'each message goes to one of them by chance',
    level: 'problem',
    construct: true,
    template: true,
    doctor: true,
  },
  reservedConcurrency: {
    broken:
      'reserved concurrency below the sum of `maxConcurrency`, or of 10 for each of `maximumPollers`, or below 5 without either',
    because:
      'Lambda polls more batches than the function may run, and throttling uses up the receives of healthy messages',
    level: 'problem',
    construct: byConstruct,
    template: true,
    doctor: true,
    source: from.scaling,
  },
  unboundedPolling: {
    broken: 'reserved concurrency without `maxConcurrency` or provisioned pollers',
    because: 'with a backlog, Lambda polls more batches than the function may run, and throttling uses up receives',
    level: 'warning',
    construct: byConstruct,
    template: true,
    doctor: true,
    source: from.scaling,
  },
} as const satisfies Rules;
