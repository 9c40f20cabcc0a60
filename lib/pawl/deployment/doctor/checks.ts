import { wiringProblems } from '../wiring.ts';
import type { Problem } from '../wiring-problem.ts';
import { checkPermissions, checkTable } from './check-claims.ts';
import type { ConsumerFacts } from './facts.ts';
import { type About, type Finding, found, orOk, unknown } from './finding.ts';

/** What the handlers choose, which no API shows. */
export interface CheckOptions {
  /** How long claims are remembered: `retentionSeconds`. */
  readonly claimRetentionSeconds: number;
  readonly concurrency?: number | undefined;
  /** `timeoutMs`, in seconds. */
  readonly handlerTimeoutSeconds?: number | undefined;
  readonly maxAttempts?: number | undefined;
  /** `leaseMs` of the handlers' locks, in seconds. */
  readonly lockLeaseSeconds?: number | undefined;
  /** How many attempts of other requests may be ahead of a message. */
  readonly lockAttempts?: number | undefined;
}

/**
 * Checks a consumer as it is deployed, by the rules that the constructs use to refuse a stack, and by those about what only an account shows.
 */
export function checkConsumer(facts: ConsumerFacts, options: CheckOptions): readonly Finding[] {
  const problems = problemsOf(facts, options);
  const on = (about: About) =>
    found(
      about,
      problems.filter(({ rule }) => aboutOf(rule) === about),
    );
  return [
    ...checkWiring(facts, on('wiring')),
    ...orOk('event source', on('event source'), 'enabled, no filter'),
    ...checkDeadLetters(facts, on('dead letters')),
    ...checkTable(facts.table),
    ...checkPermissions(facts.permissions),
  ];
}

function problemsOf(facts: ConsumerFacts, options: CheckOptions): readonly Problem[] {
  const { source, queue, deadLetterQueue, timeoutSeconds, reservedConcurrency } = facts;
  return wiringProblems({
    ...source,
    ...options,
    timeoutSeconds,
    runtime: facts.runtime,
    managedInstances: facts.managedInstances,
    reservedConcurrency: reservedConcurrency === 'none' ? undefined : reservedConcurrency,
    maxConcurrencyOfAll: facts.maxConcurrencyOfAll,
    sources: facts.sources,
    otherFunctions: facts.otherFunctions,
    queueArn: queue?.arn,
    visibilityTimeoutSeconds: queue?.visibilityTimeoutSeconds,
    fifo: queue?.fifo ?? false,
    retentionSeconds: queue?.retentionSeconds,
    maxReceiveCount: queue?.maxReceiveCount,
    redriveArn: queue?.redriveArn,
    deadLetterArn: facts.namedDeadLetterQueue,
    deadLetterRetentionSeconds: deadLetterQueue?.retentionSeconds,
    deadLetterQueueFifo: deadLetterQueue?.fifo,
    redriveAllowedFor: deadLetterQueue?.redriveAllowedFor,
  });
}

function aboutOf(rule: Problem['rule']): About {
  switch (rule) {
    case 'eventFilters':
    case 'disabled':
    case 'oneEventSource':
    case 'oneConsumer':
      return 'event source';
    case 'deadLetterQueueOther':
    case 'deadLetterQueueItself':
    case 'deadLetterQueuePlace':
    case 'deadLetterRetention':
    case 'redriveAllowed':
      return 'dead letters';
    default:
      return 'wiring';
  }
}

function checkWiring(facts: ConsumerFacts, problems: readonly Finding[]): readonly Finding[] {
  const { queue, source, timeoutSeconds, reservedConcurrency, managedInstances } = facts;
  const unread = [
    ...(queue === undefined ? ['pawl could not read the queue, so it could not check its times.'] : []),
    ...(reservedConcurrency === undefined
      ? ['pawl could not read the reserved concurrency: it needs lambda:GetFunctionConcurrency.']
      : []),
  ].map((text) => unknown('wiring', text));
  const seen =
    `timeout ${timeoutSeconds} s, visibility ${queue?.visibilityTimeoutSeconds} s, batches of ${source.batchSize}, ` +
    `${queue?.maxReceiveCount} receives, partial responses${managedInstances ? ', on Managed Instances' : ''}`;
  return orOk('wiring', [...problems, ...unread], seen);
}

function checkDeadLetters(facts: ConsumerFacts, problems: readonly Finding[]): readonly Finding[] {
  const { deadLetterQueue, namedDeadLetterQueue, queue } = facts;
  if (queue === undefined || queue.maxReceiveCount === 'none') return problems;
  const findings = [...problems];
  if (deadLetterQueue === undefined) {
    findings.push(
      unknown('dead letters', 'pawl could not read the dead-letter queue of the redrive policy. Does it exist?'),
    );
    return findings;
  }
  if (namedDeadLetterQueue === undefined) {
    findings.push({
      level: 'warning',
      about: 'dead letters',
      text:
        'DEAD_LETTER_QUEUE_URL does not name a queue for this one. With an undefined URL, nothing runs. ' +
        `Without deadLetterQueue, a message that can never run uses up its receives before SQS moves it. Set the variable to the URL of ${deadLetterQueue.name}.`,
    });
  }
  return orOk('dead letters', findings, `${deadLetterQueue.name}, kept for ${days(deadLetterQueue.retentionSeconds)}`);
}

function days(seconds: number): string {
  const count = Math.round((seconds / 86_400) * 10) / 10;
  return count === 1 ? '1 day' : `${count} days`;
}
