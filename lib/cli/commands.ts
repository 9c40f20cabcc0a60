import type { Command, Options } from './command.ts';

/** Where the table and the queues are. */
const account: Options = {
  stack: { value: 'name', about: 'the CloudFormation stack, or the function, whose table and queues to use' },
  table: { value: 'name', about: "the claims table   (the stack's)" },
  region: { value: 'region', about: 'the AWS region   (that of your AWS settings)' },
  profile: { value: 'name', about: 'the profile of your AWS settings' },
  endpoint: { value: 'url', about: 'the endpoint of a local stand-in for AWS' },
};

const common: Options = {
  json: { about: 'one JSON object a line, for scripts' },
  help: { about: 'this text' },
};

const filters: Options = {
  operation: { value: 'name', about: 'only claims of this operation' },
  status: { value: 'status', about: 'only claims that are parked, in-doubt or in-flight' },
  reason: { value: 'name', about: 'only claims with this reason: abandoned, outcome-unknown, …' },
  'older-than': { value: 'time', about: 'only claims first seen at least so long ago: 90s, 15m, 2h, 3d' },
  'doubt-older-than': {
    value: 'time',
    about: 'only claims whose doubt is so old: since then, no attempt can have applied the effect',
  },
  prefix: { value: 'text', about: 'only claims whose key begins with this; needs --operation' },
};

const writes: Options = {
  'dry-run': { about: 'show the plan, and change nothing' },
  yes: { about: 'do not ask before writing' },
};

const queues: Options = {
  queue: { value: 'name or url', about: 'the dead-letter queue   (all dead-letter queues of the stack)' },
  operation: {
    value: 'name',
    about: 'the operation of the consumer; with --key, finds the claims of messages that SQS moved',
  },
  key: { value: 'where', about: "the consumer's key: body:<path>, attribute:<name> or message-id; needs --operation" },
  reason: { value: 'reason', about: 'only messages with this reason; none: those that SQS moved by itself' },
  most: { value: 'n', about: 'look at so many messages of a queue at most   (1000)' },
};

/** As `findingKinds` of pawl/statements, which the help must not load. */
const findingKinds = ['missing-here', 'missing-there', 'differs', 'twice', 'unreadable', 'undecided'] as const;

const EXIT =
  'Exits with 0 if all is done and nothing is open, 1 if something is open or was refused, and 2 if it could not run. Ended early, by Ctrl-C (130), SIGTERM (143), a closed\nterminal (129) or a closed output (141), it finishes what is under way, and says what it did. A second Ctrl-C ends it in the middle.';

