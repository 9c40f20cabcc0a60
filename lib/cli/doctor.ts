import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { CONSUMER_DEFAULTS, checkConsumer, checkScheduled, type Finding, HANDLER_DEFAULTS } from 'pawl/deployment';
import { explained } from 'pawl/kernel';
import { expectOptionsOf, type Io } from './command.ts';
import { type Examined, summary, table } from './doctor-report.ts';
import { printJson } from './output.ts';

export const HELP = `Checks what is deployed against the wiring rules, and reports what breaks them.

Usage: pawl doctor <stack or function> [options]

  --region <region>              the AWS region   (that of your AWS settings)
  --claims-table <name>          the claims table, for functions without the variable CLAIMS_TABLE
  --claim-retention-days <n>     how long your handlers remember claims   (30)
  --individual-store             the handlers use individualDynamoStore, which needs no PartiQL
  --locks                        the handlers use pawl/locks, which also needs UpdateItem and ConditionCheckItem
  --lock-lease-seconds <n>       the lease of the handlers' locks   (with --locks: 60)
  --lock-attempts <n>            how many attempts of other requests for the same resources may be ahead   (1)
  --concurrency <n>              how many messages the handlers work on at once
  --handler-timeout-seconds <n>  the longest time that the handlers take for one message
  --max-attempts <n>             after how many attempts the handlers park a message   (20)
  --json                         one JSON object on the standard output, also if it could not check
  --help                         this text

It checks nested stacks too.
It only reads, and needs permission for: cloudformation:ListStackResources, lambda:GetFunctionConfiguration, GetFunctionConcurrency,
ListAliases and ListEventSourceMappings, sqs:GetQueueUrl and GetQueueAttributes, dynamodb:DescribeTable, DescribeTimeToLive and
DescribeContinuousBackups, iam:SimulatePrincipalPolicy. If it may not read something, it reports that as unknown.
With dynamodb:GetItem on the table, it also sees the mark of a table that was restored.
For a function of OpenClaimsSweep or StatementCheck, also events:ListRuleNamesByTarget and DescribeRule, cloudwatch:DescribeAlarms and
GetMetricStatistics.
A team without CloudFormation gives the name of a function; it then needs no permission for cloudformation.
Exits with 0 if it checked everything and found no problem, 1 if there is a problem, and 2 if it could not check all of it. A warning is no problem.`;

/** Where the command writes. */
type Output = Pick<Io, 'out' | 'error'>;

interface CommandLine {
  readonly name: string;
  readonly region: string | undefined;
  readonly claimsTable: string | undefined;
  readonly claimRetentionSeconds: number;
  readonly lockLeaseSeconds: number | undefined;
  readonly lockAttempts: number | undefined;
  readonly concurrency: number | undefined;
  readonly handlerTimeoutSeconds: number | undefined;
  readonly maxAttempts: number | undefined;
  readonly individualStore: boolean;
  readonly locks: boolean;
  readonly json: boolean;
}

/** Runs `pawl doctor` to its end. @returns the exit code */
export async function doctor(args: readonly string[], { out, error }: Output): Promise<number> {
  let line: CommandLine | 'help';
  try {
    line = readCommandLine(args);
  } catch (problem) {
    const said = problem instanceof Error ? problem.message : String(problem);
    error.lines(explained(`${said}\nRun: pawl doctor --help`, 'command-line'));
    return 2;
  }
  if (line === 'help') {
    out.text(`${HELP}\n`);
    return 0;
  }
  try {
    return await examine(line, out);
  } catch (problem) {
    const known = problem instanceof Error && problem.name === 'NothingFoundError';
    const text = problem instanceof Error ? `${known ? '' : `${problem.name}: `}${problem.message}` : String(problem);
    error.lines(text);
    if (line.json) printJson({ out }, jsonOf(line.name, { examined: [], skipped: [] }, text));
    return 2;
  }
}

interface Examination {
  readonly examined: readonly Examined[];
  readonly skipped: readonly { readonly functionName: string; readonly reason: string }[];
}

