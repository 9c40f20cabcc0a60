import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { FORMATS, type Format, type TemplateOptions, WiringError } from 'pawl/deployment';
import { explained, pageAt } from 'pawl/kernel';
import { expectOptionsOf, type Io } from './command.ts';

const HELP = `Prints a consumer for a team without CDK: claims table, queue, dead-letter queue, function, its role and the event source.
The numbers and the permissions follow the rules that the constructs use. Comments in the template name these rules.

Usage: pawl template <sam|terraform|serverless|cloudformation> [options]

  --name <name>                  what the resources are named after   (orders)
  --fifo                         a FIFO queue and a FIFO dead-letter queue
  --function-timeout <seconds>   how long one batch may take   (30)
  --visibility-timeout <seconds> how long a received message stays hidden   (6 × function timeout + batching window)
  --batch-size <n>               the most messages of one invocation   (10)
  --batching-window <seconds>    how long Lambda may wait to fill a batch   (0)
  --max-concurrency <n>          the most invocations of this queue at the same time, from 2 to 1000   (no limit)
  --retention-days <n>           how long the queue keeps a message   (4)
  --max-receives <n>             after how many receives SQS dead-letters a message   (what a healthy message may need)
  --claims-table <name>          a claims table that exists   (the template has one)

What your handler uses:

  --claim-retention-days <n>     how long it remembers claims   (30)
  --locks                        it uses pawl/locks
  --lock-lease-seconds <n>       the lease of its locks   (with --locks: 60)
  --lock-attempts <n>            how many attempts of other requests for the same resources may be ahead   (1)
  --concurrency <n>              how many messages it works on at once
  --handler-timeout-seconds <n>  the longest time that it takes for one message
  --max-attempts <n>             after how many attempts it parks a message   (20)
  --help                         this text

The template goes to the standard output, everything else to the standard error. It needs no AWS account and no credentials.
Exits with 0 if it printed a template, 1 if the options contradict each other, and 2 if it did not understand them.
Once deployed: pawl doctor <stack or function>`;

/** What to do with a template that was printed. */
const NEXT: Readonly<Record<Format, string>> = {
  sam: 'Put the bundled handler into dist/, then: sam deploy --guided',
  terraform:
    'Zip the bundled handler, and pass the path of the zip file as the variable <name>_package. Then: terraform apply',
  serverless: 'Put the bundled handler into dist/, then: serverless deploy',
  cloudformation:
    'Upload the zipped handler, then: aws cloudformation deploy --capabilities CAPABILITY_IAM --parameter-overrides CodeBucket=… CodeKey=…',
};

/** Runs `pawl template` to its end. @returns the exit code */
export async function template(args: readonly string[], { out, error }: Pick<Io, 'out' | 'error'>): Promise<number> {
  let line: ReturnType<typeof readCommandLine>;
  try {
    line = readCommandLine(args);
  } catch (problem) {
    error.lines(problem instanceof Error ? problem.message : String(problem));
    error.line('See: pawl template --help');
    return 2;
  }
  if (line === 'help') {
    out.text(`${HELP}\n`);
    return 0;
  }
  try {
    // Not before it is needed: `--help` and the completion work without the writer of YAML.
    const { templateText } = await import('./template-text.ts');
    out.text(templateText(line.format, line.options));
  } catch (problem) {
    if (!(problem instanceof WiringError)) throw problem;
    error.lines(problem.message);
    return 1;
  }
  error.text(`${NEXT[line.format]}\nMore: ${pageAt('docs/guides/templates.md')}\n`);
  return 0;
}

interface CommandLine {
  readonly format: Format;
  readonly options: TemplateOptions;
}

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;

/** What it reads, which the completion offers. */
export const TEMPLATE_OPTIONS = {
  name: text,
  fifo: flag,
  'function-timeout': text,
  'visibility-timeout': text,
  'batch-size': text,
  'batching-window': text,
  'max-concurrency': text,
  'retention-days': text,
  'max-receives': text,
  'claims-table': text,
  'claim-retention-days': text,
  locks: flag,
  'lock-lease-seconds': text,
  'lock-attempts': text,
  concurrency: text,
  'handler-timeout-seconds': text,
  'max-attempts': text,
  help: { ...flag, short: 'h' },
} as const satisfies ParseArgsOptionsConfig;

