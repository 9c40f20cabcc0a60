import { parseArgs } from 'node:util';
import { createProgress } from '../../lib/rehearsal/progress.ts';
import { createJournal } from '../deploy/journal.ts';
import { MissingToolError } from '../emulator/install.ts';
import { endOnSignals } from '../end-on-signals.ts';
import { stopwatch } from '../stopwatch.ts';
import { deployed, deployPrinted } from './deployment.ts';
import { startWorld } from './world.ts';

const help = `Deploys the templates that pawl prints for CloudFormation and AWS SAM into an AWS emulator on this machine, and sends an order through each.

Usage: npm run e2e -- templates [options]

  --verbose      everything that the emulator and the functions print, on the standard error
  --help         this text

The first run installs the emulator and the SAM translator from PyPI into .e2e/. Needs Python 3.10 or newer, and openssl.
Exits with 0 if all was as it should be, with 1 otherwise, and with 2 if it did not understand its options.`;

/** Nothing takes this long unless it hangs. */
const timeoutMs = 600_000;

/** Runs the command line to its end. Returns the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  let verbose: boolean;
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { verbose: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h', default: false } },
    });
    if (values.help) {
      process.stdout.write(`${help}\n`);
      return 0;
    }
    verbose = values.verbose;
  } catch (error) {
    process.stderr.write(`${textOf(error)}\nSee: npm run e2e -- templates --help\n`);
    return 2;
  }

  const progress = createProgress(process.stdout, 10_000);
  endOnSignals(() => progress.end());
  const watchdog = setTimeout(() => {
    progress.end();
    process.stderr.write(`Still not at the end after ${timeoutMs / 60_000} minutes: given up.\n`);
    process.exit(1);
  }, timeoutMs);
  const elapsed = stopwatch();
  const journal = createJournal(progress, elapsed);
  try {
    await using cleanUp = new AsyncDisposableStack();
    const onLine = (line: string) => void (verbose && process.stderr.write(`${line}\n`));
    const world = await startWorld({ say: journal.say, onLine }, cleanUp);
    for (const format of deployed) await deployPrinted(format, world, journal);
    const { failures } = journal;
    process.stdout.write(`\n${JSON.stringify({ ok: failures.length === 0, failures, seconds: elapsed() })}\n`);
    return failures.length === 0 ? 0 : 1;
  } catch (error) {
    const isKnown = error instanceof MissingToolError || !(error instanceof Error);
    process.stderr.write(`${isKnown ? textOf(error) : error.stack}\n`);
    return 1;
  } finally {
    progress.end();
    clearTimeout(watchdog);
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
