import { type CommandLine, HELP, readCommandLine, UsageError } from './command-line.ts';
import { endOnSignals } from './end-on-signals.ts';
import { MissingJavaError } from './java.ts';
import { createProgress } from './progress.ts';
import { isGood, jsonLine, report } from './report.ts';
import { runTraffic } from './traffic.ts';

/** Runs the command line of the local stack to its end. Answers the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  let line: CommandLine | 'help';
  try {
    line = readCommandLine(args);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\nSee: npm start -- --help\n`);
    return 2;
  }
  if (line === 'help') {
    process.stdout.write(`${HELP}\n`);
    return 0;
  }
  return run(line);
}

const SAID = { 'as-written': '', retry: ", under the policy 'retry'", none: ', WITHOUT pawl' } as const;

async function run({ json, verbose, ...options }: CommandLine): Promise<number> {
  // Everything for people goes to the other stream when a program reads this one.
  const people = json ? process.stderr : process.stdout;
  const progress = createProgress(people);
  endOnSignals(() => progress.end());
  progress.say(
    `${options.orders} orders, an email and a gift card each, ${options.payments} payments and ${options.repayments} repayments${SAID[options.protection]} (seed ${options.seed})`,
  );
  try {
    const result = await runTraffic({
      ...options,
      progress,
      ...(verbose ? { onLog: (text, sandbox) => process.stderr.write(`${sandbox} ${text}\n`) } : {}),
    });
    people.write(`${report(result, people.isTTY === true)}\n`);
    process.stdout.write(`${jsonLine(result)}\n`);
    return isGood(result) ? 0 : 1;
  } catch (error) {
    progress.end();
    process.stderr.write(`${error instanceof MissingJavaError ? error.message : describe(error)}\n`);
    return 1;
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
