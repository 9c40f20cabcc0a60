#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { explained } from '../kernel/error-code.ts';
import { nearestOf } from '../kernel/unknown-option.ts';
import { type Command, helpOf, type Io, Line, UsageError } from './command.ts';
import { COMMANDS } from './commands.ts';
import { completion } from './completion.ts';
import { peersOf } from './peers.ts';

const OTHERS = [
  ['doctor', 'checks what is deployed against the wiring rules'],
  ['template', 'prints a consumer for SAM, Terraform, the Serverless Framework or CloudFormation'],
  ['completion', 'prints a completion for bash or zsh'],
] as const;

const WIDTH = 14;
const HELP = `Usage: pawl <command>

${[...COMMANDS.map(({ name, summary }) => [name, summary] as const), ...OTHERS].map(([name, summary]) => `  ${name.padEnd(WIDTH)}${summary}`).join('\n')}

See: pawl <command> --help, pawl --version`;

const io: Io = { out: process.stdout, error: process.stderr, input: process.stdin };

function noCommand(name: string): string {
  const commands = [...COMMANDS.map((command) => command.name), ...OTHERS.map(([command]) => command)];
  const nearest = nearestOf(name, commands);
  return explained(`There is no command '${name}'.${nearest ? ` Did you mean '${nearest}'?` : ''}`, 'command-line');
}

/** Runs the command line to its end. @returns the exit code */
async function main([name, ...args]: readonly string[]): Promise<number> {
  const command = COMMANDS.find((one) => one.name === name);
  if (command !== undefined) return run(command, args);
  switch (name) {
    case 'doctor':
      return (await import('./doctor.ts')).doctor(args);
    case 'template':
      return (await import('./template.ts')).template(args, io);
    case 'completion':
      return completion(args, io);
    case '--version':
      io.out.write(`${versionOf(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))}\n`);
      return 0;
    case undefined:
    case '--help':
    case '-h':
      io.out.write(`${HELP}\n`);
      return 0;
    default:
      io.error.write(`${noCommand(name)}\n${HELP}\n`);
      return 2;
  }
}

async function run(command: Command, args: readonly string[]): Promise<number> {
  try {
    const line = new Line(args, command.options);
    if (line.flag('help')) {
      io.out.write(`${helpOf(command)}\n`);
      return 0;
    }
    return await command.run(line, io);
  } catch (error) {
    if (isMissingModule(error)) throw error;
    const text = error instanceof Error ? error.message : String(error);
    const isUsage = error instanceof UsageError;
    io.error.write(`${isUsage || !(error instanceof Error) ? text : `${error.name}: ${text}`}\n`);
    if (isUsage) io.error.write(`See: pawl ${command.name} --help\n`);
    return 2;
  }
}

function versionOf(packageJson: string): string {
  const { version }: { readonly version: string } = JSON.parse(packageJson);
  return version;
}

function isMissingModule(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!isMissingModule(error)) throw error;
  process.stderr.write(
    `${error.message}\npawl ${process.argv[2]} needs: npm install --save-dev ${peersOf(process.argv[2]).join(' ')}\n`,
  );
  process.exitCode = 2;
}
