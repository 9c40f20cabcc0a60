import { endSoon } from '../lib/cli/end-soon.ts';
import { exitCodeOf } from '../lib/rehearsal/file/result.ts';
import { createProgress } from '../lib/rehearsal/progress.ts';
import { type CommandLine, help, readCommandLine, UsageError } from './command-line.ts';
import { endOnSignals } from './end-on-signals.ts';
import { runFifo } from './fifo/fifo.ts';
import { fifoJsonLine, fifoReport, isGoodFifo, noVerdictOfFifo } from './fifo/fifo-report.ts';
import { runIncident } from './incident/run.ts';
import { runServed } from './served.ts';
import { report } from './traffic/report.ts';
import { runTraffic } from './traffic/traffic.ts';
import { isGood, jsonLine, noVerdictOf, type TrafficResult } from './traffic/traffic-result.ts';

/** Runs the command line of `npm start` to its end, and then ends this process: the processor of payments calls on for minutes if a run fails. */
export async function main(args: readonly string[]): Promise<void> {
  endSoon(await codeOf(args));
}

/** Runs the command line. Returns the exit code. */
async function codeOf(args: readonly string[]): Promise<number> {
  let line: ReturnType<typeof readCommandLine>;
  try {
    line = readCommandLine(args);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\nSee: npm start -- --help\n`);
    return 2;
  }
  if (line === 'help') {
    process.stdout.write(`${help}\n`);
    return 0;
  }
  return line === 'incident' ? incident() : run(line);
}

const fifoSizes = { changes: 300, accounts: 40 } as const;
const said = {
  'as-written': '',
  retry: ", under the policy 'retry'",
  split: ', with messages outside of their commit',
  none: ', WITHOUT pawl',
} as const;
const where = { dynamodb: '', postgres: ', in PostgreSQL' } as const;

async function run({ json, verbose, fifo, console: isServed, ...options }: CommandLine): Promise<number> {
  // If a program reads the standard output, everything for people goes to the other stream.
  const people = json ? process.stderr : process.stdout;
  const progress = createProgress(people);
  endOnSignals(() => progress.end());
  const onLog = verbose ? (text: string, sandbox: string) => process.stderr.write(`${sandbox} ${text}\n`) : undefined;
  const under = `${where[options.store]}${said[options.protection]}`;
  progress.say(
    fifo
      ? `${fifoSizes.changes} changes of ${fifoSizes.accounts} accounts, in order${under} (seed ${options.seed})`
      : `${options.orders} orders, an email and a gift card each, ${options.payments} payments and ${options.repayments} repayments${under} (seed ${options.seed})`,
  );
  try {
    if (fifo) {
      const result = await runFifo({ ...options, ...fifoSizes, progress, ...(onLog ? { onLog } : {}) });
      people.write(`${fifoReport(result, people.isTTY === true)}\n`);
      process.stdout.write(`${fifoJsonLine(result)}\n`);
      return exitCodeOf({ good: isGoodFifo(result), noVerdict: noVerdictOfFifo(result) });
    }
    const print = (result: TrafficResult) => {
      people.write(`${report(result, people.isTTY === true)}\n`);
      process.stdout.write(`${jsonLine(result)}\n`);
    };
    const traffic = { ...options, progress, ...(onLog ? { onLog } : {}) };
    if (isServed) return await runServed(traffic, print);
    const result = await runTraffic(traffic);
    print(result);
    return exitCodeOf({ good: isGood(result), noVerdict: noVerdictOf(result) });
  } catch (error) {
    progress.end();
    process.stderr.write(`${describe(error)}\n`);
    return 2;
  }
}

async function incident(): Promise<number> {
  const progress = createProgress(process.stdout);
  try {
    return await runIncident(progress, (text) => process.stdout.write(`${text}\n`));
  } catch (error) {
    progress.end();
    process.stderr.write(`${describe(error)}\n`);
    return 2;
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