export const COMMANDS: readonly Command[] = [
  {
    name: 'claims',
    summary: 'lists the claims that wait for an operator, are in doubt, or are in flight and watched',
    usage: '--stack <name> | --table <name> [options]',
    about: 'Lists open claims: parked, in doubt, or in flight and watched. It only reads.',
    options: {
      ...account,
      ...filters,
      limit: { value: 'n', about: 'stop after so many claims' },
      ...common,
    },
    more: `Needs dynamodb:Query on the index of open claims, and GetItem and BatchGetItem on the table: claims.grantOperate(role).\n${EXIT}`,
    run: async (line, io) => (await import('./claims.ts')).claims(line, io),
  },
  {
    name: 'claim',
    summary: 'shows all that is known of one claim',
    usage: '<key> --stack <name> | --table <name> [options]',
    about: "Shows one claim. <key> is its id, as in 'send-email#order-17', or with --operation its key. It only reads.",
    options: {
      ...account,
      operation: { value: 'name', about: 'the operation, if <key> is a key alone' },
      results: { about: 'show what the handler and its steps returned' },
      ...common,
    },
    more: EXIT,
    run: async (line, io) => (await import('./claims.ts')).claim(line, io),
  },
  {
    name: 'resolve',
    summary: 'decides claims in doubt',
    usage: '[<key> …] applied|not-applied|retry --by <name> --note <text> --stack <name> | --table <name> [options]',
    about: `Stores your decision about claims in doubt: that the effect happened (applied), that it did not (not-applied), or that it is not known and
may run again (retry). Shows a plan first. A decision cannot be undone.

Without <key>, it decides all open claims that the filters find.`,
    options: {
      ...account,
      by: { value: 'name', about: 'who decides' },
      note: { value: 'text', about: 'why; it stays on the claim' },
      step: {
        value: 'name=verdict',
        multiple: true,
        about: 'of one claim: a verdict for each step in doubt, instead of one for the whole',
      },
      'step-result': { value: 'name=json', multiple: true, about: 'what a step that was applied has returned' },
      fence: { value: 'n', about: 'of one claim: only if its fence is still this one' },
      'retention-days': {
        value: 'n',
        about: 'for how many days the decision is remembered: no fewer than the consumer remembers   (forever)',
      },
      ...filters,
      ...writes,
      ...common,
    },
    more: EXIT,
    run: async (line, io) => (await import('./resolve.ts')).resolve(line, io),
  },
  {
    name: 'restored',
    summary: 'marks a table that was restored from a point in time, corrects the mark, or lifts it',
    usage: '--cut-off <time> --by <name> --note <text> --table <name> [options]',
    about: `Marks a claims table that was restored from a point in time. While the mark stands, consumers whose store has restored: true take every key that the
table may have forgotten for in doubt. Stop all consumers first; mark the table; then deploy them with the new table.

A mark is of one table: one that a restore has brought along from an earlier table does not count, and is replaced.

--correct gives a mark that stands another cut-off. After a correction to an earlier time, whatever is not completed, rejected or parked is in doubt once
more, and the mark stands again for the operations that it was lifted for.

Without --cut-off and --lift, it shows the mark.`,
    options: {
      ...account,
      'cut-off': {
        value: 'time',
        about: 'the point in time that the table was restored to, with its zone: 2026-11-22T12:00:00Z',
      },
      correct: { about: 'with --cut-off: correct the mark that stands' },
      lift: { about: 'instead, lift the mark: a key without a record is new from then on. It cannot be undone' },
      operation: { value: 'name', about: 'with --lift: for this operation alone' },
      by: { value: 'name', about: 'who marks, corrects or lifts' },
      note: { value: 'text', about: 'why; it stays in the mark' },
      yes: { about: 'do not ask before writing' },
      ...common,
    },
    more: `Needs dynamodb:GetItem, DescribeTable and PutItem on the table: claims.grantRestore(role).\nExits with 0 if the table has no mark or a lifted one, 1 if its mark stands or what was asked for was refused, and 2 if it could not run.`,
    run: async (line, io) => (await import('./restored.ts')).restored(line, io),
  },
  {
    name: 'dlq',
    summary: 'looks at dead letters, with their claims',
    usage: '--stack <name> | --queue <url> --table <name> [options]',
    about: `Looks at the messages of dead-letter queues, and gives them back. Meanwhile they are hidden, and on a FIFO queue their groups are blocked. Each look
counts as a receive.`,
    options: {
      ...account,
      ...queues,
      bodies: { about: 'show the bodies of the messages' },
      ...common,
    },
    more: EXIT,
    run: async (line, io) => (await import('./dead-letters.ts')).deadLetters(line, io),
  },
  {
    name: 'redrive',
    summary: 'sends dead letters back to their queue',
    usage: '--stack <name> | --queue <url> --to <url> --table <name> [options]',
    about: `Sends messages of dead-letter queues back to their queue, and deletes them there. Shows a plan first. A message stays if its claim is parked and
undecided, rejected, or in flight.`,
    options: {
      ...account,
      ...queues,
      to: { value: 'name or url', about: 'the queue that the messages go to   (that of the stack)' },
      message: { value: 'id', multiple: true, about: 'only this message' },
      by: { value: 'name', about: 'who redrives   (your user name)' },
      note: { value: 'text', about: 'why' },
      ...writes,
      ...common,
    },
    more: EXIT,
    run: async (line, io) => (await import('./redrive.ts')).redrive(line, io),
  },
  {
    name: 'discard',
    summary: 'deletes dead letters that can never run, for good',
    usage: '--message <id> … | --reason <reason> --note <text> --stack <name> | --queue <url> --table <name> [options]',
    about: `Deletes messages of dead-letter queues for good, and keeps who did it and why: on the claim of each, where it has one. Shows a plan first. It decides
nothing about the effect: a claim stays what it is. A message stays if a worker holds its claim; or if its effect may have happened, without --even-in-doubt.`,
    options: {
      ...account,
      ...queues,
      message: { value: 'id', multiple: true, about: 'this message' },
      'even-in-doubt': { about: 'also messages whose claim is in doubt, or not known' },
      by: { value: 'name', about: 'who discards   (your user name)' },
      note: { value: 'text', about: 'why; it stays on the claim' },
      ...writes,
      ...common,
    },
    more: EXIT,
    run: async (line, io) => (await import('./discard.ts')).discard(line, io),
  },
  {
    name: 'statements',
    summary: "shows the last comparison of an operation with its provider's statement",
    usage: '<operation> --stack <name> | --table <name> [options]',
    about:
      'Shows what the last run of reconcileStatements has read, and how many of its findings are open. It only reads.',
    options: { ...account, ...common },
    more: `Needs claims.grantStatements(role).\n${EXIT}`,
    run: async (line, io) => (await import('./findings.ts')).statements(line, io),
  },
  {
    name: 'findings',
    summary: "lists what does not agree with a provider's statement, and accepts it",
    usage: '[accept <finding> … --by <name> --note <text>] --stack <name> | --table <name> [options]',
    about: `Lists open findings: effects that are missing here (the provider has them, and no claim does: a refund may be due), missing there, that
happened twice, or that differ.

With accept, it ends findings: no later run reports them again. That changes no claim and nothing at the provider.`,
    options: {
      ...account,
      operation: { value: 'name', about: 'only findings of this operation' },
      kind: { value: 'kind', about: `only findings of this kind: ${findingKinds.join(', ')}` },
      by: { value: 'name', about: 'with accept: who accepts' },
      note: { value: 'text', about: 'with accept: why' },
      yes: { about: 'with accept: do not ask before writing' },
      ...common,
    },
    more: `Needs claims.grantStatements(role).\n${EXIT}`,
    run: async (line, io) => (await import('./findings.ts')).findings(line, io),
  },
  {
    name: 'console',
    summary: 'serves a web page of all of this on this machine',
    usage: '--stack <name> | --table <name> [--queue <name or url> …] [--write] [options]',
    about: `Serves a page on 127.0.0.1, with your AWS credentials, until Ctrl-C: what is open, one claim with its story, dead letters, and what to do about them.
It only reads, except with --write. It prints a link that opens the page in one browser, once. Nothing is sent to any place but AWS.`,
    options: {
      ...account,
      queue: {
        value: 'name or url',
        multiple: true,
        about: 'a dead-letter queue   (all dead-letter queues of the stack)',
      },
      write: { about: 'resolve claims and redrive messages, too' },
      port: { value: 'port', about: 'the port of the page   (a free one)' },
      namespace: { value: 'name', about: "the CloudWatch namespace of your consumers' metricEvents   (pawl)" },
      help: { about: 'this text' },
    },
    more: `Needs what pawl claims, dlq and, with --write, resolve and redrive need: claims.grantOperate(role). For counts over time, it also needs
cloudwatch:ListMetrics and cloudwatch:GetMetricData. Every act is a line of JSON on the standard error: keep them.`,
    run: async (line, io) => (await import('./console.ts')).serveConsole(line, io),
  },
  {
    name: 'rehearse',
    summary: 'runs your CDK app on this machine, breaks it in every way, and counts its effects',
    usage: '[<file> …] [options]',
    about: `Runs a CDK app on this machine, on real parts: its functions as processes, DynamoDB Local, and local queues. Sends it the traffic of a rehearsal
file, kills, throttles and delivers again, and counts what happened twice or not at all. Without <file>: rehearsal.ts in this folder.`,
    options: {
      seed: { value: 'n', about: 'decides what goes wrong where; the same seed plans the same   (a new one)' },
      filter: { value: 'construct', about: 'only the consumer at this construct' },
      story: { value: 'intent', about: 'tell the story of this intent, whatever became of it' },
      junit: { value: 'file', about: 'write the result as JUnit XML, too' },
      watch: { about: 'rehearse again at each change of the app, until Ctrl-C; the database stays up' },
      console: {
        about: 'serve a page that shows deliveries, effects and faults as they happen; all stays up until Ctrl-C',
      },
      port: { value: 'port', about: 'with --console: the port of the page   (a free one)' },
      'keep-going': { about: 'of several files: go on after one that is not good' },
      verbose: { about: 'also what the functions print, on the standard error' },
      json: { about: 'one line of JSON on the standard output' },
      help: { about: 'this text' },
    },
    more: `Needs Java 17 or newer if the app has tables, for DynamoDB Local. Needs no AWS account and no Docker. Functions must be for Node.
Exits with 0 if no effect was lost and none doubled, 1 if one was or if the run shows nothing, and 2 if it could not run.`,
    package: '@pawl/rehearsal',
  },
];
