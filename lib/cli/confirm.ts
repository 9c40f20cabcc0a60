import { createInterface } from 'node:readline';
import { visible } from 'pawl/kernel';
import { type Io, UsageError } from './command.ts';

/**
 * Asks before something is written. Only `y` and `yes` agree; else it says that nothing was changed.
 *
 * @throws UsageError if there is no terminal to ask at, and no `--yes`: a script must say that it means it
 */
export async function confirmed(
  { yes }: { readonly yes: boolean },
  { input, error }: Io,
  question: string,
): Promise<boolean> {
  if (yes) return true;
  if (!input.isTTY)
    throw new UsageError(
      'Nothing was changed: there is no terminal to ask at. Say --yes to write, or --dry-run to see the plan.',
    );
  error.text(`${visible(question)} [y/N] `);
  // Without an output: the terminal itself shows what is typed, and Ctrl-C stays a signal.
  const asking = createInterface({ input });
  try {
    const said = await new Promise<string>((resolve) => {
      asking.once('line', resolve);
      // The input has ended: the operator has typed Ctrl-D, or the terminal is gone.
      asking.once('close', () => resolve(''));
    });
    if (['y', 'yes'].includes(said.trim().toLowerCase())) return true;
    error.line('Nothing was changed.');
    return false;
  } finally {
    asking.close();
  }
}
