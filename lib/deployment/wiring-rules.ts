/*
 * The rules about how a consumer must be wired, each once: what breaks it, why that matters, and who asks it. `docs/wiring.md` prints this
 * table, and a test holds a case that is refused and one that narrowly passes against every cell.
 */

/** Where a figure or a statement comes from that is not pawl's own. */
export interface Source {
  readonly title: string;
  readonly url: string;
}

export interface Rule {
  /** What breaks the rule. */
  readonly broken: string;
  readonly because: string;
  /** A problem is refused at synth time, and ends `pawl doctor` with 1. A warning is for what may be meant. */
  readonly level: 'problem' | 'warning';
  /** Whether the options of a `Consumer` can break it; otherwise why not. */
  readonly construct: true | string;
  /** Whether the template can break it, through existing resources and escape hatches; otherwise why not. */
  readonly template: true | string;
  /** Whether `pawl doctor` sees it in what is deployed; otherwise why not. */
  readonly doctor: true | string;
  readonly source?: Source;
}

const LAMBDA = 'https://docs.aws.amazon.com/lambda/latest/dg';
const SQS = 'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide';
const IAM = 'https://docs.aws.amazon.com/IAM/latest/UserGuide';
const CFN = 'https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference';

const FROM = {
  configure: { title: 'Lambda: configuring an SQS event source', url: `${LAMBDA}/services-sqs-configure.html` },
  scaling: { title: 'Lambda: scaling of SQS event sources', url: `${LAMBDA}/services-sqs-scaling.html` },
  filtering: { title: 'Lambda: event filtering', url: `${LAMBDA}/with-sqs-filtering.html` },
  runtimes: { title: 'Lambda: runtimes', url: `${LAMBDA}/lambda-runtimes.html` },
  retention: {
    title: 'SQS: retention of dead-letter queues',
    url: `${SQS}/setting-up-dead-letter-queue-retention.html`,
  },
  deadLetters: { title: 'SQS: dead-letter queues', url: `${SQS}/sqs-dead-letter-queues.html` },
  evaluation: {
    title: 'IAM: policy evaluation',
    url: `${IAM}/reference_policies_evaluation-logic_policy-eval-denyallow.html`,
  },
  boundaries: { title: 'IAM: permissions boundaries', url: `${IAM}/access_policies_boundaries.html` },
  mapping: {
    title: 'CloudFormation: AWS::Lambda::EventSourceMapping',
    url: `${CFN}/aws-resource-lambda-eventsourcemapping.html`,
  },
} as const satisfies Readonly<Record<string, Source>>;

const BY_CONSTRUCT = 'no option of the construct can';
const IN_HANDLER = 'it is in the handler’s code, which no template shows';
const IN_HANDLER_DEPLOYED = 'it is in the handler’s code, which no API shows';

