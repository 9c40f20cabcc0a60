import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { esbuildOptions } from '../../checks/esbuild-options.ts';
import { createCpuQuota } from '../cost/money/cpu-quota.ts';
import { startingWith } from '../cost/sizes.ts';

/**
 * How long it takes from the start of a process until its first claim is sent.
 *
 * Owns: the processes, and when the request arrives. Does not own: what is in a bundle (`functions/`), and what may follow from it.
 * It cannot tell what Lambda itself adds, nor what TLS does: the server is on this machine.
 */

const functions = { bare: 'bare', pawl: 'pawl', pawlLean: 'pawl-lean', powertools: 'powertools' } as const;
export type StartName = keyof typeof functions;

/** One start: until the first request arrives. CPU is that of all threads of the process. */
export interface Start {
  readonly wallMs: number;
  readonly cpuMs: number;
  /** Of these, since the first message was handed over: what is over by then, Lambda has counted as initialisation. */
  readonly calledMs: number;
  readonly calledCpuMs: number;
}

export type Starts = Readonly<Record<StartName, readonly Start[]>>;

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The process of a function: its own initialisation; and when it has said that it is ready, the first message. */
const child = `
const { read, writeSync } = await import('node:fs');
const { handler } = await import(process.argv[1]);
writeSync(1, '.');
await new Promise((resolve) => read(0, Buffer.alloc(1), 0, 1, null, resolve));
const record = {
  messageId: 'message-1',
  receiptHandle: 'receipt-1',
  body: JSON.stringify({ orderId: 'order-1' }),
  attributes: { ApproximateReceiveCount: '1', SentTimestamp: String(Date.now()) },
  messageAttributes: {},
  eventSource: 'aws:sqs',
  eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:orders',
  awsRegion: 'us-east-1',
};
await handler({ Records: [record] }, { getRemainingTimeInMillis: () => 30_000 });
`;

/**
 * Starts each function in fresh processes, in turns.
 *
 * @param share of a CPU that a process has
 * @throws Error where a share below 1 cannot be had, or a function sends nothing
 */
export async function measureStarts(
  rounds: number,
  share: number,
  onRound: (said: string) => void = () => undefined,
): Promise<Starts> {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-start-'));
  using quota = createCpuQuota();
  if (quota === undefined && share < 1) throw new Error('a share of a CPU needs cgroup v1, as root');
  await using server = await listening();
  try {
    const starts: Record<StartName, Start[]> = { bare: [], pawl: [], pawlLean: [], powertools: [] };
    const names = Object.keys(functions) as StartName[];
    for (const name of names) {
      const entry = `bench/start/functions/${functions[name]}.ts`;
      await build({
        ...esbuildOptions(entry),
        absWorkingDir: root,
        outfile: join(folder, `${name}.mjs`),
        logLevel: 'error',
      });
    }
    for (let round = 0; round < rounds; round++) {
      onRound(`starts with ${share} of a CPU: round ${round + 1} of ${rounds}`);
      for (const name of startingWith(round, names)) {
        starts[name].push(await start(join(folder, `${name}.mjs`), server, (pid) => quota?.set(pid, share)));
      }
    }
    return starts;
  } finally {
    await rm(folder, { recursive: true });
  }
}

type Server = Awaited<ReturnType<typeof listening>>;

async function start(bundle: string, server: Server, limit: (pid: number) => void): Promise<Start> {
  const env = {
    // Nothing of ours: a compile cache or a flag in the environment would make it less cold.
    PATH: process.env['PATH'],
    CLAIMS_TABLE: 'claims',
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'started',
    AWS_SECRET_ACCESS_KEY: 'started',
    AWS_LAMBDA_FUNCTION_NAME: 'mail',
    AWS_ENDPOINT_URL_DYNAMODB: server.url,
  };
  const begun = performance.now();
  const started = spawn(process.execPath, ['--input-type=module', '--eval', child, bundle], {
    env,
    cwd: dirname(bundle),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  if (started.pid !== undefined) limit(started.pid);
  const ended = once(started, 'exit');
  const ready = once(started.stdout, 'data').then(() => {
    const called = { at: performance.now(), cpuMs: cpuMsOf(started.pid) };
    started.stdin.write('.');
    return called;
  });
  const first = server.nextRequest().then(async (at) => {
    const cpuMs = cpuMsOf(started.pid);
    const called = await ready;
    return { wallMs: at - begun, cpuMs, calledMs: at - called.at, calledCpuMs: cpuMs - called.cpuMs };
  });
  const found = await Promise.race([first, ended.then(() => undefined)]);
  started.kill('SIGKILL');
  await ended;
  if (found === undefined) throw new Error(`${bundle} sent nothing`);
  return found;
}

/** What all threads of a process have used, in milliseconds. It waits for a response, so it is alive. */
function cpuMsOf(pid: number | undefined): number {
  const tasks = `/proc/${pid}/task`;
  const used = readdirSync(tasks).map((task) =>
    Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]),
  );
  return used.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e6;
}

/** A stand-in for DynamoDB that never responds: the first request is all that is waited for. */
async function listening() {
  let arrived: ((at: number) => void) | undefined;
  const server = createServer(() => {
    arrived?.(performance.now());
    arrived = undefined;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    nextRequest: () =>
      new Promise<number>((resolve) => {
        arrived = resolve;
      }),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
