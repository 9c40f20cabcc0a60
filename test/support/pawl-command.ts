import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { startIncident } from './incident.ts';

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
  /** The lines of `--json`. */
  readonly lines: () => readonly Record<string, unknown>[];
}

/** The environment of a shell that has nothing of AWS. What Node has compiled, a command does not compile again, and what it synthesizes, CDK does not check. */
export function shell(): Readonly<Record<string, string>> {
  const { PATH = '', NODE_COMPILE_CACHE = '', CDK_VALIDATION = '' } = process.env;
  return { PATH, NODE_COMPILE_CACHE, CDK_VALIDATION, HOME: '/nowhere' };
}

/** Runs `pawl` in a process of its own, as an operator's shell does: with no terminal. */
export async function runPawl(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const main = fileURLToPath(new URL('../../bin/pawl.ts', import.meta.url));
  const child = spawn(process.execPath, [main, ...args], {
    env: { ...shell(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, error] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    error += text;
  });
  const [code] = await once(child, 'close');
  const lines = () =>
    out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  return { code, out, error, lines };
}

/** Where the clients of a command find the incident. */
export function envOf(
  { sqs }: Pick<Awaited<ReturnType<typeof startIncident>>, 'sqs'>,
  dynamoEndpoint: string,
): Readonly<Record<string, string>> {
  return {
    AWS_ENDPOINT_URL_DYNAMODB: dynamoEndpoint,
    AWS_ENDPOINT_URL_SQS: sqs.endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  };
}
