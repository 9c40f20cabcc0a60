#!/usr/bin/env node
import { explained } from '../kernel/error-code.ts';
import { nearestOf } from '../kernel/unknown-option.ts';

const HELP = `Usage: pawl <command>

  doctor <stack or function>   checks what is deployed against the wiring rules

See: pawl doctor --help`;

const NEEDED = ['cloudformation', 'dynamodb', 'iam', 'lambda', 'sqs'].map((name) => `@aws-sdk/client-${name}`);

function noCommand(name: string): string {
  const commands = Array.from(HELP.matchAll(/^ {2}([a-z]+) /gm), ([, command = '']) => command);
  const nearest = nearestOf(name, commands);
  return explained(`There is no command '${name}'.${nearest ? ` Did you mean '${nearest}'?` : ''}`, 'command-line');
}

/** Runs the command line to its end. @returns the exit code */
async function main([command, ...args]: readonly string[]): Promise<number> {
  if (command === 'doctor') {
    try {
      const { doctor } = await import('./doctor.ts');
      return await doctor(args);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error;
      // The clients are optional peers: a project that only wraps handlers needs few of them.
      process.stderr.write(`${error.message}\npawl doctor needs: npm install --save-dev ${NEEDED.join(' ')}\n`);
      return 2;
    }
  }
  const asked = command === undefined || command === '--help' || command === '-h';
  (asked ? process.stdout : process.stderr).write(`${asked ? '' : `${noCommand(command)}\n`}${HELP}\n`);
  return asked ? 0 : 2;
}

process.exitCode = await main(process.argv.slice(2));
