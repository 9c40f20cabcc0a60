import { PassThrough } from 'node:stream';
import { vi } from 'vitest';
import { type Io, readLine } from '../../lib/cli/command.ts';
import { runNamed } from '../../lib/cli/command-line.ts';
import { commands } from '../../lib/cli/commands.ts';
import { createEnding } from '../../lib/cli/ending.ts';
import { screenOn } from '../../lib/cli/screen.ts';

/** What a command reads and writes, kept for a test. @param typed what the operator types at a terminal; without it, there is none */
export function ioOf(typed?: string) {
  const [out, error, input] = [new PassThrough(), new PassThrough(), new PassThrough()];
  if (typed !== undefined) input.write(`${typed}\n`);
  const ending = createEnding({ say: (text) => void error.write(`${text}\n`), exit: () => undefined });
  const io: Io = {
    out: screenOn(out),
    error: screenOn(error),
    input: Object.assign(input, { isTTY: typed !== undefined }),
    ending,
  };
  const textOf = (stream: PassThrough) => (stream.read() as Buffer | null)?.toString() ?? '';
  return { io, ending, out: () => textOf(out), error: () => textOf(error) };
}

/** Runs a command of `pawl` in this process. It rejects with what `pawl` reports before it ends with 2. */
export async function runCommand(args: readonly string[], typed?: string) {
  const [name, ...rest] = args;
  const command = commands.find((one) => one.name === name);
  if (command === undefined) throw new Error(`there is no command ${name}`);
  const { io, out, error } = ioOf(typed);
  if (command.run === undefined) throw new Error(`the command ${name} is in ${command.package}`);
  const line = readLine(command, rest);
  if (line === 'help') throw new Error(`--help of ${name} runs nothing`);
  const code = await command.run(line, io);
  const text = out();
  const lines = () =>
    text
      .trimEnd()
      .split('\n')
      .map((line): Record<string, unknown> => JSON.parse(line));
  return { code, out: text, error: error(), lines };
}

/** Runs commands at one instant: they say how long ago something was, and between two of them the second may turn. */
export async function atOneInstant<T>(run: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    return await run();
  } finally {
    vi.useRealTimers();
  }
}

/** Runs `pawl` in this process, as a shell sees it: what cannot run is said, and ends with 2. */
export async function runPawlHere(...args: readonly string[]) {
  const { io, ending, out, error } = ioOf();
  const code = await runNamed(args, { io, failed: ending.failed, elsewhere: {} });
  return { code, out: out(), error: error() };
}
