import { consumerDefaults, formats, metricNamespace, mostReceives } from 'pawl/deployment';
import { findingKinds, resolutionVerdicts } from 'pawl/internal';
import { anyNames, type Command, command, type Line, noNames, oneName, oneOf } from './command.ts';
import { choice, duration, flag, formed, instant, needed, text, texts, type Values, whole } from './option.ts';
import {
  account,
  by,
  connection,
  database,
  dynamoAccount,
  filters,
  handlers,
  json,
  letters,
  note,
  outboxTable,
  plan,
  port,
  table,
  yes,
} from './options.ts';

/*
 * Every command of `pawl`, a row each. Parsing, help, completion and docs/reference/commands.md are derived from a row.
 */

const stackOrTable = '--stack <name> | --table <name>';

const resolveOptions = {
  ...account,
  by: needed(by),
  note: needed(note),
  step: texts('name=verdict', 'of one claim: a verdict for each step in doubt, instead of one for the whole'),
  'step-result': texts('name=json', 'what a step that was applied has returned'),
  fence: whole('n', 'of one claim: only if its fence is still this one'),
  'retention-days': whole('n', 'for how many days the decision is remembered: no fewer than the consumer remembers', {
    otherwise: 'forever',
  }),
  ...filters,
  ...plan,
  json,
};

const rehearseOptions = {
  seed: whole('n', 'decides what goes wrong where; the same seed plans the same', {
    least: 0,
    most: 4_294_967_295,
    otherwise: 'a new one',
  }),
  filter: text('construct', 'only the consumer at this construct: what feeds no wanted queue is not sent'),
  story: text('intent', 'tell the story of this intent, whatever became of it'),
  junit: text('file', 'write the result as JUnit XML, too'),
  watch: flag('rehearse again at each change of the app, until Ctrl-C; the database stays up'),
  console: flag('serve a page that shows deliveries, effects and faults as they happen; all stays up until Ctrl-C'),
  port,
  'keep-going': flag('of several files: go on after one that is not good'),
  verbose: flag('also what the functions print, on the standard error'),
  json: flag('one line of JSON on the standard output, and all else on the standard error'),
};
/** What `@pawl/rehearsal` is called with. */
export type RehearseLine = Line<Values<typeof rehearseOptions>>;

