import { parseArgs } from 'node:util';
import { checkConsumer } from '../deployment/doctor/checks.ts';
import { NothingFoundError, readDeployed } from '../deployment/doctor/read.ts';
import { HANDLER_DEFAULTS } from '../deployment/wiring-receives.ts';
import { explained } from '../kernel/error-code.ts';
import { type Examined, summary, table } from './doctor-report.ts';

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
  --json                         the findings as JSON
  --help                         this text

It checks nested stacks too.
It only reads, and needs permission for: cloudformation:ListStackResources, lambda:GetFunctionConfiguration, GetFunctionConcurrency,
ListAliases and ListEventSourceMappings, sqs:GetQueueUrl and GetQueueAttributes, dynamodb:DescribeTable, DescribeTimeToLive and
DescribeContinuousBackups, iam:SimulatePrincipalPolicy. If it may not read something, it reports that as unknown.
Exits with 0 if there is no problem, 1 if there is one, and 2 if it could not check.`;

/** Where the command writes. */
export interface Output {
  readonly out: NodeJS.WriteStream;
  readonly error: NodeJS.WriteStream;
}

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
export async function doctor(
  args: readonly string[],
  { out, error }: Output = { out: process.stdout, error: process.stderr },
): Promise<number> {
  let line: CommandLine | 'help';
  try {
    line = readCommandLine(args);
  } catch (problem) {
    const said = problem instanceof Error ? problem.message : String(problem);
    error.write(`${explained(`${said}\nRun: pawl doctor --help`, 'command-line')}\n`);
    return 2;
  }
  if (line === 'help') {
    out.write(`${HELP}\n`);
    return 0;
  }
  try {
    return await examine(line, out);
  } catch (problem) {
    const known = problem instanceof NothingFoundError;
    const text = problem instanceof Error ? `${known ? '' : `${problem.name}: `}${problem.message}` : String(problem);
    error.write(`${text}\n`);
    return 2;
  }
}

async function examine(line: CommandLine, out: NodeJS.WriteStream): Promise<number> {
  const { consumers, skipped } = await readDeployed(line.name, line);
  const examined = consumers.map(
    (facts): Examined => ({
      functionName: facts.functionName,
      queueName: facts.queue?.name,
      findings: checkConsumer(facts, line),
    }),
  );
  const findings = examined.flatMap((one) => one.findings);
  if (line.json) out.write(`${JSON.stringify({ examined, skipped })}\n`);
  else {
    out.write(`${table(examined, { colour: out.isTTY === true, columns: out.columns || 120 })}`);
    for (const { functionName, reason } of skipped) out.write(`Left out: ${functionName}: ${reason}.\n`);
    out.write(`${examined.length === 0 ? `${line.name} has no consumer that uses pawl.` : summary(findings)}\n`);
  }
  if (examined.length === 0) return 2;
  return findings.some(({ level }) => level === 'problem') ? 1 : 0;
}

/** The default of the handlers' `retentionSeconds`. */
const DAYS_REMEMBERED = 30;

type NumberOption =
  | 'claim-retention-days'
  | 'lock-lease-seconds'
  | 'lock-attempts'
  | 'concurrency'
  | 'handler-timeout-seconds'
  | 'max-attempts';

/** @throws Error that names the argument and what was expected */
export function readCommandLine(args: readonly string[]): CommandLine | 'help' {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
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
    },
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
  return {
    name,
    region: values.region,
    claimsTable: values['claims-table'],
    claimRetentionSeconds: (number('claim-retention-days') ?? DAYS_REMEMBERED) * 86_400,
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
