import { readFileSync } from 'node:fs';
import { explained, nearestOf } from 'pawl/kernel';
import { type Command, helpOf, type Io, readLine, UsageError } from './command.ts';
import { commands } from './commands.ts';
import { endSoon } from './end-soon.ts';
import { createEnding, endOnProcessSignals, Stopped } from './ending.ts';
import { printJson } from './output.ts';
import { screenOn } from './screen.ts';

/** What runs the commands of other packages, by their names. */
type Elsewhere = Readonly<Record<string, NonNullable<Command['run']>>>;

/** One call of the command line. */
interface Running {
  readonly io: Io;
  /** The command has failed: says what its acts have done. */
  readonly failed: () => void;
  readonly elsewhere: Elsewhere;
}

function listOf(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length)) + 4;
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`);
  return `Usage: pawl <command>\n\n${lines.join('\n')}\n\nSee: pawl <command> --help, pawl --version\n`;
}

/** Runs the command line to its end. @returns the exit code */
export async function runNamed([name, ...args]: readonly string[], running: Running): Promise<number> {
  const { out, error } = running.io;
  const command = commands.find((one) => one.name === name);
  if (command !== undefined) return runCommand(command, args, running);
  switch (name) {
    case '--version':
      out.line(versionOf(readFileSync(new URL('./package.json', import.meta.url), 'utf8')));
      return 0;
    case undefined:
    case '--help':
    case '-h':
      out.text(listOf(commands));
      return 0;
    default: {
      const nearest = nearestOf(
        name,
        commands.map((one) => one.name),
      );
      const advice = nearest === undefined ? '' : ` Did you mean '${nearest}'?`;
      error.line(explained(`There is no command '${name}'.${advice}`, 'command-line'));
      error.text(listOf(commands));
      return 2;
    }
  }
}

/** Runs a command by its row. This is the one place in which an error of a command becomes words and an exit code. */
async function runCommand(
  command: Command,
  args: readonly string[],
  { io, failed, elsewhere }: Running,
): Promise<number> {
  try {
    const line = readLine(command, args);
    if (line === 'help') {
      io.out.text(`${helpOf(command)}\n`);
      return 0;
    }
    const { name, package: of, run = elsewhere[name] } = command;
    if (run === undefined) throw new UsageError(`pawl ${name} is in ${of}: npm install --save-dev ${of}`);
    return await run(line, io);
  } catch (error) {
    // What it has done is said once it has ended.
    if (error instanceof Stopped) return 2;
    const text = error instanceof Error ? error.message : String(error);
    const isUsage = error instanceof UsageError;
    const said = isUsage || !(error instanceof Error) ? text : `${error.name}: ${text}`;
    const advised = `${said}\nRun: pawl ${command.name} --help`;
    io.error.lines(isUsage ? explained(advised, 'command-line') : said);
    // A script reads the one output: it must not have to tell an empty one from a failed one.
    if ('json' in command.options && args.includes('--json'))
      printJson(io, { kind: 'error', exitCode: 2, error: said });
    failed();
    return 2;
  }
}

function versionOf(packageJson: string): string {
  const { version }: { readonly version: string } = JSON.parse(packageJson);
  return version;
}

/**
 * Runs `pawl` in this process, and ends it with its exit code.
 *
 * @param elsewhere what runs the commands of other packages
 */
export async function runCommandLine(args: readonly string[], elsewhere: Elsewhere = {}): Promise<void> {
  const error = screenOn(process.stderr, () => ending.end('closed'));
  const ending = createEnding({ say: (text) => error.line(text), exit: (code) => process.exit(code) });
  const out = screenOn(process.stdout, () => ending.end('closed'));
  const io: Io = { out, error, input: process.stdin, ending };
  endOnProcessSignals(ending);
  const code = await runNamed(args, { io, failed: ending.failed, elsewhere });
  // A reader that went away is known of once all is written.
  await out.flushed();
  // What it has started, such as the traffic of a rehearsal, may go on for minutes.
  endSoon(ending.settle(code));
}
