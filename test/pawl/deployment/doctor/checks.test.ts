import { expect, test } from 'vitest';
import { type CheckOptions, checkConsumer } from '../../../../lib/pawl/deployment/doctor/checks.ts';
import type {
  ConsumerFacts,
  EventSourceFacts,
  QueueFacts,
  TableFacts,
} from '../../../../lib/pawl/deployment/doctor/facts.ts';
import type { AccessDecision } from '../../../../lib/pawl/deployment/policy.ts';
import { ends } from '../../../../lib/pawl/deployment/rules/ends.ts';
import { outboxes } from '../../../../lib/pawl/deployment/rules/outbox.ts';
import { schedules } from '../../../../lib/pawl/deployment/rules/schedules.ts';
import { type RuleName, wiringRules } from '../../../../lib/pawl/deployment/wiring-rules.ts';
import { restoreProblems } from '../../../../lib/pawl/deployment/wiring-table.ts';

const day = 86_400;
const options = { claimRetentionSeconds: 30 * day };

const queue: QueueFacts = {
  name: 'orders',
  arn: 'arn:aws:sqs:eu-west-1:123456789012:orders',
  fifo: false,
  visibilityTimeoutSeconds: 180,
  retentionSeconds: 4 * day,
  maxReceiveCount: 5,
  redriveArn: 'arn:aws:sqs:eu-west-1:123456789012:orders-dead',
  redriveAllowedFor: undefined,
};
const deadLetterQueue: QueueFacts = {
  ...queue,
  name: 'orders-dead',
  arn: `${queue.arn}-dead`,
  retentionSeconds: 14 * day,
  maxReceiveCount: 'none',
  redriveArn: undefined,
};
const openIndex = {
  kind: 'there',
  key: ['open (HASH, S)', 'firstSeenAt (RANGE, N)'],
  projected: ['status', 'fence', 'attempts', 'abandoned', 'leaseUntil', 'unknownAt', 'error', 'attributes'],
} as const;
const table: TableFacts = {
  name: 'claims',
  arn: 'arn:aws:dynamodb:eu-west-1:123456789012:table/claims',
  key: ['id (HASH, S)'],
  replicas: [],
  replication: 'eventual',
  ttl: { kind: 'on', attribute: 'expiresAt' },
  isKept: true,
  pointInTimeRecovery: true,
  mark: { kind: 'none' },
  openIndex,
};
const sound: ConsumerFacts = {
  functionName: 'issue-gift-card',
  timeoutSeconds: 30,
  runtime: 'nodejs24.x',
  managedInstances: false,
  reservedConcurrency: 'none',
  sources: ['1 of issue-gift-card'],
  otherFunctions: [],
  maxConcurrencyOfAll: undefined,
  source: {
    enabled: true,
    batchSize: 10,
    maxBatchingWindowSeconds: 0,
    reportsBatchItemFailures: true,
    filters: 0,
    maxConcurrency: undefined,
    provisionedPollers: undefined,
  },
  queue,
  deadLetterQueue,
  namedDeadLetterQueue: deadLetterQueue.arn,
  table,
  permissions: [{ action: 'dynamodb:PutItem', on: 'the claims table', decision: 'allowed' }],
};

function found({ options: chosen, ...facts }: Facts, level: 'problem' | 'warning' | 'unknown'): readonly string[] {
  return checkConsumer({ ...sound, ...facts }, { ...options, ...chosen })
    .filter((finding) => finding.level === level)
    .map(({ about, text }) => `${about}: ${text}`);
}

test('finds nothing wrong with a consumer as the constructs make it, and says what it saw', () => {
  const findings = checkConsumer(sound, options);
  expect(findings.map(({ level, about }) => `${level} ${about}`)).toEqual([
    'ok wiring',
    'ok event source',
    'ok dead letters',
    'ok claims table',
    'ok permissions',
  ]);
});

/** What is deployed that breaks a rule, and what only just does not. */
interface Case {
  readonly says: RegExp;
  readonly broken: Facts;
  readonly narrow: Facts;
}

/** With what the handlers choose, where the rule is about that. */
type Facts = Partial<ConsumerFacts> & { readonly options?: Partial<CheckOptions> };

/** The rules about what a schedule starts have their cases in `scheduled.test.ts`, those about an outbox in `outbox.test.ts`, and about ends in `ends.test.ts`. */
type Names = Exclude<
  { [Name in RuleName]: (typeof wiringRules)[Name]['doctor'] extends true ? Name : never }[RuleName],
  keyof typeof schedules | keyof typeof outboxes | keyof typeof ends
