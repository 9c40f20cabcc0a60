import { type Wiring, wiringProblems } from '../constructs/wiring.ts';
import type { ConsumerFacts, TableFacts } from './facts.ts';

export type Level = 'ok' | 'problem' | 'warning' | 'unknown';

/** One thing that was looked at. */
export interface Finding {
  readonly level: Level;
  readonly about: 'wiring' | 'event source' | 'dead letters' | 'claims table' | 'permissions';
  /** When all is well, what was seen. Otherwise what is wrong, with the numbers and the fix. */
  readonly text: string;
}

export interface CheckOptions {
  /** How long claims are remembered: the handlers' `retentionSeconds`, which no API tells. */
  readonly claimRetentionSeconds: number;
}

/**
 * What is right and wrong with a consumer as it is deployed: the rules by which the constructs refuse a stack, and those about what
 * only an account can tell.
 */
export function checkConsumer(facts: ConsumerFacts, options: CheckOptions): readonly Finding[] {
  return [
    ...checkWiring(facts, options),
    ...checkEventSource(facts),
    ...checkDeadLetters(facts),
    ...checkTable(facts.table),
    ...checkPermissions(facts),
  ];
}

function checkWiring(facts: ConsumerFacts, { claimRetentionSeconds }: CheckOptions): readonly Finding[] {
  const { source, queue, deadLetterQueue, timeoutSeconds } = facts;
  if (queue === undefined) return [unknown('wiring', 'The queue could not be read, so nothing is known of its times.')];
  const wiring: Wiring = {
    timeoutSeconds,
    visibilityTimeoutSeconds: queue.visibilityTimeoutSeconds,
    maxBatchingWindowSeconds: source.maxBatchingWindowSeconds,
    batchSize: source.batchSize,
    fifo: queue.fifo,
    retentionSeconds: queue.retentionSeconds,
    deadLetterRetentionSeconds: deadLetterQueue?.retentionSeconds,
    claimRetentionSeconds,
    maxReceiveCount: queue.maxReceiveCount,
    deadLetterQueueFifo: deadLetterQueue?.fifo,
    reportsBatchItemFailures: source.reportsBatchItemFailures,
  };
  const seen =
    `timeout ${timeoutSeconds} s, visibility ${queue.visibilityTimeoutSeconds} s, batches of ${source.batchSize}, ` +
    `${queue.maxReceiveCount} receives, partial responses`;
  return orOk(
    'wiring',
    wiringProblems(wiring).map(({ text }) => problem('wiring')(text)),
    seen,
  );
}

function checkEventSource({ source }: ConsumerFacts): readonly Finding[] {
  const found: Finding[] = [];
  if (!source.enabled) {
    found.push(
      warning('event source', 'It is disabled: nothing is consumed, and messages wait until they are deleted.'),
    );
  }
  if (source.filters > 0) {
    found.push(
      warning(
        'event source',
        `It has ${source.filters === 1 ? 'a filter' : `${source.filters} filters`}, and Lambda deletes the messages that do not ` +
          'match: they are gone without a trace. Filter in front of the queue, unless that is what you want.',
      ),
    );
  }
  return orOk('event source', found, 'enabled, no filter');
}

function checkDeadLetters({ deadLetterQueue, namedDeadLetterQueue, queue }: ConsumerFacts): readonly Finding[] {
  if (queue === undefined || queue.maxReceiveCount === false) return [];
  if (deadLetterQueue === undefined) {
    return [unknown('dead letters', 'The dead-letter queue of the redrive policy could not be read. Does it exist?')];
  }
  const found: Finding[] = [];
  if (namedDeadLetterQueue === undefined) {
    found.push(
      warning(
        'dead letters',
        'DEAD_LETTER_QUEUE_URL is not set: deadLetterQueue(…) of an undefined URL fails at the cold start, and without it a ' +
          `message that can never run uses up its receives before it is moved. Set it to the URL of ${deadLetterQueue.name}.`,
      ),
    );
  } else if (namedDeadLetterQueue !== deadLetterQueue.name) {
    found.push(
      warning(
        'dead letters',
        `DEAD_LETTER_QUEUE_URL names ${namedDeadLetterQueue}, and the redrive policy ${deadLetterQueue.name}: whoever looks ` +
          'at one of them misses the other. Use one queue for both.',
      ),
    );
  }
  return orOk('dead letters', found, `${deadLetterQueue.name}, kept for ${days(deadLetterQueue.retentionSeconds)}`);
}

function checkTable(table: TableFacts | undefined): readonly Finding[] {
  if (table === undefined) return [unknown('claims table', 'The claims table could not be read.')];
  const found: Finding[] = [];
  if (table.key.length !== 1 || table.key[0] !== 'id (HASH, S)') {
    found.push(
      problem('claims table')(
        `The key of ${table.name} is ${table.key.join(' and ')}, and claims are kept by id (HASH, S) alone: no claim can be ` +
          'written. Use a table of its own.',
      ),
    );
  }
  if (table.replicas.length > 0) {
    found.push(
      problem('claims table')(
        `${table.name} is replicated to ${table.replicas.join(', ')}: a condition sees its own region only, so two regions ` +
          'would each grant the same claim. Take its replicas away.',
      ),
    );
  }
  found.push(...checkTtl(table));
  if (!table.deletionProtection) {
    found.push(
      warning(
        'claims table',
        `${table.name} may be deleted: all that happened would be forgotten, and repeated. Turn deletion protection on.`,
      ),
    );
  }
  if (table.pointInTimeRecovery === false) {
    found.push(warning('claims table', `${table.name} has no point-in-time recovery. Turn it on.`));
  }
  return orOk('claims table', found, `${table.name}, one region, deletes by ${table.ttlAttribute}, protected`);
}

function checkTtl({ name, ttlAttribute }: TableFacts): readonly Finding[] {
  if (ttlAttribute === undefined) return [unknown('claims table', `The TTL of ${name} could not be read.`)];
  if (ttlAttribute === false) {
    return [warning('claims table', `${name} has no TTL: it grows for ever. Turn it on, by the attribute expiresAt.`)];
  }
  if (ttlAttribute === 'expiresAt') return [];
  return [
    problem('claims table')(
      `${name} deletes by ${ttlAttribute}, and claims say when they may go in expiresAt: they would go early, or never. Set ` +
        "the table's TTL to expiresAt.",
    ),
  ];
}

function checkPermissions({ permissions }: ConsumerFacts): readonly Finding[] {
  if (permissions === undefined) {
    return [
      unknown(
        'permissions',
        'IAM was not to be asked what the role may do. It takes iam:SimulatePrincipalPolicy to find out.',
      ),
    ];
  }
  const denied = Map.groupBy(
    permissions.filter(({ allowed }) => !allowed),
    ({ on }) => on,
  );
  const found = [...denied].map(([on, missing]) =>
    problem('permissions')(
      `The function may not ${missing.map(({ action }) => action).join(', ')} on ${on}. Grant it.`,
    ),
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

const problem =
  (about: Finding['about']) =>
  (text: string): Finding => ({ level: 'problem', about, text });

const warning = (about: Finding['about'], text: string): Finding => ({ level: 'warning', about, text });

const unknown = (about: Finding['about'], text: string): Finding => ({ level: 'unknown', about, text });

function days(seconds: number): string {
  const count = Math.round((seconds / 86_400) * 10) / 10;
  return count === 1 ? '1 day' : `${count} days`;
}
