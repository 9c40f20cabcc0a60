import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect } from 'vitest';
import { shell } from '../pawl-command.ts';
import { startGate } from './gate.ts';
import type { Row } from './rows.ts';
import type { World } from './world.ts';

/** How a command ends before its end. */
export const faults = [
  'closed',
  'SIGINT',
  'SIGTERM',
  'SIGHUP',
  'SIGINT twice',
  'killed before',
  'killed after',
  'throttled once',
  'starved',
] as const;

export type Fault = (typeof faults)[number];

/** The exit codes of the guide. */
const codes: Partial<Record<Fault, number>> = {
  closed: 141,
  SIGINT: 130,
  SIGTERM: 143,
  SIGHUP: 129,
  'SIGINT twice': 130,
};

interface EndedRun {
  readonly code: number | null;
  readonly error: string;
  readonly requests: readonly string[];
  /** Whether the fault happened. Writes share requests as time has it, so a run may have one request less than the run before. */
  readonly isStruck: boolean;
}

let bundle: Promise<string> | undefined;

/** The commands in few files: one that is started hundreds of times would spend half of its time on finding those of the SDK. */
async function bundled(): Promise<string> {
  const outdir = mkdtempSync(join(tmpdir(), 'pawl-cli-'));
  await build({
    entryPoints: [fileURLToPath(new URL('../../../lib/cli/main.ts', import.meta.url))],
    ...{ outdir, outExtension: { '.js': '.mjs' }, logLevel: 'error' },
    ...{ bundle: true, splitting: true, platform: 'node', format: 'esm', conditions: ['@pawl/source'] },
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
  });
  return join(outdir, 'main.mjs');
}

/** Runs a command in a process of its own; at its request number `at`, the fault happens. */
export async function runEnded(
  args: readonly string[],
  endpoints: { readonly dynamo: string; readonly sqs: string },
  fault?: { readonly kind: Fault; readonly at: number },
): Promise<EndedRun> {
  bundle ??= bundled();
  const main = await bundle;
  const isAt = (index: number) => fault !== undefined && index === fault.at;
  const gate = await startGate(endpoints, {
    async before(index) {
      if (fault?.kind === 'starved' && index >= fault.at) return 'refuse';
      if (!isAt(index)) return 'pass';
      switch (fault?.kind) {
        case 'closed':
          child.stdout.destroy();
          break;
        case 'SIGINT':
        case 'SIGTERM':
        case 'SIGHUP':
          await signal(fault.kind, 1);
          break;
        case 'SIGINT twice':
          await signal('SIGINT', 1);
          await signal('SIGINT', 2);
          break;
        case 'killed before':
          child.kill('SIGKILL');
          await ended;
          return 'refuse';
        case 'throttled once':
          return 'refuse';
      }
      return 'pass';
    },
    async after(index) {
      if (!isAt(index) || fault?.kind !== 'killed after') return;
      child.kill('SIGKILL');
      await ended;
    },
  });
  const child = spawn(process.execPath, [main, ...args], {
    env: {
      ...shell(),
      AWS_ENDPOINT_URL_DYNAMODB: gate.endpoint,
      AWS_ENDPOINT_URL_SQS: gate.endpoint,
      AWS_ENDPOINT_URL_STS: gate.endpoint,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_MAX_ATTEMPTS: '2',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  let error = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    error += text;
  });
  child.stdout.resume();

  /** The request waits until the command has said that it heard, or has ended. */
  async function signal(name: NodeJS.Signals, times: number): Promise<void> {
    child.kill(name);
    const heard = () => (error.match(/^(Stopp|Ended)/gm) ?? []).length >= times;
    while (!heard() && child.exitCode === null && child.signalCode === null) {
      await Promise.race([once(child.stderr, 'data'), ended]);
    }
  }

  const [code] = await ended;
  await gate.stop();
  return { code, error, requests: gate.requests, isStruck: fault !== undefined && gate.requests.length > fault.at };
}

/** Ends a command at one of its requests, and holds it to what it promises; then runs it again, to its end. */
export async function expectEndedWell(
  row: Row,
  world: World,
  endpoints: { readonly dynamo: string; readonly sqs: string },
  { kind, at }: { readonly kind: Fault; readonly at: number },
): Promise<void> {
  await row.prepare(world);
  const { code, error, isStruck } = await runEnded(row.args(world), endpoints, { kind, at });
  const done = await row.done(world);
  if (!isStruck) {
    expect([code, done], error).toEqual([row.code, row.acts]);
    return;
  }
  const isKilled = kind.startsWith('killed');
  if (!isKilled) expect(error).not.toContain('    at ');
  switch (kind) {
    case 'throttled once':
      expect([code, done], error).toEqual([row.code, row.acts]);
      break;
    case 'starved':
      expect([1, 2], error).toContain(code);
      break;
    case 'closed':
    case 'SIGINT':
    case 'SIGTERM':
    case 'SIGHUP': {
      expect(code, error).toBe(codes[kind]);
      expect(await world.hidden(), error).toBe(0);
      const [found, count] = row.said.exec(error) ?? [];
      expect(found, error).toBeDefined();
      if (row.acts > 1) expect(Number(count ?? 0), error).toBe(done);
      break;
    }
    case 'SIGINT twice':
      expect([code, error]).toEqual([130, expect.stringMatching(row.said)]);
      break;
  }
  // What a killed process hides is visible again when its time is over.
  if (isKilled || kind === 'starved' || kind === 'SIGINT twice') {
    await world.reveal();
    await row.over?.(world);
  }
  expect(await world.hidden()).toBe(0);
  if (done === row.acts && row.acts > 0) return;
  await runEnded(row.args(world), endpoints);
  expect(await row.done(world)).toBe(row.acts);
}
