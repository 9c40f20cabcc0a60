import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { killGroupWithUs } from '../../lib/rehearsal/engine/children.ts';

export interface ProcessOptions {
  /** The folder in which it runs. @default this process's own */
  readonly cwd?: string;
  readonly env: NodeJS.ProcessEnv;
  /** Every line that it prints, on either stream. */
  readonly onLine?: (line: string) => void;
}

/** A program that runs, with all that it starts. */
export interface RunningProcess {
  readonly pid: number;
  /** Resolves with the exit code, or the name of the signal. */
  readonly ended: Promise<number | string>;
  /** The last lines that it printed, to be shown if it fails. */
  tail(): string;
  /** Kills it and all that it started. Calling it again does nothing. */
  kill(): void;
}

const tailLines = 40;

/** Starts a program in a group of its own, which does not outlive us. */
export function startProcess(command: string, args: readonly string[], options: ProcessOptions): RunningProcess {
  const child = spawn(command, [...args], {
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: options.env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = killGroupWithUs(child);
  const last: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      last.push(line);
      if (last.length > tailLines) last.shift();
      options.onLine?.(line);
    });
  }
  const ended = new Promise<number | string>((resolve) => {
    child.once('error', (error) => {
      last.push(error.message);
      resolve(`could not be started: ${error.message}`);
    });
    // Not `exit`: what it printed last may still be on its way.
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  });
  return { pid: child.pid ?? 0, ended, tail: () => last.join('\n'), kill };
}

/** Runs a program to its end, and returns its exit code. @throws Error with what it printed last, if it fails or takes too long */
export async function run(
  command: string,
  args: readonly string[],
  options: ProcessOptions & {
    /** What it is called in an error. */
    readonly name: string;
    readonly timeoutMs: number;
    /** The exit codes that are no failure. @default [0] */
    readonly expected?: readonly number[];
  },
): Promise<number> {
  const running = startProcess(command, args, options);
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    running.kill();
  }, options.timeoutMs);
  const end = await running.ended;
  clearTimeout(timer);
  const expected = options.expected ?? [0];
  if (!late && typeof end === 'number' && expected.includes(end)) return end;
  const how = late ? `took longer than ${options.timeoutMs / 1000} s` : `ended with ${end}`;
  throw new Error(`${options.name} ${how}. It said:\n${running.tail()}`);
}
