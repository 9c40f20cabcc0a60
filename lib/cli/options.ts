import { consumerDefaults, handlerDefaults } from 'pawl/deployment';
import { openStates } from 'pawl/internal';
import type { DeadLetterReason } from 'pawl/sqs';
import { amount, choice, duration, flag, text, texts, type Values, whole } from './option.ts';

/* The options that several commands share, each once. A command's own stand in its row, in `commands.ts`. */

/** How AWS is reached. */
export const connection = {
  region: text('region', 'the AWS region', { otherwise: 'that of your AWS settings' }),
  profile: text('name', 'the profile of your AWS settings'),
  endpoint: text('url', 'the endpoint of a local stand-in for AWS'),
};

export const table = text('name', 'the claims table', {
  otherwise: 'that of the functions: their variable CLAIMS_TABLE',
});

/** Where the table and the queues are, of what is in DynamoDB alone. */
export const dynamoAccount = {
  stack: text('name', 'the CloudFormation stack, or the function, whose table and queues to use'),
  table,
  ...connection,
};

export const database = text(
  'url',
  "the PostgreSQL database with the claims, such as postgres://operator@host/shop; then --table is a table of it, by default 'pawl_claims'",
);

/** Where the claims and the queues are. */
export const account = {
  ...dynamoAccount,
  database,
  'key-secret': text(
    'variable',
    'the environment variable with the secret of hashed keys: a key is then given as the handler has it',
  ),
};

/** Where an outbox is. */
export const outboxTable = {
  ...dynamoAccount,
  table: text('name', 'the outbox table', { otherwise: 'that of the functions: their variable OUTBOX_TABLE' }),
  database: text(
    'url',
    "the PostgreSQL database with the outbox, such as postgres://operator@host/shop; then --table is a table of it, by default 'pawl_outbox'",
  ),
};

export const json = flag('one JSON object a line, for scripts');

/** Which open claims. */
export const filters = {
  operation: text('name', 'only claims of this operation'),
  status: choice('status', 'only claims in this state', openStates),
  reason: text('name', 'only claims with this reason: abandoned, outcome-unknown, …'),
  'older-than': duration('only claims first seen at least so long ago'),
  'doubt-older-than': duration(
    'only claims whose doubt is so old; since it began, no attempt can have applied the effect',
  ),
  prefix: text('text', 'only claims whose key begins with this; needs --operation'),
};

export const yes = flag('do not ask before writing');

/** Of a command that shows a plan first. */
export const plan = { 'dry-run': flag('show the plan, and change nothing'), yes };

/** Who acts, and why. */
export const by = text('name', 'who does this');
export const note = text('text', 'why; it is kept');

/** Why a message is a dead letter: pawl's reasons, and that of those that have none. */
const letterReasons = {
  'invalid-message': true,
  'missing-key': true,
  'invalid-key': true,
  'key-reused': true,
  rejected: true,
  parked: true,
  'receives-used-up': true,
  none: true,
} as const satisfies Readonly<Record<DeadLetterReason | 'none', true>>;

/** Which dead letters. */
export const letters = {
  queue: text('name or url', 'the dead-letter queue', { otherwise: 'all dead-letter queues of the stack' }),
  operation: text('name', 'the operation of the consumer; with --key, finds the claims of messages that SQS moved'),
  key: text('where', "the consumer's key: body:<path>, attribute:<name> or message-id; needs --operation"),
  reason: choice(
    'reason',
    'only messages with this reason; none: those that SQS moved by itself',
    Object.keys(letterReasons),
  ),
  message: texts('id', 'only this message'),
  most: whole('n', 'look at so many messages of a queue at most', { otherwise: '1000' }),
};

/** Of a command that serves a page. */
export const port = whole('port', 'the port of the page', { most: 65_535, otherwise: 'a free one' });

/** What the handlers of a consumer use, which neither a template nor an account says. */
export const handlers = {
  'claim-retention-days': amount('n', 'how long the handler remembers claims', {
    default: consumerDefaults.claimRetentionSeconds / 86_400,
  }),
  locks: flag('the handler uses pawl/locks, which also needs UpdateItem and ConditionCheckItem'),
  'lock-lease-seconds': amount('n', "the lease of the handler's locks", {
    otherwise: `with --locks: ${handlerDefaults.lockLeaseSeconds}`,
  }),
  'lock-attempts': whole('n', 'how many attempts of other requests for the same resources may be ahead', {
    otherwise: String(handlerDefaults.lockAttempts),
  }),
  concurrency: whole('n', 'how many messages the handler works on at once', {
    otherwise: String(handlerDefaults.concurrency),
  }),
  'handler-timeout-seconds': amount('n', 'the longest time that the handler takes for one message'),
  'max-attempts': whole('n', 'after how many attempts the handler parks a message', {
    otherwise: String(handlerDefaults.maxAttempts),
  }),
};

/** What these options say of a handler, as the wiring rules read it. */
export function needsOf(options: Values<typeof handlers> & { readonly 'individual-store'?: boolean }) {
  const { locks, concurrency, 'individual-store': individualStore } = options;
  return {
    ...{ locks, concurrency, individualStore },
    claimRetentionSeconds: options['claim-retention-days'] * 86_400,
    lockLeaseSeconds: options['lock-lease-seconds'] ?? (locks ? handlerDefaults.lockLeaseSeconds : undefined),
    lockAttempts: options['lock-attempts'],
    handlerTimeoutSeconds: options['handler-timeout-seconds'],
    maxAttempts: options['max-attempts'],
  };
}