>;

const withQueue = (change: Partial<QueueFacts>): Facts => ({ queue: { ...queue, ...change } });
const withDead = (change: Partial<QueueFacts>): Facts => ({ deadLetterQueue: { ...deadLetterQueue, ...change } });
const withSource = (change: Partial<EventSourceFacts>): Facts => ({ source: { ...sound.source, ...change } });
const withTable = (change: Partial<TableFacts>): Facts => ({ table: { ...table, ...change } });
const deciding = (decision: AccessDecision): Facts => ({
  permissions: [{ action: 'sqs:ReceiveMessage', on: 'the queue', decision }],
});
const other = 'arn:aws:sqs:eu-west-1:123456789012:other';
const onInstances: Facts = {
  timeoutSeconds: 10,
  managedInstances: true,
  ...withSource({ maxBatchingWindowSeconds: 2 }),
};

const cases: Readonly<Record<Names, Case>> = {
  visibility: {
    says: /wiring: visibilityTimeout is 179 s, shorter than .* = 180 s/,
    broken: withQueue({ visibilityTimeoutSeconds: 179 }),
    narrow: withQueue({ visibilityTimeoutSeconds: 180 }),
  },
  managedInstances: {
    says: /wiring: visibilityTimeout is 72 s, .* on Managed Instances, .* Set visibilityTimeout to 73 s or more/,
    broken: { ...onInstances, ...withQueue({ visibilityTimeoutSeconds: 72 }) },
    narrow: { ...onInstances, ...withQueue({ visibilityTimeoutSeconds: 73 }) },
  },
  claimRetention: {
    says: /wiring: claimRetention is 17 days, shorter than .* = 18 days/,
    broken: { options: { claimRetentionSeconds: 17 * day } },
    narrow: { options: { claimRetentionSeconds: 18 * day } },
  },
  queueRetention: {
    says: /wiring: The queue keeps messages for 1259 s, less than 7 receives/,
    broken: withQueue({ maxReceiveCount: 7, retentionSeconds: 1259 }),
    narrow: withQueue({ maxReceiveCount: 7, retentionSeconds: 1260 }),
  },
  deadLetterRetention: {
    says: /dead letters: The dead-letter queue keeps messages for 3 days, less than the queue/,
    broken: withDead({ retentionSeconds: 3 * day }),
    narrow: withDead({ retentionSeconds: 4 * day }),
  },
  deadLetterQueue: {
    says: /wiring: The queue has no dead-letter queue/,
    broken: { ...withQueue({ maxReceiveCount: 'none', redriveArn: undefined }), deadLetterQueue: undefined },
    narrow: withQueue({ maxReceiveCount: 5 }),
  },
  deadLetterQueueOther: {
    says: /dead letters: The redrive policy of the queue leads to .*:orders-dead, and the deadLetterQueue of the consumer is .*:other/,
    broken: { namedDeadLetterQueue: other },
    narrow: { namedDeadLetterQueue: deadLetterQueue.arn },
  },
  deadLetterQueueItself: {
    says: /dead letters: The queue is its own dead-letter queue/,
    broken: withQueue({ redriveArn: queue.arn }),
    narrow: withQueue({ redriveArn: deadLetterQueue.arn }),
  },
  deadLetterQueuePlace: {
    says: /dead letters: .* in another region or account/,
    broken: {
      ...withQueue({ redriveArn: 'arn:aws:sqs:eu-central-1:123456789012:orders-dead' }),
      namedDeadLetterQueue: 'arn:aws:sqs:eu-central-1:123456789012:orders-dead',
    },
    narrow: { ...withQueue({ redriveArn: other }), namedDeadLetterQueue: other },
  },
  deadLetterQueueKind: {
    says: /wiring: The queue is standard and its dead-letter queue is FIFO/,
    broken: withDead({ fifo: true }),
    narrow: withDead({ fifo: false }),
  },
  redriveAllowed: {
    says: /dead letters: The redrive allow policy of the dead-letter queue permits .*:other, and not this one/,
    broken: withDead({ redriveAllowedFor: [other] }),
    narrow: withDead({ redriveAllowedFor: [other, queue.arn] }),
  },
  receives: {
    says: /wiring: maxReceiveCount is 9, and a healthy message may need 10 receives/,
    broken: { ...withQueue({ fifo: true, maxReceiveCount: 9 }), ...withDead({ fifo: true }) },
    narrow: { ...withQueue({ fifo: true, maxReceiveCount: 10 }), ...withDead({ fifo: true }) },
  },
  handlerTimeout: {
    says: /wiring: handlerTimeout is 29 s, and timeout is 30 s/,
    broken: { options: { handlerTimeoutSeconds: 29 } },
    narrow: { options: { handlerTimeoutSeconds: 28.9 } },
  },
  attempts: {
    says: /wiring: maxAttempts is 6, and a message may be tried 6 times/,
    broken: {
      ...withQueue({ maxReceiveCount: 11 }),
      options: { lockLeaseSeconds: 60, lockAttempts: 3, maxAttempts: 6 },
    },
    narrow: {
      ...withQueue({ maxReceiveCount: 11 }),
      options: { lockLeaseSeconds: 60, lockAttempts: 3, maxAttempts: 7 },
    },
  },
  partialResponses: {
    says: /wiring: The event source does not take partial responses/,
    broken: withSource({ reportsBatchItemFailures: false }),
    narrow: withSource({ reportsBatchItemFailures: true }),
  },
  eventFilters: {
    says: /event source: The event source has 2 filters, and Lambda deletes/,
    broken: withSource({ filters: 2 }),
    narrow: withSource({ filters: 0 }),
  },
  disabled: {
    says: /event source: The event source is disabled/,
    broken: withSource({ enabled: false }),
    narrow: withSource({ enabled: true }),
  },
  oneEventSource: {
    says: /event source: The queue feeds the function through 2 event sources/,
    broken: { sources: ['1 of issue-gift-card', '2 of issue-gift-card:live'] },
    narrow: { sources: ['2 of issue-gift-card:live'] },
  },
  oneConsumer: {
    says: /event source: The queue feeds send-email as well/,
    broken: { otherFunctions: ['send-email'] },
    narrow: { otherFunctions: [] },
  },
  runtime: {
    says: /wiring: The function's runtime is nodejs20\.x/,
    broken: { runtime: 'nodejs20.x' },
    narrow: { runtime: 'nodejs22.x' },
  },
  reservedConcurrency: {
    says: /wiring: reservedConcurrentExecutions is 9, and the event sources of the function run up to 10 batches/,
    broken: { reservedConcurrency: 9, maxConcurrencyOfAll: 10 },
    narrow: { reservedConcurrency: 10, maxConcurrencyOfAll: 10 },
  },
  unboundedPolling: {
    says: /wiring: reservedConcurrentExecutions is 5, and an event source of the function has no maxConcurrency/,
    broken: { reservedConcurrency: 5 },
    narrow: { reservedConcurrency: 5, maxConcurrencyOfAll: 5 },
  },
  tableKey: {
    says: /claims table: The key of the claims table claims is pk \(HASH, S\) and sk \(RANGE, S\)/,
    broken: withTable({ key: ['pk (HASH, S)', 'sk (RANGE, S)'] }),
    narrow: withTable({ key: ['id (HASH, S)'] }),
  },
  tableReplicas: {
    says: /claims table: The claims table claims is replicated to another region \(us-east-1\)/,
    broken: withTable({ replicas: ['us-east-1'] }),
    narrow: withTable({ replicas: [] }),
  },
  tableTtl: {
    says: /claims table: The claims table claims deletes by leaseUntil/,
    broken: withTable({ ttl: { kind: 'on', attribute: 'leaseUntil' } }),
    narrow: withTable({ ttl: { kind: 'on', attribute: 'expiresAt' } }),
  },
  tableGrows: {
    says: /claims table: The claims table claims has no TTL/,
    broken: withTable({ ttl: { kind: 'off' } }),
    narrow: withTable({ ttl: { kind: 'on', attribute: 'expiresAt' } }),
  },
  tableDeletion: {
    says: /claims table: The claims table claims may be deleted/,
    broken: withTable({ isKept: false }),
    narrow: withTable({ isKept: true }),
  },
  tableRecovery: {
    says: /claims table: The claims table claims has no point-in-time recovery/,
    broken: withTable({ pointInTimeRecovery: false }),
    narrow: withTable({ pointInTimeRecovery: true }),
  },
  tableOpenIndex: {
    says: /claims table: The claims table claims has no index open: pawl claims cannot list/,
    broken: withTable({ openIndex: { kind: 'missing' } }),
    narrow: withTable({ openIndex: { ...openIndex, projected: [...openIndex.projected, 'more'] } }),
  },
  tableRestored: {
    says: /claims table: The claims table claims is marked as restored to 2026-11-22T12:00:00.000Z.* It is lifted for charge alone/,
    broken: withTable({ mark: { kind: 'stands', cutOff: Date.UTC(2026, 10, 22, 12), liftedFor: ['charge'] } }),
    narrow: withTable({ mark: { kind: 'lifted' } }),
  },
  permissions: {
    says: /permissions: The function may not sqs:ReceiveMessage on the queue\. Grant it/,
    broken: deciding('missing'),
    narrow: deciding('allowed'),
  },
  permissionsDenied: {
    says: /permissions: .* a policy of its role denies it/,
    broken: deciding('denied'),
    narrow: deciding('allowed'),
  },
  permissionsConditional: {
    says: /permissions: .* except under a condition/,
    broken: deciding('conditional'),
    narrow: deciding('allowed'),
  },
  permissionsBoundary: {
    says: /permissions: .* the permissions boundary of its role does not permit it/,
    broken: deciding('outside the boundary'),
    narrow: deciding('allowed'),
  },
  resourcePolicy: {
    says: /permissions: .* the policy of the queue denies it/,
    broken: deciding('denied by the resource'),
    narrow: deciding('allowed'),
  },
};

