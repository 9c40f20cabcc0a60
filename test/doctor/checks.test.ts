import { expect, test } from 'vitest';
import { checkConsumer } from '../../lib/doctor/checks.ts';
import type { ConsumerFacts, QueueFacts, TableFacts } from '../../lib/doctor/facts.ts';

const DAY = 86_400;
const options = { claimRetentionSeconds: 30 * DAY };

const queue: QueueFacts = {
  name: 'orders',
  arn: 'arn:aws:sqs:eu-west-1:123456789012:orders',
  fifo: false,
  visibilityTimeoutSeconds: 180,
  retentionSeconds: 4 * DAY,
  maxReceiveCount: 5,
};
const deadLetterQueue: QueueFacts = {
  ...queue,
  name: 'orders-dead',
  arn: `${queue.arn}-dead`,
  retentionSeconds: 14 * DAY,
  maxReceiveCount: false,
};
const table: TableFacts = {
  name: 'claims',
  arn: 'arn:aws:dynamodb:eu-west-1:123456789012:table/claims',
  key: ['id (HASH, S)'],
  replicas: [],
  ttlAttribute: 'expiresAt',
  deletionProtection: true,
  pointInTimeRecovery: true,
};
const sound: ConsumerFacts = {
  functionName: 'issue-gift-card',
  timeoutSeconds: 30,
  source: {
    enabled: true,
    batchSize: 10,
    maxBatchingWindowSeconds: 0,
    reportsBatchItemFailures: true,
    filters: 0,
  },
  queue,
  deadLetterQueue,
  namedDeadLetterQueue: 'orders-dead',
  table,
  permissions: [{ action: 'dynamodb:PutItem', on: 'the claims table', allowed: true }],
};

function found(facts: Partial<ConsumerFacts>, level: 'problem' | 'warning' | 'unknown'): readonly string[] {
  return checkConsumer({ ...sound, ...facts }, options)
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

test.each([
  [
    'a visibility timeout that was changed by hand',
    { queue: { ...queue, visibilityTimeoutSeconds: 179 } },
    /wiring: visibilityTimeout is 179 s, shorter than .* = 180 s/,
  ],
  [
    'a function timeout that was raised without the queue',
    { timeoutSeconds: 31 },
    /wiring: visibilityTimeout is 180 s, shorter than .* = 186 s/,
  ],
  [
    'no partial responses',
    { source: { ...sound.source, reportsBatchItemFailures: false } },
    /wiring: The event source does not take partial responses/,
  ],
  [
    'no dead-letter queue',
    { queue: { ...queue, maxReceiveCount: false as const }, deadLetterQueue: undefined },
    /wiring: The queue has no dead-letter queue/,
  ],
  ['too few receives', { queue: { ...queue, maxReceiveCount: 4 } }, /wiring: maxReceiveCount is 4, below 5/],
  [
    'messages that outlive their claims',
    { queue: { ...queue, retentionSeconds: 17 * DAY } },
    /wiring: claimRetention is 30 days, shorter than .* = 31 days/,
  ],
  [
    'a table with another key',
    { table: { ...table, key: ['pk (HASH, S)', 'sk (RANGE, S)'] } },
    /claims table: The key of claims is pk \(HASH, S\) and sk \(RANGE, S\)/,
  ],
  [
    'a table in two regions',
    { table: { ...table, replicas: ['us-east-1'] } },
    /claims table: claims is replicated to us-east-1/,
  ],
  [
    'a TTL by another attribute',
    { table: { ...table, ttlAttribute: 'leaseUntil' } },
    /claims table: claims deletes by leaseUntil/,
  ],
  [
    'a permission that is missing',
    { permissions: [{ action: 'dynamodb:PartiQLInsert', on: 'the claims table', allowed: false }] },
    /permissions: The function may not dynamodb:PartiQLInsert on the claims table/,
  ],
])('%s is a problem', (_, facts, message) => {
  const problems = found(facts, 'problem');
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(message);
});

test.each([
  [
    'filters, which delete what they do not match',
    { source: { ...sound.source, filters: 2 } },
    /event source: It has 2 filters, and Lambda deletes/,
  ],
  ['a disabled event source', { source: { ...sound.source, enabled: false } }, /event source: It is disabled/],
  ['no TTL', { table: { ...table, ttlAttribute: false as const } }, /claims table: claims has no TTL/],
  ['no deletion protection', { table: { ...table, deletionProtection: false } }, /claims table: claims may be deleted/],
  [
    'no point-in-time recovery',
    { table: { ...table, pointInTimeRecovery: false } },
    /claims table: claims has no point-in-time recovery/,
  ],
  [
    'two dead-letter queues',
    { namedDeadLetterQueue: 'elsewhere' },
    /dead letters: DEAD_LETTER_QUEUE_URL names elsewhere, and the redrive policy orders-dead/,
  ],
  [
    'no dead-letter queue for the handler',
    { namedDeadLetterQueue: undefined },
    /dead letters: DEAD_LETTER_QUEUE_URL is not set/,
  ],
])('%s: a warning', (_, facts, message) => {
  const warnings = found(facts, 'warning');
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatch(message);
  expect(found(facts, 'problem')).toEqual([]);
});

test('what could not be read is unknown, and neither good nor bad', () => {
  const facts = { queue: undefined, deadLetterQueue: undefined, table: undefined, permissions: undefined };
  expect(found(facts, 'unknown').map((text) => text.split(':')[0])).toEqual(['wiring', 'claims table', 'permissions']);
  expect(found(facts, 'problem')).toEqual([]);
  expect(found(facts, 'warning')).toEqual([]);
});
