import { parseArgs } from 'node:util';
import { createProgress } from '../../lib/rehearsal/progress.ts';
import { MissingToolError } from '../emulator/install.ts';
import { endOnSignals } from '../end-on-signals.ts';
import { runDeployment } from './deployment.ts';
import type { DeployPlanOptions } from './plan.ts';
import { isGood, jsonLine, report } from './result.ts';

const help = `Deploys three stacks of the app into an AWS emulator on this machine, uses them, updates them while they are used, and destroys them.

Usage: npm run e2e -- deploy [options]

  --orders <n>       how many orders, each with one email and one gift card   (90)
  --payments <n>     how many payments, each reported twice at once           (24)
  --repayments <n>   how many requests to repay debts, each sent twice        (9)
  --timeout <n>      the first timeout of the functions, in seconds; the update adds one. More on a machine that is busy   (3)
  --seed <n>         decides which messages come twice and what fails         (20260101)
  --verbose          everything that the CDK, the emulator and the functions print, on the standard error
  --help             this text

The first run installs the emulator from PyPI into .e2e/. Needs Python 3.10 or newer, and openssl.
Ends with 0 when all was as it should be, and nothing was lost or doubled; with 1 otherwise.`;

/** Nothing takes this long unless it hangs. */
const timeoutMs = 900_000;

/** Runs the command line to its end. Returns the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  let options: DeployPlanOptions & { readonly timeoutSeconds: number; readonly verbose: boolean };
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        orders: { type: 'string', default: '90' },
        payments: { type: 'string', default: '24' },
        repayments: { type: 'string', default: '9' },
        timeout: { type: 'string', default: '3' },
        seed: { type: 'string', default: '20260101' },
        verbose: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) {
      process.stdout.write(`${help}\n`);
      return 0;
    }
    options = {
      orders: wholeNumber('orders', values.orders),
      payments: wholeNumber('payments', values.payments),
      repayments: wholeNumber('repayments', values.repayments),
      timeoutSeconds: wholeNumber('timeout', values.timeout),
      seed: wholeNumber('seed', values.seed),
      verbose: values.verbose,
    };
  } catch (error) {
    process.stderr.write(
      `${error instanceof Error ? error.message : String(error)}\nSee: npm run e2e -- deploy --help\n`,
    );
    return 2;
  }

  const progress = createProgress(process.stdout, 10_000);
  endOnSignals(() => progress.end());
  const watchdog = setTimeout(() => {
    progress.end();
    process.stderr.write(`Still not at the end after ${timeoutMs / 60_000} minutes: given up.\n`);
    process.exit(1);
  }, timeoutMs);
  try {
    const result = await runDeployment({
      ...options,
      progress,
      ...(options.verbose ? { onLine: (line: string) => process.stderr.write(`${line}\n`) } : {}),
    });
    process.stdout.write(`\n${report(result)}\n\n${jsonLine(result)}\n`);
    return isGood(result) ? 0 : 1;
  } catch (error) {
    progress.end();
    const text = error instanceof Error && !(error instanceof MissingToolError) ? error.stack : undefined;
    process.stderr.write(`${text ?? (error instanceof Error ? error.message : String(error))}\n`);
    return 1;
  } finally {
    clearTimeout(watchdog);
  }
}

function wholeNumber(name: string, given: string): number {
  if (/^[1-9]\d{0,8}$/.test(given)) return Number(given);
  throw new Error(`--${name} should be a whole number from 1, and is '${given}'.`);
}
