import { readFileSync } from 'node:fs';
import { explained, nearestOf } from 'pawl/kernel';
import { type Command, helpOf, type Io, Line, UsageError } from './command.ts';
import { COMMANDS } from './commands.ts';
import { completion } from './completion.ts';
import { endSoon } from './end-soon.ts';
import { createEnding, endOnProcessSignals, Stopped } from './ending.ts';
import { screenOn } from './screen.ts';

const OTHERS = [
  ['doctor', 'checks what is deployed against the wiring rules'],
  ['template', 'prints a consumer for SAM, Terraform, the Serverless Framework or CloudFormation'],
  ['completion', 'prints a completion for bash or zsh'],
] as const;

const WIDTH = 14;
const HELP = `Usage: pawl <command>

${[...COMMANDS.map(({ name, summary }) => [name, summary] as const), ...OTHERS].map(([name, summary]) => `  ${name.padEnd(WIDTH)}${summary}`).join('\n')}

See: pawl <command> --help, pawl --version`;

/** One call of the command line. */
interface Running {
  readonly io: Io;
  readonly ending: ReturnType<typeof createEnding>;
  readonly implementations: Readonly<Record<string, NonNullable<Command['run']>>>;
}

function noCommand(name: string): string {
  const commands = [...COMMANDS.map((command) => command.name), ...OTHERS.map(([command]) => command)];
  const nearest = nearestOf(name, commands);
  return explained(`There is no command '${name}'.${nearest ? ` Did you mean '${nearest}'?` : ''}`, 'command-line');
}

/** Runs the command line to its end. @returns the exit code */
async function runNamed([name, ...args]: readonly string[], { io, ending, implementations }: Running): Promise<number> {
  const command = COMMANDS.find((one) => one.name === name);
  if (command !== undefined) return runCommand(command, args, { io, ending, implementations });
  switch (name) {
    case 'doctor':
      return (await import('./doctor.ts')).doctor(args, io);
    case 'template':
      return (await import('./template.ts')).template(args, io);
    case 'completion':
      return completion(args, io);
    case '--version':
      io.out.line(versionOf(readFileSync(new URL('./package.json', import.meta.url), 'utf8')));
      return 0;
    case undefined:
    case '--help':
    case '-h':
      io.out.text(`${HELP}\n`);
      return 0;
    default:
      io.error.line(noCommand(name));
      io.error.text(`${HELP}\n`);
      return 2;
  }
}

async function runCommand(
  command: Command,
  args: readonly string[],
  { io, ending, implementations }: Running,
): Promise<number> {
  try {
    const line = new Line(args, command.options);
    if (line.flag('help')) {
      io.out.text(`${helpOf(command)}\n`);
      return 0;
    }
    const run = command.run ?? implementations[command.name];
    if (run === undefined)
      throw new UsageError(`pawl ${command.name} is in ${command.package}: npm install --save-dev ${command.package}`);
    return await run(line, io);
  } catch (error) {
    // What it has done is said once it has ended.
    if (error instanceof Stopped) return 2;
    const text = error instanceof Error ? error.message : String(error);
    const isUsage = error instanceof UsageError;
    io.error.lines(isUsage || !(error instanceof Error) ? text : `${error.name}: ${text}`);
    if (isUsage) io.error.line(`See: pawl ${command.name} --help`);
    ending.failed();
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
 * @param implementations what runs the commands of other packages, by their names
 */
export async function runCommandLine(
  args: readonly string[],
  implementations: Running['implementations'] = {},
): Promise<void> {
  const error = screenOn(process.stderr, () => ending.end('closed'));
  const ending = createEnding({ say: (text) => error.line(text), exit: (code) => process.exit(code) });
  const out = screenOn(process.stdout, () => ending.end('closed'));
  const io: Io = { out, error, input: process.stdin, ending };
  endOnProcessSignals(ending);
  const code = await runNamed(args, { io, ending, implementations });
  // A reader that went away is known of once all is written.
  await out.flushed();
  // What it has started, such as the traffic of a rehearsal, may go on for minutes.
  endSoon(ending.settle(code));
}
