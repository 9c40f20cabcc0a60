import { createInterface } from 'node:readline/promises';
import { type Io, type Line, UsageError } from './command.ts';

/**
 * Asks before something is written. Only `y` and `yes` agree.
 *
 * @throws UsageError if there is no terminal to ask at, and no `--yes`: a script must say that it means it
 */
export async function confirmed(line: Line, { input, error }: Io, question: string): Promise<boolean> {
  if (line.flag('yes')) return true;
  if (!input.isTTY)
    throw new UsageError(
      'Nothing was changed: there is no terminal to ask at. Say --yes to write, or --dry-run to see the plan.',
    );
  const asking = createInterface({ input, output: error });
  try {
    const said = (await asking.question(`${question} [y/N] `)).trim().toLowerCase();
    return said === 'y' || said === 'yes';
  } finally {
    asking.close();
  }
}
