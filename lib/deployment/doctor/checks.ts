import { permissionProblem } from '../policy.ts';
import { wiringProblems } from '../wiring.ts';
import type { Problem } from '../wiring-problem.ts';
import { openIndexProblems, restoreProblems, tableProblems } from '../wiring-table.ts';
import type { ConsumerFacts, TableFacts } from './facts.ts';

export type Level = 'ok' | 'problem' | 'warning' | 'unknown';

/** One thing that was looked at. */
export interface Finding {
  readonly level: Level;
  /** The rule that is broken, as `docs/reference/wiring.md` names it. */
  readonly rule?: Problem['rule'];
  readonly about: 'wiring' | 'event source' | 'dead letters' | 'claims table' | 'permissions';
  /** Of level `ok`, what was seen. Otherwise what is wrong, with the numbers and the fix. */
  readonly text: string;
}

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
  const found = (about: Finding['about']) => problems.filter(({ rule }) => aboutOf(rule) === about).map(toFinding);
  return [
    ...checkWiring(facts, found('wiring')),
    ...orOk('event source', found('event source'), 'enabled, no filter'),
    ...checkDeadLetters(facts, found('dead letters')),
    ...checkTable(facts.table),
    ...checkPermissions(facts),
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

function aboutOf(rule: Problem['rule']): Finding['about'] {
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

function checkWiring(facts: ConsumerFacts, found: readonly Finding[]): readonly Finding[] {
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
  return orOk('wiring', [...found, ...unread], seen);
}

function checkDeadLetters(facts: ConsumerFacts, problems: readonly Finding[]): readonly Finding[] {
  const { deadLetterQueue, namedDeadLetterQueue, queue } = facts;
  if (queue === undefined || queue.maxReceiveCount === 'none') return problems;
  const found = [...problems];
  if (deadLetterQueue === undefined) {
    found.push(
      unknown('dead letters', 'pawl could not read the dead-letter queue of the redrive policy. Does it exist?'),
    );
    return found;
  }
  if (namedDeadLetterQueue === undefined) {
    found.push({
      level: 'warning',
      about: 'dead letters',
      text:
        'DEAD_LETTER_QUEUE_URL does not name a queue for this one. With an undefined URL, nothing runs. ' +
        `Without deadLetterQueue, a message that can never run uses up its receives before SQS moves it. Set the variable to the URL of ${deadLetterQueue.name}.`,
    });
  }
  return orOk('dead letters', found, `${deadLetterQueue.name}, kept for ${days(deadLetterQueue.retentionSeconds)}`);
}

function checkTable(table: TableFacts | undefined): readonly Finding[] {
  if (table === undefined) return [unknown('claims table', 'pawl could not read the claims table.')];
  const { name, openIndex, mark } = table;
  const problems = [...tableProblems(table), ...openIndexProblems(name, openIndex), ...restoreProblems(name, mark)];
  const found = problems.map((one) => ({ ...toFinding(one), about: 'claims table' as const }));
  if (table.ttl === undefined) found.push(unknown('claims table', `pawl could not read the TTL of ${table.name}.`));
  if (table.pointInTimeRecovery === undefined) {
    found.push(unknown('claims table', `pawl could not read the point-in-time recovery of ${table.name}.`));
  }
  return orOk(
    'claims table',
    found,
    `${table.name}, one region, deletes by ${attributeOf(table)}, protected, lists what is open`,
  );
}

function attributeOf({ ttl }: TableFacts): string {
  return ttl?.kind === 'on' ? ttl.attribute : 'nothing';
}

function checkPermissions({ permissions }: ConsumerFacts): readonly Finding[] {
  if (permissions === undefined) {
    return [
      unknown('permissions', 'pawl could not ask IAM what the role may do: it needs iam:SimulatePrincipalPolicy.'),
    ];
  }
  const alike = Map.groupBy(permissions, ({ on, decision }) => `${decision} ${on}`);
  const found = [...alike.values()].flatMap((those) =>
    those.slice(0, 1).flatMap(({ decision, on }) => {
      const actions = those.map(({ action }) => action);
      return permissionProblem(decision, actions, on, '. Grant it.').map((one) => ({
        ...toFinding(one),
        about: 'permissions' as const,
      }));
    }),
  );
  return orOk(
    'permissions',
    found,
    `${permissions.length} of ${permissions.length} that it needs, as IAM simulates them`,
  );
}

function orOk(about: Finding['about'], found: readonly Finding[], seen: string): readonly Finding[] {
  return found.length > 0 ? found : [{ level: 'ok', about, text: seen }];
}

const toFinding = ({ rule, level, text }: Problem): Finding => ({ level, rule, about: aboutOf(rule), text });

const unknown = <About extends Finding['about']>(about: About, text: string) =>
  ({ level: 'unknown', about, text }) as const;

function days(seconds: number): string {
  const count = Math.round((seconds / 86_400) * 10) / 10;
  return count === 1 ? '1 day' : `${count} days`;
}
