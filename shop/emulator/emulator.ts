import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { rehearsedRegion } from '../../lib/rehearsal/engine/app/template.ts';
import { freePort } from '../../lib/rehearsal/engine/servers/free-port.ts';
import { type RunningProcess, startProcess } from './process.ts';

export interface EmulatorOptions {
  /** The folder of the project whose Node runs the functions. */
  readonly project: string;
  /** The Python that has it. */
  readonly python: string;
  /** Where it may write, and where the functions' code goes. */
  readonly folder: string;
  /** Returns what the functions find in their environment, beside what the stack sets. The emulator will be at `endpoint`. */
  readonly functionEnvironment: (endpoint: string) => Promise<Readonly<Record<string, string>>>;
  /** How many batches of one queue are with its function at once. Each is a process of this machine. @default 2 */
  readonly batchesAtOnce?: number;
  /** Every line that it prints, and every line that a function prints. */
  readonly onLine: (line: string) => void;
}

/** An AWS emulator that runs. */
export interface Emulator {
  readonly endpoint: string;
  /** A file with its certificate. */
  readonly certificate: string;
  /** The environment in which every AWS tool talks to it, and cannot talk to anything else. */
  readonly environment: NodeJS.ProcessEnv;
  /** The actions that were permitted to those who assumed a role, so far. Not those of functions. */
  permittedTo(roleName: string): ReadonlySet<string>;
  /** Kills every process in which a function of this stack runs, whatever it is doing, as a host that dies would. Returns how many. */
  killFunctions(stack: string): number;
  /** Ends it and every function. Calling it again does nothing. */
  stop(): Promise<void>;
}

const startTimeoutMs = 60_000;
const credentials = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' } as const;

/**
 * Starts the emulator on a free port of 127.0.0.1, with TLS, because pawl's queues and the CDK's bucket refuse everything else, and with
 * every permission checked. This process trusts its certificate from then on.
 */
export async function startEmulator(options: EmulatorOptions): Promise<Emulator> {
  // The emulator's own runtime for functions is CommonJS. Without this, Node would take it for what the project's package.json says.
  await writeFile(join(options.folder, 'package.json'), '{"type":"commonjs"}\n');
  const port = await freePort();
  const endpoint = `https://127.0.0.1:${port}`;
  const certificate = join(options.folder, 'ministack-tls', 'server.crt');
  const functionEnvironment = await options.functionEnvironment(endpoint);
  const permitted = new Map<string, Set<string>>();
  const running = startProcess(options.python, [fileURLToPath(new URL('emulator.py', import.meta.url))], {
    env: {
      ...withoutAws(process.env, options.project),
      ...credentials,
      ...functionEnvironment,
      TMPDIR: options.folder,
      GATEWAY_PORT: String(port),
      BIND_HOST: '127.0.0.1',
      MINISTACK_HOST: '127.0.0.1',
      MINISTACK_REGION: rehearsedRegion,
      USE_SSL: '1',
      // For the functions. The emulator leaves a value that is set already.
      NODE_EXTRA_CA_CERTS: certificate,
      AUTH: 'true',
      BATCHES_AT_ONCE: String(options.batchesAtOnce ?? 2),
      PYTHONUNBUFFERED: '1',
    },
    onLine(line) {
      const [word, role = '', action = ''] = line.split(' ');
      if (word === 'PERMITTED') permitted.set(role, (permitted.get(role) ?? new Set()).add(action));
      else options.onLine(line);
    },
  });
  await untilReady(running, endpoint, certificate);

  return {
    endpoint,
    certificate,
    environment: {
      ...withoutAws(process.env, options.project),
      ...credentials,
      AWS_ENDPOINT_URL: endpoint,
      AWS_REGION: rehearsedRegion,
      AWS_DEFAULT_REGION: rehearsedRegion,
      AWS_EC2_METADATA_DISABLED: 'true',
      // The user's own files may hold credentials of a real account.
      AWS_CONFIG_FILE: join(options.folder, 'no-config'),
      AWS_SHARED_CREDENTIALS_FILE: join(options.folder, 'no-credentials'),
      AWS_CA_BUNDLE: certificate,
      NODE_EXTRA_CA_CERTS: certificate,
    },
    permittedTo: (role) => permitted.get(role) ?? new Set(),
    killFunctions: (stack) => killFunctionsOf(running.pid, stack),
    async stop() {
      running.kill();
      await running.ended;
    },
  };
}

async function untilReady(running: RunningProcess, endpoint: string, certificate: string): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  let ended: number | string | undefined;
  void running.ended.then((how) => {
    ended = how;
  });
  let trusted = false;
  while (ended === undefined && Date.now() < deadline) {
    if (!trusted && existsSync(certificate)) {
      const text = await readFile(certificate, 'utf8');
      trusted = text.includes('END CERTIFICATE');
      if (trusted) setDefaultCACertificates([...getCACertificates('default'), text]);
    }
    try {
      const response = await fetch(`${endpoint}/_ministack/health`, { signal: AbortSignal.timeout(5_000) });
      await response.arrayBuffer();
      if (response.ok) return;
    } catch {
      // The emulator does not listen yet.
    }
    await sleep(100);
  }
  running.kill();
  const how = ended === undefined ? `it did not answer within ${startTimeoutMs / 1000} s` : `it ended with ${ended}`;
  throw new Error(`The emulator did not start: ${how}. It said:\n${running.tail()}`);
}

/** Synchronous: the caller is in the middle of an effect, and must not get any further. */
function killFunctionsOf(emulator: number, stack: string): number {
  const processes = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8', maxBuffer: 1e8 });
  const functions = processes
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .filter((match) => Number(match?.[2]) === emulator && match?.[3]?.endsWith('_worker.js') === true)
    // The folder in which it runs has the name of its function, which begins with the name of the stack.
    .filter((match) => match?.[3]?.includes(`ministack-lambda-${stack}-`) === true);
  for (const match of functions) process.kill(Number(match?.[1]), 'SIGKILL');
  return functions.length;
}

/** Nothing of the user's own AWS settings, least of all credentials; and the project's Node first. */
function withoutAws(env: NodeJS.ProcessEnv, project: string): NodeJS.ProcessEnv {
  const foreign = ['AWS_', 'CDK_'];
  const kept = Object.entries(env).filter(([name]) => !foreign.some((prefix) => name.startsWith(prefix)));
  return { ...Object.fromEntries(kept), PATH: `${join(project, 'node_modules', '.bin')}:${env['PATH'] ?? ''}` };
}