/** What CI reads: the exit code and the counts beside the findings, so that a step can decide without counting. */
function jsonOf(name: string, examination: Examination, error?: string): object {
  const { examined, skipped } = examination;
  const counts = countsOf(examined.flatMap(({ findings }) => findings));
  return { name, exitCode: exitCodeOf(examination), ...counts, examined, skipped, error };
}

function countsOf(findings: readonly Finding[]) {
  const count = (level: Finding['level']) => findings.filter((finding) => finding.level === level).length;
  return { problems: count('problem'), warnings: count('warning'), unknown: count('unknown') };
}

/** What was not looked at is not clean: a step of CI that may not read something must not pass. */
function exitCodeOf({ examined }: Examination): 0 | 1 | 2 {
  const { problems, unknown } = countsOf(examined.flatMap(({ findings }) => findings));
  if (problems > 0) return 1;
  return examined.length === 0 || unknown > 0 ? 2 : 0;
}

async function examine(line: CommandLine, out: Output['out']): Promise<number> {
  // Not before it is needed: `--help` works without any client of AWS.
  const { readDeployed } = await import('./deployed/read.ts');
  const { consumers, scheduled, skipped } = await readDeployed(line.name, line);
  const examined: readonly Examined[] = [
    ...consumers.map((facts) => ({
      kind: 'consumer' as const,
      functionName: facts.functionName,
      queueName: facts.queue?.name,
      findings: checkConsumer(facts, line),
    })),
    ...scheduled.map((facts) => ({
      kind: 'scheduled' as const,
      functionName: facts.functionName,
      findings: checkScheduled(facts),
    })),
  ];
  const findings = examined.flatMap((one) => one.findings);
  if (line.json) printJson({ out }, jsonOf(line.name, { examined, skipped }));
  else {
    out.text(table(examined, { colour: out.isTTY, columns: out.columns || 120 }));
    for (const { functionName, reason } of skipped) out.line(`Left out: ${functionName}: ${reason}.`);
    out.line(examined.length === 0 ? `${line.name} has no function that uses pawl.` : summary(findings));
  }
  return exitCodeOf({ examined, skipped });
}

type NumberOption =
  | 'claim-retention-days'
  | 'lock-lease-seconds'
  | 'lock-attempts'
  | 'concurrency'
  | 'handler-timeout-seconds'
  | 'max-attempts';

/** What it reads, which the completion offers. */
export const DOCTOR_OPTIONS = {
  region: { type: 'string' },
  'claims-table': { type: 'string' },
  'claim-retention-days': { type: 'string' },
  'lock-lease-seconds': { type: 'string' },
  'lock-attempts': { type: 'string' },
  concurrency: { type: 'string' },
  'handler-timeout-seconds': { type: 'string' },
  'max-attempts': { type: 'string' },
  'individual-store': { type: 'boolean', default: false },
  locks: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const satisfies ParseArgsOptionsConfig;

/** @throws Error that names the argument and what was expected */
export function readCommandLine(args: readonly string[]): CommandLine | 'help' {
  expectOptionsOf(args, DOCTOR_OPTIONS);
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: DOCTOR_OPTIONS,
  });
  if (values.help) return 'help';
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0) {
    throw new Error(
      `pawl doctor takes the name of one stack or function; got ${positionals.length} names. Write: pawl doctor MyStack`,
    );
  }
  const number = (option: NumberOption): number | undefined => {
    const text = values[option];
    if (text === undefined) return undefined;
    const given = Number(text);
    if (!(given > 0)) throw new Error(`--${option}: expected a number above 0; got '${text}'.`);
    return given;
  };
  const days = number('claim-retention-days');
  return {
    name,
    region: values.region,
    claimsTable: values['claims-table'],
    claimRetentionSeconds: days === undefined ? CONSUMER_DEFAULTS.claimRetentionSeconds : days * 86_400,
    lockLeaseSeconds: number('lock-lease-seconds') ?? (values.locks ? HANDLER_DEFAULTS.lockLeaseSeconds : undefined),
    lockAttempts: number('lock-attempts'),
    concurrency: number('concurrency'),
    handlerTimeoutSeconds: number('handler-timeout-seconds'),
    maxAttempts: number('max-attempts'),
    individualStore: values['individual-store'],
    locks: values.locks,
    json: values.json,
  };
}
