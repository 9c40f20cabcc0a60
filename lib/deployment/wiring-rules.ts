/*
 * The rules about how a consumer must be wired, each once: what breaks it, why that matters, and who asks it. `docs/reference/wiring.md` prints this
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
  instances: {
    title: 'Lambda: execution environments of Managed Instances',
    url: `${LAMBDA}/lambda-managed-instances-execution-environment.html`,
  },
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

const BY_CONSTRUCT = 'no option of the construct can break it';
const INDEX_OF_YOURS = '`ClaimsTable` has the index, and a table of your own works without it';
const MARK_OF_AN_OPERATOR = 'an operator sets the mark, in a table that is deployed';
const IN_HANDLER = 'it is in the handler’s code, which no template shows';
const IN_HANDLER_DEPLOYED = 'it is in the handler’s code, which no API shows';

export const RULES = {
  visibility: {
    broken: 'a visibility timeout below 6 × function timeout + batching window',
    because: 'SQS delivers messages again while the function still works on them',
    level: 'problem',
    construct: true,
    template: true,
    doctor: true,
    source: FROM.configure,
  },
  managedInstances: {
    broken: 'on Managed Instances, a visibility timeout below the function’s timeout plus 61 s',
    because:
      'code runs on after the timeout, and keeps its claim for up to 60 s: its message returns before, and uses up receives',
    level: 'problem',
    construct: 'a function gets its capacity provider after it is made',
    template: true,
    doctor: true,
    source: FROM.instances,
  },
  lease: {
    broken: '`lease` longer than the visibility timeout',
    because: 'after a crash, a message returns before its claim is free, and uses up receives',
    level: 'problem',
    construct: true,
    template: true,
    doctor: IN_HANDLER_DEPLOYED,
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
    broken: 'a queue that keeps messages for less than 5 visibility timeouts',
    because: 'if workers keep dying, SQS deletes the message before it reaches the dead-letter queue',
    level: 'problem',
    construct: true,
    template: true,
    doctor: true,
  },
  deadLetterRetention: {
    broken: 'a dead-letter queue whose retention is below that of the queue, or below one day',
    because:
      'on a standard queue the age counts from the first send: SQS deletes dead letters before an operator sees them',
    level: 'problem',
    construct: 'the construct keeps dead letters for 14 days, the longest that SQS allows',
    template: true,
    doctor: true,
    source: FROM.retention,
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
    broken: '`maxReceiveCount` below what a healthy message may need ([the formula](receives.md))',
    because: 'SQS dead-letters healthy messages that never ran',
    level: 'problem',
    construct: true,
    template: true,
    doctor: true,
    source: FROM.configure,
  },
  handlerTimeout: {
    broken: '`handlerTimeout`, plus 1 s to record the outcome, longer than the function’s timeout',
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
    template: IN_HANDLER,
    doctor: true,
  },
  partialResponses: {
    broken: 'an event source without partial responses',
    because: 'Lambda deletes the messages that failed together with those that succeeded',
    level: 'problem',
    construct: 'the construct turns them on',
    template: true,
    doctor: true,
    source: FROM.configure,
  },
  batch: {
    broken: 'a batch size, a batching window or a `maxConcurrency` that Lambda refuses',
    because: 'the deployment fails',
    level: 'problem',
    construct: true,
    template: true,
    doctor: 'Lambda refuses it, so it cannot be deployed',
    source: FROM.mapping,
  },
  provisionedPollers: {
    broken: 'provisioned pollers together with `maxConcurrency`, or fewer or more of them than Lambda takes',
    because: 'the deployment fails',
    level: 'problem',
    construct: true,
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
    because: 'messages wait until SQS deletes them at the end of their retention',
    level: 'warning',
    construct: BY_CONSTRUCT,
    template: true,
    doctor: true,
  },
  oneEventSource: {
    broken: 'two event sources from the queue to the function, or to an alias of it',
    because: 'Lambda refuses the second. If one leads to an alias, two settings compete for the messages',
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
    because: 'the second function takes the first one’s completed key for its own, and never runs',
    level: 'problem',
    construct: true,
    template: IN_HANDLER,
    doctor: IN_HANDLER_DEPLOYED,
  },
  place: {
    broken: 'a queue or a claims table in another region than the function, or a table of another account',
    because: 'Lambda polls only its own region, and the function looks for the table in its own region and account',
    level: 'problem',
    construct: true,
    template: 'a template has one region and one account',
    doctor: '`doctor` looks for the table where the function is',
    source: FROM.configure,
  },
  runtime: {
    broken: 'a runtime other than Node 22 or later',
    because: 'pawl uses features that older runtimes lack: the first batch throws',
    level: 'problem',
    construct: 'the construct takes Node 24',
    template: true,
    doctor: true,
    source: FROM.runtimes,
  },
  reservedConcurrency: {
    broken:
      'reserved concurrency below the sum of `maxConcurrency`, or of 10 for each of `maximumPollers`, or below 5 without either',
    because:
      'Lambda polls more batches than the function may run, and throttling uses up the receives of healthy messages',
    level: 'problem',
    construct: BY_CONSTRUCT,
    template: true,
    doctor: true,
    source: FROM.scaling,
  },
  unboundedPolling: {
    broken: 'reserved concurrency without `maxConcurrency` or provisioned pollers',
    because: 'with a backlog, Lambda polls more batches than the function may run, and throttling uses up receives',
    level: 'warning',
    construct: BY_CONSTRUCT,
    template: true,
    doctor: true,
    source: FROM.scaling,
  },
  tableKey: {
    broken: 'a claims table whose key is not `id`, a string',
    because: 'pawl cannot write a claim',
    level: 'problem',
    construct: true,
    template: true,
    doctor: true,
  },
  tableReplicas: {
    broken: 'a claims table with replicas in other regions',
    because: 'two regions can both grant the same claim',
    level: 'problem',
    construct: true,
    template: true,
    doctor: true,
  },
  tableTtl: {
    broken: 'a claims table whose TTL attribute is not `expiresAt`',
    because: 'DynamoDB deletes claims too early, or never',
    level: 'problem',
    construct: true,
    template: true,
    doctor: true,
  },
  tableGrows: {
    broken: 'a claims table without TTL',
    because: 'the table grows for ever',
    level: 'warning',
    construct: true,
    template: true,
    doctor: true,
  },
  tableDeletion: {
    broken: 'a claims table without deletion protection; in a template, a policy that retains the table is enough',
    because: 'if the table is deleted, pawl forgets what happened, and repeats effects',
    level: 'warning',
    construct: true,
    template: true,
    doctor: true,
  },
  tableRecovery: {
    broken: 'a claims table without point-in-time recovery',
    because: 'you cannot restore claims that were deleted by mistake',
    level: 'warning',
    construct: true,
    template: true,
    doctor: true,
  },
  tableOpenIndex: {
    broken:
      'a claims table without the index `open`, with another index of that name, or while DynamoDB is building it',
    because: '`pawl claims` cannot list what is parked or in doubt; consumers do not need it',
    level: 'warning',
    construct: INDEX_OF_YOURS,
    template: INDEX_OF_YOURS,
    doctor: true,
  },
  tableRestored: {
    broken: 'a claims table whose mark of a restore stands',
    because: "new keys are in doubt: under `'park'`, nothing runs until the mark is lifted",
    level: 'warning',
    construct: MARK_OF_AN_OPERATOR,
    template: MARK_OF_AN_OPERATOR,
    doctor: true,
  },
  permissions: {
    broken: 'a permission that the role lacks, also where a `grant…` had no effect',
    because: '`grant…` does nothing on an immutable role, or on a function imported without its role',
    level: 'problem',
    construct: true,
    template: true,
    doctor: true,
    source: FROM.evaluation,
  },
  permissionsDenied: {
    broken: 'a permission that a policy of the role denies',
    because: 'a denial overrides every grant',
    level: 'problem',
    construct: BY_CONSTRUCT,
    template: true,
    doctor: true,
    source: FROM.evaluation,
  },
  permissionsConditional: {
    broken: 'a permission that a policy gives only under a condition',
    because: 'only a request at run time shows whether the condition is met',
    level: 'problem',
    construct: BY_CONSTRUCT,
    template: true,
    doctor: true,
    source: FROM.evaluation,
  },
  permissionsBoundary: {
    broken: 'a permissions boundary that leaves out a permission the consumer needs',
    because: 'a boundary limits every grant',
    level: 'problem',
    construct: BY_CONSTRUCT,
    template: true,
    doctor: true,
    source: FROM.boundaries,
  },
  resourcePolicy: {
    broken:
      'a policy of the queue or the dead-letter queue that denies a permission the consumer needs; in a template, a policy of the table as well',
    because: 'a denial overrides every grant',
    level: 'problem',
    construct: BY_CONSTRUCT,
    template: true,
    doctor: true,
    source: FROM.evaluation,
  },
  permissionsUnseen: {
    broken: 'a permissions boundary that is defined elsewhere, or a denial under a condition',
    because: 'the template does not show whether it stops the consumer',
    level: 'warning',
    construct: BY_CONSTRUCT,
    template: true,
    doctor: 'IAM evaluates both',
    source: FROM.boundaries,
  },
  variables: {
    broken: '`CLAIMS_TABLE` or `DEAD_LETTER_QUEUE_URL` set to another value',
    because: 'the construct sets them, and the handler reads them',
    level: 'problem',
    construct: true,
    template: true,
    doctor: '`doctor` starts from these variables, and `deadLetterQueueOther` compares the dead-letter queue',
  },
  secrets: {
    broken: 'a secret’s value in the environment of a function that the construct makes',
    because: 'everyone who may describe the function can read it',
    level: 'problem',
    construct: true,
    template: true,
    doctor: 'once deployed, a secret looks like any other text',
  },
  misplaced: {
    broken:
      'an option such as `timeout` beside an existing `function`, or one such as `fifo` beside an existing `queue`',
    because: 'the option has no effect',
    level: 'problem',
    construct: true,
    template: 'the options are not in the template',
    doctor: 'the options are not deployed',
  },
  deploymentTime: {
    broken: 'a `Duration` option whose value is known only at deployment',
    because: 'pawl cannot check anything against it',
    level: 'problem',
    construct: true,
    template: 'if a value of an existing resource is unknown, pawl does not check it',
    doctor: 'once deployed, every value is known',
  },
} as const satisfies Readonly<Record<string, Rule>>;

export type RuleName = keyof typeof RULES;
