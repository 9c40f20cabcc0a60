import { createProgress } from '../../lib/rehearsal/progress.ts';
import { createJournal } from '../deploy/journal.ts';
import { endOnSignals } from '../end-on-signals.ts';
import { stopwatch } from '../stopwatch.ts';
import { runExecutions } from './run.ts';

/** `npm run e2e -- executions`. @param isVerbose whether all that the emulator, CDK and the functions print is shown. Returns the exit code */
export async function main(isVerbose: boolean): Promise<number> {
  const progress = createProgress(process.stdout, 10_000);
  endOnSignals(() => progress.end());
  const elapsed = stopwatch();
  const journal = createJournal(progress, elapsed);
  try {
    await using cleanUp = new AsyncDisposableStack();
    await runExecutions(journal, (line) => void (isVerbose && process.stderr.write(`${line}\n`)), cleanUp);
  } finally {
    progress.end();
  }
  const { failures } = journal;
  process.stdout.write(`\n${JSON.stringify({ ok: failures.length === 0, failures, seconds: elapsed() })}\n`);
  return failures.length === 0 ? 0 : 1;
}