export const commands: readonly Command[] = [
  command({
    name: 'claims',
    summary: 'lists the claims that wait for an operator, are in doubt, or are in flight and watched',
    names: noNames('For one claim: pawl claim <key>'),
    usage: stackOrTable,
    about: 'Lists open claims: parked, in doubt, or in flight and watched. It only reads.',
    options: { ...account, ...filters, limit: whole('n', 'stop after so many claims'), json },
    examples: ['--stack Shop', '--stack Shop --operation send-email --status parked --older-than 15m --json'],
    more: 'Needs dynamodb:Query on the index of open claims, and GetItem and BatchGetItem on the table: claims.grantOperate(role).',
    guide: 'guides/recover.md#find-what-is-open',
    run: async (line, io) => (await import('./claims.ts')).claims(line, io),
  }),
  command({
    name: 'claim',
    summary: 'shows all that is known of one claim',
    names: oneName('<key>', 'the key of one claim'),
    usage: stackOrTable,
    about: "Shows one claim. <key> is its id, as in 'send-email#order-17', or with --operation its key. It only reads.",
    options: {
      ...account,
      operation: text('name', 'the operation, if <key> is a key alone'),
      results: flag('show what the handler and its steps returned'),
      json,
    },
    examples: ["'send-email#order-17' --stack Shop", 'order-17 --operation send-email --stack Shop --results'],
    guide: 'guides/recover.md#one-claim',
    run: async (line, io) => (await import('./claims.ts')).claim(line, io),
  }),
  command({
    name: 'locks',
    summary: 'lists the locks that stand: who holds which resources, since when',
    names: noNames('For one lock: pawl lock <id>'),
    usage: stackOrTable,
    about: `Lists locks of pawl/locks that are held or kept. A lock is listed once it was renewed or kept: one that has ended by then never is. A kept lock waits for
its holder's next attempt. It only reads.`,
    options: {
      ...account,
      status: choice('status', 'only locks in this state', ['held', 'kept']),
      'older-than': duration('only locks whose holder has had them for so long'),
      limit: whole('n', 'stop after so many locks'),
      json,
    },
    examples: ['--stack Shop', '--table claims --status kept --older-than 15m --json'],
    more: 'Needs dynamodb:Query on the index of open claims, and BatchGetItem on the table: claims.grantOperate(role).',
    exits:
      'Exits with 0 if a worker may be at every lock that is listed, 1 if one is kept or its lease is over, and 2 if it could not run.',
    guide: 'guides/locks.md#see-and-release-locks',
    run: async (line, io) => (await import('./locks.ts')).locks(line, io),
  }),
  command({
    name: 'lock',
    summary: 'shows one lock, and how far its work is',
    names: { ...anyNames('<id> | <part> …', 'the id of a lock, or the parts of a resource'), least: 1 },
    usage: stackOrTable,
    about: `Shows one lock: its holder, its resources, since when, until when, and whether its worker may be alive. <id> is as pawl locks prints it. Several names are
the parts of a resource, and so is one that is no id of a lock. It only reads.`,
    options: {
      ...account,
      work: text('name', 'how far the work of forEachItem with this name is'),
      'work-id': text('id', 'the id of that work', { otherwise: 'the holder of the lock' }),
      json,
    },
    examples: ['5f0c7a6e-5a51-4a0e-9d3c-4c6a1b0c6f5d --stack Shop --work repay', 'customer c-17 --stack Shop'],
    exits:
      'Exits with 0 if the lock has ended or its worker may be alive, 1 if it is kept, its lease is over, or there is none, and 2 if it could not run.',
    guide: 'guides/locks.md#see-and-release-locks',
    run: async (line, io) => (await import('./locks.ts')).lock(line, io),
  }),
  command({
    name: 'unlock',
    summary: 'releases locks that no worker holds',
    names: { ...anyNames('<id> …', 'the ids of locks'), least: 1 },
    usage: `--by <name> --note <text> ${stackOrTable}`,
    about: `Releases locks that are kept, or whose lease is over, and keeps who did it and why. Shows a plan first. A lock stays while its worker may be alive. The
resources are free then; work under the lock stays as it is, and goes on if the request of its holder comes again. A release cannot be undone.`,
    options: {
      ...account,
      fence: whole('n', 'of one lock: only if its fence is still this one'),
      by: needed(by),
      note: needed(note),
      ...plan,
      json,
    },
    examples: [
      "5f0c7a6e-5a51-4a0e-9d3c-4c6a1b0c6f5d --by maria --note 'the payment was cancelled' --stack Shop --dry-run",
    ],
    more: 'Needs dynamodb:BatchGetItem and PartiQLUpdate on the table: claims.grantOperate(role).',
    exits: 'Exits with 0 if all are released, 1 if a lock stays or you said no, and 2 if it could not run.',
    guide: 'guides/locks.md#see-and-release-locks',
    run: async (line, io) => (await import('./locks.ts')).unlock(line, io),
  }),
  command({
    name: 'observed',
    summary: 'says what doubles under observe, and whether to switch on',
    names: oneName('<operation>', 'one operation'),
    usage: stackOrTable,
    about: `Shows what was seen of an operation under mode: 'observe': effects that happened more than once, for certain and perhaps, and how; keys that were
used for different payloads, with the names of the fields that differ; what enforcement would cost; and whether to switch on with this key. It only reads.

It also says how many claims of the operation are open. Before you lower the share that is enforced, look at them: their gate is given up, that of parked ones too.`,
    options: { ...account, limit: whole('n', 'list so many keys of each kind', { least: 0, default: 20 }), json },
    examples: ['send-email --stack Shop', 'charge --table claims --json'],
    more: 'Reads each record that was only observed. Needs what pawl claims needs: claims.grantOperate(role).',
    exits: 'Exits with 0 if the operation can be switched on with this key, 1 if not, and 2 if it could not run.',
    guide: 'guides/observe.md#the-report',
    run: async (line, io) => (await import('./observed.ts')).observed(line, io),
  }),
  command({
    name: 'resolve',
    summary: 'decides claims in doubt',
    names: anyNames(
      `[<key> …] ${resolutionVerdicts.join('|')}`,
      'the keys of claims, and a verdict',
      resolutionVerdicts,
    ),
    usage: `--by <name> --note <text> ${stackOrTable}`,
    about: `Stores your decision about claims in doubt: that the effect happened (applied), that it did not (not-applied), or that it is not known and
may run again (retry). Shows a plan first. A decision cannot be undone.

Without <key>, it decides all open claims that the filters find.`,
    options: resolveOptions,
    examples: [
      "'send-email#order-17' applied --by maria --note 'it is in the outbox' --stack Shop",
      "not-applied --operation send-email --reason abandoned --by maria --note 'asked the mail service' --stack Shop --dry-run",
      "'pay#order-17' --step charge=applied --step receipt=not-applied --by maria --note 'asked Stripe' --stack Shop",
    ],
    guide: 'guides/recover.md#a-parked-claim',
    run: async (line, io) => (await import('./resolve.ts')).resolve(line, io),
  }),
  command({
    name: 'migrate',
    summary: 'makes the tables of claims and of an outbox in a PostgreSQL database',
    names: noNames('Name the database with --database'),
    usage: '--database <url>',
    about: `Makes the table in which pawl/postgres keeps claims and locks, and that of its outbox, with their indexes, in one transaction. Each table has the checksum of its
part of the migration as its comment. A table that is there already is never changed. Then it looks at the database: what your role may do, and whether a commit can be forgotten.`,
    options: {
      database,
      table: text('name', 'the table of claims, with or without a schema', { otherwise: 'pawl_claims' }),
      'outbox-table': text('name', 'the table of the outbox', { otherwise: 'pawl_outbox' }),
      ...plan,
      json,
    },
    examples: ['--database postgres://owner@db.example.com/shop --dry-run'],
    more: 'Your role needs CREATE on the schema. The password may be in PGPASSWORD.',
    exits:
      'Exits with 0 if the tables are as this version needs them, 1 if they are not, if the database has a problem or you said no, and 2 if it could not run.',
    guide: 'guides/postgres.md#from-an-empty-folder',
    run: async (line, io) => (await import('./migrate.ts')).migrate(line, io),
  }),
  command({
    name: 'forget',
    summary: 'erases what a claim keeps, and its effect still does not repeat',
    names: { ...anyNames('<operation> <key>', 'an operation and a key'), least: 2, most: 2 },
    usage: `--by <name> --note <text> ${stackOrTable}`,
    about: `Erases what a claim keeps once it is completed or rejected: its result, attributes, error, steps, and what operators wrote. Shows a plan first.
What keeps the effect from repeating stays, with who erased the rest and why. A later message with the key is answered without a result. It cannot be undone.

The key stays as the id of the claim. The command says what it does not reach.`,
    options: { ...account, by: needed(by), note: needed(note), ...plan, json },
    examples: ["send-email order-17 --by maria --note 'request 4711' --stack Shop --dry-run"],
    more: 'Needs dynamodb:GetItem and PartiQLUpdate on the table: claims.grantOperate(role).',
    guide: 'guides/forget.md',
    run: async (line, io) => (await import('./forget.ts')).forget(line, io),
  }),
  command({
    name: 'acts',
    summary: 'exports what operators have done: who, what, when and why',
    names: noNames('For one claim: pawl claim <key>'),
    usage: stackOrTable,
    about: `Lists every act of an operator that the records keep: resolutions, releases of locks, what became of findings, discarded dead letters, what was
forgotten, and marks of a restore. With --json, a line for each. It only reads, and reads the whole table. They come in no order.

A record keeps the last act of its kind, for as long as the record is kept. A redrive leaves no record. The complete trail is onEvent of pawl/operate.`,
    options: {
      ...account,
      since: instant('only acts at this time or later'),
      json,
    },
    examples: ['--stack Shop --json', '--table claims --since 2026-11-01T00:00:00Z --json'],
    more: 'Needs dynamodb:Scan, GetItem and DescribeTable on the table: claims.grantActs(role).',
    exits: 'Exits with 0 if it has read the table, and 2 if it could not.',
    guide: 'reference/command-line.md#what-operators-have-done',
    run: async (line, io) => (await import('./acts.ts')).acts(line, io),
  }),
  command({
    name: 'restored',
    summary: 'marks a table that was restored from a point in time, corrects the mark, or lifts it',
    names: noNames('Name the table with --table'),
    usage: '--cut-off <time> --by <name> --note <text> --table <name>',
    about: `Marks a claims table that was restored from a point in time. While the mark stands, consumers whose store has restored: restoredTable take every key that the
table may have forgotten for in doubt. Stop all consumers first; mark the table; then deploy them with the new table.

A mark is of one table: one that a restore has brought along from an earlier table does not count, and is replaced.

--correct gives a mark that stands another cut-off. After a correction to an earlier time, whatever is not completed, rejected or parked is in doubt once
more, and the mark stands again for the operations that it was lifted for.

Without --cut-off and --lift, it shows the mark. It is about DynamoDB alone: a database that was restored has no mark, so decide what it has forgotten before its
consumers start.`,
    options: {
      ...dynamoAccount,
      'cut-off': instant('the point in time that the table was restored to'),
      correct: flag('with --cut-off: correct the mark that stands'),
      lift: flag('instead, lift the mark: a key without a record is new from then on. It cannot be undone'),
      operation: text('name', 'with --lift: for this operation alone'),
      by,
      note,
      yes,
      json,
    },
    examples: [
      '--table claims-restored',
      "--table claims-restored --cut-off 2026-11-22T12:00:00Z --by maria --note 'incident 7'",
      "--table claims-restored --lift --by maria --note 'all keys were compared'",
    ],
    more: 'Needs dynamodb:GetItem, DescribeTable and PutItem on the table: claims.grantRestore(role).',
    exits:
      'Exits with 0 if the table has no mark or a lifted one, 1 if its mark stands or what was asked for was refused, and 2 if it could not run.',
    guide: 'guides/restore.md',
    run: async (line, io) => (await import('./restored.ts')).restored(line, io),
  }),
  command({
    name: 'dlq',
    summary: 'looks at dead letters, with their claims',
    names: noNames('Name a queue with --queue'),
    usage: '--stack <name> | --queue <url> --table <name>',
    about: `Looks at the messages of dead-letter queues, and gives them back. Meanwhile they are hidden, and on a FIFO queue their groups are blocked. Each look
counts as a receive.`,
    options: { ...account, ...letters, bodies: flag('show the bodies of the messages'), json },
    examples: ['--stack Shop', '--stack Shop --queue mails-dlq --reason none --bodies'],
    guide: 'guides/recover.md#a-message-in-the-dead-letter-queue',
    run: async (line, io) => (await import('./dead-letters.ts')).deadLetters(line, io),
  }),
  command({
    name: 'redrive',
    summary: 'sends dead letters back to their queue',
    names: noNames('Name a queue with --queue'),
    usage: '--stack <name> | --queue <url> --to <url> --table <name>',
    about: `Sends messages of dead-letter queues back to their queue, and deletes them there. Shows a plan first. A message stays if its claim is parked and
undecided, rejected, or in flight.`,
    options: {
      ...account,
      ...letters,
      to: text('name or url', 'the queue that the messages go to', { otherwise: 'that of the stack' }),
      by: { ...by, otherwise: 'your user name' },
      note,
      ...plan,
      json,
    },
    examples: ['--stack Shop --dry-run', "--stack Shop --queue mails-dlq --reason parked --note 'incident 7' --yes"],
    guide: 'guides/recover.md#redrive',
    run: async (line, io) => (await import('./redrive.ts')).redrive(line, io),
  }),
  command({
    name: 'discard',
    summary: 'deletes dead letters that can never run, for good',
    names: noNames('Name messages with --message'),
    usage: '--message <id> … | --reason <reason> --note <text> --stack <name> | --queue <url> --table <name>',
    about: `Deletes messages of dead-letter queues for good, and keeps who did it and why: on the claim of each, where it has one. Shows a plan first. It decides
nothing about the effect: a claim stays what it is. A message stays if a worker holds its claim; or if its effect may have happened, without --even-in-doubt.`,
    options: {
      ...account,
      ...letters,
      'even-in-doubt': flag('also messages whose claim is in doubt, or not known'),
      by: { ...by, otherwise: 'your user name' },
      note: needed(note),
      ...plan,
      json,
    },
    examples: ["--stack Shop --reason missing-key --note 'a producer of July' --dry-run"],
    guide: 'guides/recover.md#discard',
    run: async (line, io) => (await import('./discard.ts')).discard(line, io),
  }),
  command({
    name: 'statements',
    summary: "shows the last comparison of an operation with its provider's statement",
    names: oneName('<operation>', 'one operation'),
    usage: stackOrTable,
    about:
      'Shows what the last run of reconcileStatements has read, and how many of its findings are open. It only reads.',
    options: { ...account, json },
    examples: ['charge --stack Shop'],
    more: 'Needs claims.grantStatements(role).',
    guide: 'guides/statements.md',
    run: async (line, io) => (await import('./findings.ts')).statements(line, io),
  }),
  command({
    name: 'findings',
    summary: "lists what does not agree with a provider's statement, accepts it, and settles it",
    names: anyNames('[accept|approve|settle <finding> …]', 'accept, approve or settle, and the ids of findings', [
      'accept',
      'approve',
      'settle',
    ]),
    usage: `[--by <name> --note <text>] ${stackOrTable}`,
    about: `Lists open findings: effects that are missing here (the provider has them, and no claim does: a refund may be due), missing there, that
happened twice, or that differ.

With accept, it ends findings: no later run reports them again. That changes no claim and nothing at the provider.

With settle and --remedies, it runs the remedy of each finding once, such as a refund, within its limits: of these findings, of those that --operation and --kind
find, or of all. <file> exports { operation, remedies, limits } of settleFindings as its default. It shows a plan first. A remedy that needs an approval is asked
for. With settle and --by-hand, it records that these findings were settled outside of pawl: no remedy of them happens any more. With approve, it approves what
another person has asked for; who you are, AWS says.`,
    options: {
      ...account,
      operation: text('name', 'only findings of this operation'),
      kind: choice('kind', 'only findings of this kind', findingKinds),
      remedies: text('file', 'with settle: the file that has the remedies'),
      'by-hand': flag('with settle: they were settled outside of pawl'),
      by,
      note,
      ...plan,
      json,
    },
    examples: [
      '--stack Shop --operation charge --kind missing-here',
      "accept '#finding#1a2b' --by maria --note 'a test' --stack Shop",
      "settle --remedies remedies.ts --by maria --note 'doubled on 22 November' --stack Shop --dry-run",
      "settle '#finding#1a2b' --by-hand --by maria --note 're_1' --stack Shop",
      "approve '#finding#1a2b' --by tom --note 'seen at the bank' --stack Shop",
    ],
    more: 'Needs claims.grantStatements(role). approve, and remedies that need an approval, ask STS who you are, which needs no permission.',
    guide: 'guides/statements.md#findings',
    run: async (line, io) => (await import('./findings.ts')).findings(line, io),
  }),
  command({
    name: 'outbox',
    summary: 'lists the messages that lie in an outbox, retries those that are parked, and discards',
    names: anyNames('[list|retry|discard] [<message> …]', 'list, retry or discard, and the ids of messages', [
      'list',
      'retry',
      'discard',
    ]),
    usage: `${stackOrTable} | --database <url>`,
    about: `Lists the messages that lie in an outbox: those that wait, and those that are parked because their destination refuses them for good. It shows no body.

With retry, it ends that messages are parked, so that the next sweep sends them: these, or all that the filters find. With discard, it deletes these messages
for good: they are never sent, and their groups go on. Both show a plan first.`,
    options: {
      ...outboxTable,
      to: text('url or arn', 'only messages to this address'),
      parked: flag('only messages that are parked'),
      ...plan,
      json,
    },
    examples: [
      '--stack Shop --parked',
      'retry --stack Shop --to https://sqs.eu-central-1.amazonaws.com/123456789012/receipts --yes',
      "discard 'message#1b4e28ba-2fa1-11d2-883f-0016d3cca427#1' --table outbox",
    ],
    more: 'Needs outbox.grantOperate(role); in a database SELECT, UPDATE and DELETE on the table. The password may be in PGPASSWORD.',
    exits:
      'Exits with 0 if no message is parked and all is done, 1 if one is parked or was not acted on, and 2 if it could not run.',
    guide: 'guides/outbox.md#parked-messages',
    run: async (line, io) => (await import('./outbox.ts')).outbox(line, io),
  }),
  command({
    name: 'console',
    summary: 'serves a web page of all of this on this machine',
    names: noNames('Name a stack with --stack'),
    usage: `${stackOrTable} [--queue <name or url> …] [--write]`,
    about: `Serves a page on 127.0.0.1, with your AWS credentials, until Ctrl-C: what is open, one claim with its story, locks, dead letters, findings,
and what to do about them. It only reads, except with --write. It prints a link that opens the page in one browser, once. Nothing is sent to any place but AWS.`,
    options: {
      ...account,
      queue: texts('name or url', 'a dead-letter queue', { otherwise: 'all dead-letter queues of the stack' }),
      write: flag('resolve claims, redrive messages, release locks and settle findings, too'),
      work: texts('name', 'show how far this work of forEachItem is, under each lock', { otherwise: 'none' }),
      remedies: text('file', 'the file that has the remedies of findings, as of pawl findings settle'),
      port,
      namespace: text('name', "the CloudWatch namespace of your consumers' metricEvents", {
        default: metricNamespace,
      }),
    },
    examples: [
      '--stack Shop',
      '--table claims --queue mails-dlq --write',
      '--stack Shop --write --work repay --remedies remedies.ts',
    ],
    more: `Needs what pawl claims, dlq and, with --write, resolve and redrive need: claims.grantOperate(role); for findings, also
claims.grantStatements(role). For counts over time, it also needs cloudwatch:ListMetrics and cloudwatch:GetMetricData.
What is resolved, redriven, discarded, released and settled by a remedy is a line of JSON on the standard error: keep them.`,
    exits: 'Exits with 0 when you end it, and 2 if it could not run.',
    guide: 'guides/console.md',
    run: async (line, io) => (await import('./console.ts')).serveConsole(line, io),
  }),
  command({
    name: 'doctor',
    summary: 'checks what is deployed against the wiring rules',
    names: oneName('<stack or function>', 'the name of one stack or function'),
    usage: '',
    about:
      'Checks what is deployed against the wiring rules, and reports what breaks them. It checks nested stacks too. It only reads.',
    options: {
      ...connection,
      table,
      ...handlers,
      'individual-store': flag('the handlers use individualDynamoStore, which needs no PartiQL'),
      operation: texts('name', 'of one function: an operation of its handlers, for a role that is limited to some'),
      json,
    },
    examples: ['Shop', 'send-email --region eu-west-1 --max-attempts 5 --json'],
    more: `Needs permission for: cloudformation:ListStackResources, lambda:GetFunctionConfiguration, GetFunctionConcurrency,
ListAliases and ListEventSourceMappings, sqs:GetQueueUrl and GetQueueAttributes, dynamodb:DescribeTable, DescribeTimeToLive and
DescribeContinuousBackups, iam:SimulatePrincipalPolicy. If it may not read something, it reports that as unknown.
With dynamodb:GetItem on the table, it also sees the mark of a table that was restored.
For a function of OpenClaimsSweep, StatementCheck or ExecutionEnds, also events:ListRuleNamesByTarget and DescribeRule, cloudwatch:DescribeAlarms and
GetMetricStatistics.
A team without CloudFormation gives the name of a function; it then needs no permission for cloudformation.`,
    exits:
      'Exits with 0 if it checked everything and found no problem, 1 if there is a problem, and 2 if it could not check all of it. A warning is no problem.',
    guide: 'guides/templates.md#check-what-is-deployed',
    run: async (line, io) => (await import('./doctor.ts')).doctor(line, io),
  }),
  command({
    name: 'template',
    summary: 'prints a consumer for SAM, Terraform, the Serverless Framework or CloudFormation',
    names: oneOf(formats),
    usage: '',
    about: `Prints a consumer for a team without CDK: claims table, queue, dead-letter queue, function, its role and the event source.
The numbers and the permissions follow the rules that the constructs use. Comments in the template name these rules.

It needs no AWS account and no credentials. The template goes to the standard output, everything else to the standard error.`,
    options: {
      // Every tool accepts such names, also with what is added to them.
      name: formed('name', 'what the resources are named after', {
        pattern: /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/,
        longest: 40,
        expected: 'lower-case letters, digits and hyphens',
        otherwise: 'orders',
      }),
      fifo: flag('a FIFO queue and a FIFO dead-letter queue'),
      'function-timeout': whole('seconds', 'how long one batch may take', {
        most: 900,
        default: consumerDefaults.timeoutSeconds,
      }),
      'visibility-timeout': whole('seconds', 'how long a received message stays hidden', {
        least: 0,
        most: 43_200,
        otherwise: '6 × function timeout + batching window',
      }),
      'batch-size': whole('n', 'the most messages of one invocation', {
        most: 10_000,
        default: consumerDefaults.batchSize,
      }),
      'batching-window': whole('seconds', 'how long Lambda may wait to fill a batch', {
        least: 0,
        most: 300,
        default: 0,
      }),
      'max-concurrency': whole('n', 'the most invocations of this queue at the same time', {
        least: 2,
        most: 1_000,
        otherwise: 'no limit',
      }),
      'retention-days': whole(
        'n',
        'how long the queue keeps a message; the dead-letter queue keeps it for 14 days, the longest that SQS allows',
        {
          most: 14,
          default: consumerDefaults.retentionSeconds / 86_400,
        },
      ),
      'max-receives': whole('n', 'after how many receives SQS dead-letters a message', {
        most: mostReceives,
        otherwise: 'what a healthy message may need',
      }),
      'claims-table': formed('name', 'a claims table that exists: one serves every consumer', {
        pattern: /^[\w.-]{3,}$/,
        longest: 255,
        expected: 'the name of a table, not its ARN',
        otherwise: 'the template has one',
      }),
      workflow: text('arn', 'what startOnce starts: a state machine, or an alias or a version of a durable function'),
      ...handlers,
    },
    examples: ['sam', 'terraform --name send-email --function-timeout 60 --fifo'],
    more: 'Once deployed: pawl doctor <stack or function>',
    exits:
      'Exits with 0 if it printed a template, 1 if the options contradict each other, and 2 if it did not understand them.',
    guide: 'guides/templates.md',
    run: async (line, io) => (await import('./template.ts')).template(line, io),
  }),
  command({
    name: 'rehearse',
    summary: 'runs your CDK app on this machine, breaks it in every way, and counts its effects',
    names: anyNames('[<file> …]', 'rehearsal files'),
    usage: '',
    about: `Runs a CDK app on this machine, on real parts: its functions as processes, DynamoDB Local, and local queues. Sends it the traffic of a rehearsal
file, kills, throttles and delivers again, and counts what happened twice or not at all. Without <file>: rehearsal.ts in this folder.`,
    options: rehearseOptions,
    examples: [
      '',
      '--seed 7 --story order-17',
      'mails.rehearsal.ts refunds.rehearsal.ts --keep-going --junit report.xml',
    ],
    more: `Needs Java 17 or newer if the app has tables, for DynamoDB Local. Needs no AWS account and no Docker. Functions must be for Node.`,
    exits:
      'Exits with 0 if no effect was lost and none doubled, 1 if one was or if the run shows nothing, and 2 if it could not run.',
    guide: 'guides/rehearsal.md',
    package: '@pawl/rehearsal',
  }),
  command({
    name: 'completion',
    summary: 'prints a completion for bash or zsh',
    names: oneOf(['bash', 'zsh']),
    usage: '',
    about: `Prints a completion of pawl's commands and options.

  bash   eval "$(pawl completion bash)"   in ~/.bashrc
  zsh    eval "$(pawl completion zsh)"    in ~/.zshrc, after compinit`,
    options: {},
    examples: ['bash', 'zsh'],
    exits: 'Exits with 0 if it printed one, and 2 if it does not know the shell.',
    guide: 'reference/command-line.md',
    run: async (line, io) => (await import('./completion.ts')).completion(line, io, commands),
  }),
];