/** @throws Error that names the argument and what was expected */
function readCommandLine(args: readonly string[]): CommandLine | 'help' {
  expectOptionsOf(args, TEMPLATE_OPTIONS);
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: TEMPLATE_OPTIONS,
  });
  if (values.help) return 'help';
  const [format, ...more] = positionals;
  if (format === undefined || more.length > 0 || !isFormat(format)) {
    const given = positionals.length === 0 ? 'nothing' : `'${positionals.join(' ')}'`;
    throw new Error(
      explained(`pawl template takes one of ${Object.keys(FORMATS).join(', ')}; got ${given}.`, 'command-line'),
    );
  }
  type Name = keyof typeof values;
  const number = (option: Name, [least, most]: readonly [number, number] = ANY) => {
    const given = values[option];
    return typeof given === 'string' ? numberIn(option, given, least, most) : undefined;
  };
  const options: TemplateOptions = {
    name: nameIn('name', values.name, NAME),
    fifo: values.fifo,
    timeoutSeconds: number('function-timeout', LIMITS.timeoutSeconds),
    visibilityTimeoutSeconds: number('visibility-timeout', LIMITS.visibilitySeconds),
    batchSize: number('batch-size', LIMITS.batchSize),
    maxBatchingWindowSeconds: number('batching-window', LIMITS.windowSeconds),
    maxConcurrency: number('max-concurrency', LIMITS.concurrency),
    retentionSeconds: days(number('retention-days', LIMITS.retentionDays)),
    maxReceiveCount: number('max-receives', LIMITS.receives),
    claimsTable: nameIn('claims-table', values['claims-table'], TABLE_NAME),
    claimRetentionSeconds: days(number('claim-retention-days')),
    locks: values.locks,
    lockLeaseSeconds: number('lock-lease-seconds'),
    lockAttempts: number('lock-attempts'),
    concurrency: number('concurrency'),
    handlerTimeoutSeconds: number('handler-timeout-seconds'),
    maxAttempts: number('max-attempts'),
  };
  return { format, options };
}

function isFormat(text: string): text is Format {
  return Object.hasOwn(FORMATS, text);
}

function days(count: number | undefined): number | undefined {
  return count === undefined ? undefined : count * 86_400;
}

const ANY = [1, Number.MAX_SAFE_INTEGER] as const;

/** What Lambda and SQS accept. */
const LIMITS = {
  timeoutSeconds: [1, 900],
  visibilitySeconds: [0, 43_200],
  batchSize: [1, 10_000],
  windowSeconds: [0, 300],
  concurrency: [2, 1_000],
  retentionDays: [1, 14],
  receives: [1, 1_000],
} as const;

function numberIn(option: string, given: string, least: number, most: number): number {
  const number = given.trim() === '' ? Number.NaN : Number(given);
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  const range = most === ANY[1] ? `from ${least}` : `from ${least} to ${most}`;
  throw new Error(explained(`--${option}: expected a whole number ${range}; got '${given}'.`, 'command-line'));
}

/** Every tool accepts such names, also with what is added to them. */
const NAME = {
  pattern: /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/,
  longest: 40,
  wanted: 'lower-case letters, digits and hyphens',
};
const TABLE_NAME = { pattern: /^[\w.-]{3,}$/, longest: 255, wanted: 'the name of a table, not its ARN' };

function nameIn(
  option: string,
  given: string | undefined,
  { pattern, longest, wanted }: typeof NAME,
): string | undefined {
  if (given === undefined || (pattern.test(given) && given.length <= longest)) return given;
  throw new Error(
    explained(`--${option}: expected ${wanted}, ${longest} characters at most; got '${given}'.`, 'command-line'),
  );
}