test('every rule that doctor asks has a case', () => {
  const names = Object.entries(wiringRules).filter(([, { doctor }]) => doctor === true);
  const all = [...Object.keys(cases), ...Object.keys(schedules), ...Object.keys(outboxes), ...Object.keys(ends)];
  expect(all.sort()).toEqual(names.map(([name]) => name).sort());
});

test.each(Object.entries(cases) as readonly (readonly [RuleName, Case])[])(
  '%s: what breaks it is found, and what only just does not is sound',
  (name, { says, broken, narrow }) => {
    const { level } = wiringRules[name];
    const findings = found(broken, level);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatch(says);
    expect(found(narrow, 'problem')).toEqual([]);
    expect(found(narrow, 'warning')).toEqual([]);
  },
);

test.each([0, 1, 4])('a reserved concurrency of %i is less than Lambda polls from the start', (reservedConcurrency) => {
  expect(found({ reservedConcurrency }, 'problem')).toEqual([
    expect.stringMatching(/is \d, and Lambda polls 5 batches at once from the start/),
  ]);
});

test('a handler without the URL of a dead-letter queue is warned of', () => {
  const [warning, ...others] = found({ namedDeadLetterQueue: undefined }, 'warning');
  expect(warning).toMatch(/dead letters: DEAD_LETTER_QUEUE_URL does not name a queue for this one/);
  expect(others).toEqual([]);
});