export const RULES = {
  visibility: {
    broken: 'a visibility timeout below 6 × function timeout + batching window',
    because: 'messages return while they are still being worked on',
    level: 'problem',
    construct: true,
    template: true,
    doctor: true,
    source: FROM.configure,
  },
  lease: {
    broken: '`lease` longer than the visibility timeout',
    because: 'after a crash, a message spends its receives on waiting for its claim',
    level: 'problem',
    construct: true,
    template: true,
    doctor: IN_HANDLER_DEPLOYED,
  },
  claimRetention: {
    broken: '`claimRetention` below the retention of queue and dead-letter queue together',
    because: 'a late redrive would find its claim forgotten, and repeat the effect',
    level: 'problem',
    construct: true,
    template: true,
    doctor: true,
  },
  queueRetention: {
    broken: 'a queue that keeps messages for less than 5 visibility timeouts',
    because: 'SQS deletes a message whose workers die before it is dead-lettered',
    level: 'problem',
    construct: true,
    template: true,
    doctor: true,
  },
  deadLetterRetention: {
    broken: 'a dead-letter queue that keeps messages for less time than the queue, or for less than a day',
    because: 'on a standard queue the age goes on counting: dead letters are deleted before a person has seen them',
    level: 'problem',
    construct: 'the construct keeps dead letters for 14 days, the longest that SQS has',
    template: true,
    doctor: true,
    source: FROM.retention,
  },
  deadLetterQueue: {
    broken: 'no dead-letter queue, or one that is not known',
    because: 'a message that keeps failing is deleted unseen',
    level: 'problem',
    construct: true,
    template: true,
    doctor: true,
  },
  deadLetterQueueOther: {
    broken: 'a `deadLetterQueue` other than that of the redrive policy',
    because: 'dead letters are in two places, and the alarm looks at one of them',
    level: 'problem',
    construct: true,
    template: true,
    doctor: true,
  },
  deadLetterQueueItself: {
    broken: 'a queue that is its own dead-letter queue',
    because: 'a message that can never run comes again for ever',
    level: 'problem',
    construct: true,
    template: true,
    doctor: true,
  },
  deadLetterQueuePlace: {
    broken: 'a dead-letter queue in another region or account than its queue',
    because: 'the redrive policy cannot reach it, nor can the function’s client',
    level: 'problem',
    construct: true,
    template: true,
    doctor: true,
    source: FROM.deadLetters,
  },
  deadLetterQueueKind: {
    broken: 'a FIFO queue with a standard dead-letter queue, or the other way round',
    because: 'SQS refuses it at deployment',
    level: 'problem',
    construct: true,
    template: true,
    doctor: true,
    source: FROM.deadLetters,
  },
  redriveAllowed: {
    broken: 'a dead-letter queue whose redrive allow policy does not name the queue',
    because: 'SQS does not let the queue use it',
    level: 'problem',
    construct: BY_CONSTRUCT,
    template: true,
    doctor: true,
    source: FROM.deadLetters,
  },
  receives: {
    broken: '`maxReceiveCount` below what a healthy message may need ([the formula](#receives))',
    because: 'SQS sets healthy messages aside that never ran',
    level: 'problem',
    construct: true,
    template: true,
    doctor: true,
    source: FROM.configure,
  },
  handlerTimeout: {
    broken: '`handlerTimeout` that does not fit into the function’s timeout with 1 s for the outcome',
    because: 'no message would ever start',
    level: 'problem',
    construct: true,
    template: true,
    doctor: true,
  },
  attempts: {
    broken: '`maxAttempts` not above the tries that waiting for locks takes',
    because: 'a message that waits for a lock would be parked unrun',
    level: 'problem',
    construct: true,
    template: IN_HANDLER,
    doctor: true,
  },
  partialResponses: {
    broken: 'an event source without partial responses',
    because: 'what failed is deleted together with what did not',
    level: 'problem',
    construct: 'the construct asks for them',
    template: true,
    doctor: true,
    source: FROM.configure,
  },
  batch: {
    broken: 'a batch size or window that Lambda refuses',
    because: 'the deployment would fail',
    level: 'problem',
    construct: true,
    template: true,
    doctor: 'Lambda refuses it, so it cannot be deployed',
    source: FROM.mapping,
  },
  provisionedPollers: {
    broken: 'provisioned pollers beside `maxConcurrency`',
    because: 'Lambda takes one of them',
    level: 'problem',
    construct: BY_CONSTRUCT,
    template: true,
    doctor: 'Lambda refuses it, so it cannot be deployed',
    source: FROM.scaling,
  },
  eventFilters: {
    broken: 'event filters',
    because: 'Lambda deletes the messages that do not match',
    level: 'warning',
    construct: BY_CONSTRUCT,
    template: true,
    doctor: true,
    source: FROM.filtering,
  },
  disabled: {
    broken: 'a disabled event source',
    because: 'messages wait until SQS deletes them',
    level: 'warning',
    construct: BY_CONSTRUCT,
    template: true,
    doctor: true,
  },
  oneEventSource: {
    broken: 'two event sources from the queue to the function, or to an alias of it',
    because: 'Lambda refuses the second; beside an alias, two settings compete for the messages',
    level: 'problem',
    construct: BY_CONSTRUCT,
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
  operation: {
    broken: 'two functions with one `operation` on one claims table',
    because: 'the first effect of a key is taken for the second: that one never runs',
    level: 'problem',
    construct: true,
    template: IN_HANDLER,
    doctor: IN_HANDLER_DEPLOYED,
  },
  place: {
    broken: 'a queue or a claims table in another region than the function, or a table of another account',
    because: 'Lambda polls its own region, and the function’s client looks for the table in its own region and account',
    level: 'problem',
    construct: true,
    template: 'a template has one region and one account',
    doctor: 'it looks for the table where the function is',
    source: FROM.configure,
  },
  runtime: {
    broken: 'a runtime other than Node 22 or later',
    because: 'pawl uses what older ones do not have: the first batch throws',
    level: 'problem',
    construct: 'the construct takes Node 24',
    template: true,
    doctor: true,
    source: FROM.runtimes,
  },
  reservedConcurrency: {
    broken: 'reserved concurrency below the sum of `maxConcurrency`; without `maxConcurrency`, below 5',
    because: 'Lambda polls more than the function may run: throttled batches use up the receives of healthy messages',
    level: 'problem',
    construct: BY_CONSTRUCT,
    template: true,
    doctor: true,
    source: FROM.scaling,
  },
  unboundedPolling: {
    broken: 'reserved concurrency without `maxConcurrency`',
    because: 'with a backlog Lambda polls more than the function may run, and throttling uses up receives',
    level: 'warning',
    construct: BY_CONSTRUCT,
    template: true,
    doctor: true,
    source: FROM.scaling,
  },
  tableKey: {
    broken: 'a claims table with another key than `id`, a text',
    because: 'no claim could be written',
    level: 'problem',
    construct: true,
    template: true,
    doctor: true,
  },
  tableReplicas: {
    broken: 'a claims table with replicas in other regions',
    because: 'two regions would each grant the same claim',
    level: 'problem',
    construct: true,
    template: true,
    doctor: true,
  },
  tableTtl: {
    broken: 'a claims table that deletes by another attribute than `expiresAt`',
    because: 'claims would go early, or never',
    level: 'problem',
    construct: true,
    template: true,
    doctor: true,
  },
  tableGrows: {
    broken: 'a claims table without TTL',
    because: 'it grows for ever',
    level: 'warning',
    construct: true,
    template: true,
    doctor: true,
  },
  tableDeletion: {
    broken: 'a claims table that may be deleted: no deletion protection, nor, in a template, a policy that retains it',
    because: 'all that happened would be forgotten, and repeated',
    level: 'warning',
    construct: true,
    template: true,
    doctor: true,
  },
  tableRecovery: {
    broken: 'a claims table without point-in-time recovery',
    because: 'what a mistake deletes cannot be restored',
    level: 'warning',
    construct: true,
    template: true,
    doctor: true,
  },
  permissions: {
    broken: 'permissions that the role does not have, among them those that `grant…` could not give',
    because: '`grant…` on an immutable role, or on a function imported without its role, does nothing',
    level: 'problem',
    construct: true,
    template: true,
    doctor: true,
    source: FROM.evaluation,
  },
  permissionsDenied: {
    broken: 'permissions that a policy of the role denies',
    because: 'no grant outweighs a denial',
    level: 'problem',
    construct: BY_CONSTRUCT,
    template: true,
    doctor: true,
    source: FROM.evaluation,
  },
  permissionsConditional: {
    broken: 'permissions that are given only under a condition',
    because: 'whether it is met is known at run time only',
    level: 'problem',
    construct: BY_CONSTRUCT,
    template: true,
    doctor: true,
    source: FROM.evaluation,
  },
  permissionsBoundary: {
    broken: 'a permissions boundary that does not permit what the consumer needs',
    because: 'a boundary limits every grant',
    level: 'problem',
    construct: BY_CONSTRUCT,
    template: true,
    doctor: true,
    source: FROM.boundaries,
  },
  resourcePolicy: {
    broken: 'a policy of the queue, the dead-letter queue or the table that denies what the consumer needs',
    because: 'no grant outweighs a denial',
    level: 'problem',
    construct: BY_CONSTRUCT,
    template: true,
    doctor: true,
    source: FROM.evaluation,
  },
  permissionsUnseen: {
    broken: 'a boundary that is made elsewhere, or a denial under a condition',
    because: 'whether it stops the consumer cannot be seen here',
    level: 'warning',
    construct: BY_CONSTRUCT,
    template: true,
    doctor: 'IAM evaluates both',
    source: FROM.boundaries,
  },
  variables: {
    broken: '`CLAIMS_TABLE` or `DEAD_LETTER_QUEUE_URL` set to something else',
    because: 'the construct sets them, and the handler reads them',
    level: 'problem',
    construct: true,
    template: true,
    doctor: 'it starts from these variables; the dead-letter queue is compared by `deadLetterQueueOther`',
  },
  secrets: {
    broken: 'a secret’s value in the environment of a function that the construct makes',
    because: 'all who may describe the function could read it',
    level: 'problem',
    construct: true,
    template: true,
    doctor: 'what is deployed does not tell a secret from another text',
  },
  misplaced: {
    broken: '`timeout` and the like beside an existing `function`; `fifo` and the like beside an existing `queue`',
    because: 'they would have no effect',
    level: 'problem',
    construct: true,
    template: 'the options are not in the template',
    doctor: 'the options are not deployed',
  },
  deploymentTime: {
    broken: 'a time among the options that is only known at deployment',
    because: 'nothing could be checked against it',
    level: 'problem',
    construct: true,
    template: 'what is not known of an existing resource is not checked',
    doctor: 'everything is known there',
  },
} as const satisfies Readonly<Record<string, Rule>>;

export type RuleName = keyof typeof RULES;
