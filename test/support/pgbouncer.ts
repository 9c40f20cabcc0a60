import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../lib/rehearsal/engine/servers/free-port.ts';
import { serverUser } from '../../shop/postgres/server.ts';

/** PgBouncer in transaction mode, in front of a server: each transaction may have another session. */
export interface Bouncer extends AsyncDisposable {
  readonly url: string;
}

/** Whether this machine has PgBouncer. */
export function hasPgBouncer(): boolean {
  try {
    execFileSync('pgbouncer', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export async function startPgBouncer(serverUrl: string): Promise<Bouncer> {
  const { hostname, port: serverPort, pathname, username } = new URL(serverUrl);
  const folder = await mkdtemp('/tmp/pawl-pgbouncer-');
  if (serverUser.uid !== undefined) await chown(folder, serverUser.uid, serverUser.gid);
  const port = await freePort();
  const users = join(folder, 'users.txt');
  await writeFile(users, `"${username}" ""\n`);
  const settings = [
    '[databases]',
    `* = host=${hostname} port=${serverPort} user=${username}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    // Fewer sessions than clients: each client meets the sessions of the others.
    'default_pool_size = 5',
    'max_client_conn = 100',
    'ignore_startup_parameters = extra_float_digits',
  ];
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(file, settings.join('\n'));
  const bouncer = spawn('pgbouncer', [file], { ...serverUser, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const kill = () => bouncer.kill('SIGKILL');
  process.once('exit', kill);
  await new Promise<void>((resolve, reject) => {
    let said = '';
    bouncer.stderr.on('data', (text) => {
      said += text;
      if (said.includes('process up')) resolve();
    });
    bouncer.once('exit', (code) => reject(new Error(`PgBouncer ended with ${code}: ${said.slice(-1000)}`)));
  });
  return {
    url: `postgres://${username}@127.0.0.1:${port}${pathname}`,
    async [Symbol.asyncDispose]() {
      const ended = once(bouncer, 'exit');
      kill();
      await ended;
      process.off('exit', kill);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