test('what could not be read is unknown, and neither good nor bad', () => {
  const facts = {
    queue: undefined,
    deadLetterQueue: undefined,
    table: undefined,
    permissions: undefined,
    reservedConcurrency: undefined,
  };
  const unknown = found(facts, 'unknown').map((text) => text.split(':')[0]);
  expect(unknown).toEqual(['wiring', 'wiring', 'claims table', 'permissions']);
  expect(found(facts, 'problem')).toEqual([]);
  expect(found(facts, 'warning')).toEqual([]);
});

test.each([
  ['is being built', { kind: 'building' }, /still building the index open .* Check again/],
  [
    'has a sort key of another type',
    { ...openIndex, key: ['open (HASH, S)', 'firstSeenAt (RANGE, S)'] },
    /has the key/,
  ],
  ['lacks an attribute', { ...openIndex, projected: openIndex.projected.slice(1) }, /does not include status/],
] as const)('an index of open claims that %s is warned of, and keeps no consumer from its work', (_, index, says) => {
  const facts = withTable({ openIndex: index });
  expect(found(facts, 'warning')).toEqual([expect.stringMatching(says)]);
  expect(found(facts, 'problem')).toEqual([]);
});

test('a mark that a restore has brought along is warned of: the table itself is not marked', () => {
  const [problem] = restoreProblems('claims', { kind: 'of-an-earlier-table' });
  expect(problem).toMatchObject({ rule: 'tableRestored', level: 'warning' });
  expect(problem?.text).toMatch(/claims was restored, and is not marked.*pawl restored --cut-off/);
});

test('an index that has every attribute is as good', () => {
  expect(found(withTable({ openIndex: { ...openIndex, projected: 'ALL' } }), 'warning')).toEqual([]);
});
