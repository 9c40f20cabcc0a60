import { checkConsumer, checkEnds, checkOutbox, checkScheduled, type Finding } from 'pawl/deployment';
import { clientConfig } from './client-config.ts';
import { type Io, type Line, UsageError } from './command.ts';
import { readDeployed } from './deployed/read.ts';
import { type Examined, summary, table } from './doctor-report.ts';
import type { Values } from './option.ts';
import { type connection, type handlers, needsOf } from './options.ts';
import { printJson } from './output.ts';

interface Given extends Values<typeof connection>, Values<typeof handlers> {
  readonly table: string | undefined;
  readonly 'individual-store': boolean;
  readonly operation: readonly string[];
  readonly json: boolean;
}

/** `pawl doctor`. @returns 1 if there is a problem, and 2 if something could not be checked */
export async function doctor({ names: [name = ''], options }: Line<Given>, { out }: Io): Promise<number> {
  const { operation } = options;
  const needs = { ...needsOf(options), operations: operation.length === 0 ? undefined : operation };
  const config = clientConfig(options);
  const { consumers, scheduled, outboxes, ends, skipped } = await readDeployed(name, {
    ...needs,
    config,
    claimsTable: options.table,
  });
  const functions = new Set(consumers.map(({ functionName }) => functionName));
  if (operation.length > 0 && functions.size > 1) {
    throw new UsageError(
      `--operation is of one function, and ${name} has ${functions.size}. Give the name of the function.`,
    );
  }
  const examined = [
    ...consumers.map((facts): Examined => {
      const { functionName, queue } = facts;
      return { kind: 'consumer', functionName, queueName: queue?.name, findings: checkConsumer(facts, needs) };
    }),
    ...scheduled.map((facts): Examined => {
      const { functionName } = facts;
      return { kind: 'scheduled', functionName, findings: checkScheduled(facts) };
    }),
    ...outboxes.map((facts): Examined => {
      const { functionName, tableName } = facts;
      return { kind: 'outbox', functionName, tableName, findings: checkOutbox(facts) };
    }),
    ...ends.map((facts): Examined => {
      const { functionName, workflowArn } = facts;
      return { kind: 'ends', functionName, workflowArn, findings: checkEnds(facts) };
    }),
  ];
  const findings = examined.flatMap((one) => one.findings);
  const exitCode = exitCodeOf(examined);
  // What CI reads: the exit code and the counts beside the findings, so that a step can decide without counting.
  if (options.json) printJson({ out }, { kind: 'doctor', name, exitCode, ...countsOf(findings), examined, skipped });
  else {
    out.text(table(examined, { colour: out.isTTY, columns: out.columns || 120 }));
    for (const { functionName, reason } of skipped) out.line(`Left out: ${functionName}: ${reason}.`);
    out.line(examined.length === 0 ? `${name} has no function that uses pawl.` : summary(findings));
  }
  return exitCode;
}

function countsOf(findings: readonly Finding[]) {
  const count = (level: Finding['level']) => findings.filter((finding) => finding.level === level).length;
  return { problems: count('problem'), warnings: count('warning'), unknown: count('unknown') };
}

/** What was not looked at is not clean: a step of CI that may not read something must not pass. */
function exitCodeOf(examined: readonly Examined[]): 0 | 1 | 2 {
  const { problems, unknown } = countsOf(examined.flatMap(({ findings }) => findings));
  if (problems > 0) return 1;
  return examined.length === 0 || unknown > 0 ? 2 : 0;
}
