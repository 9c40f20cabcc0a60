import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Pool } from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { checkPostgres } from '../../../lib/pawl/postgres/index.ts';
import { debianPrograms, serverUser, startPostgres } from '../../../shop/postgres/server.ts';
import { exampleOf } from '../../docs/run-example.ts';
import { eventually } from '../../support/eventually.ts';
import { createDatabase } from '../../support/postgres-database.ts';

const server = inject('postgresUrl');

/** What is found by a pool of one connection with these settings. */
async function found(connectionString: string, settings: Record<string, string> = {}, table?: string) {
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  const pool = new Pool({ connectionString, max: 1, options: options.join(' ') });
  try {
    const findings = await checkPostgres({ pool, ...(table === undefined ? {} : { table }) });
    return findings.map(({ level, text }) => `${level}: ${text}`);
  } finally {
    await pool.end();
  }
}

describe.skipIf(server === '')('a database is checked', () => {
  it('and nothing is wrong with one of the migration', async () => {
    await using database = await createDatabase(server);
    expect(await found(database.url)).toEqual([]);
  });

  it('as the guide prints it', async () => {
    await using database = await createDatabase(server);
    await database.pool.query('DROP TABLE pawl_claims');
    const said: string[] = [];
    const process: { exitCode?: number; env: object } = { env: {} };
    const run = await exampleOf('docs/guides/postgres.md', 'checkPostgres');
    function PoolHere() {
      return database.pool;
    }
    await run({ Pool: PoolHere, process, console: { log: (text: string) => said.push(text) } });
    expect(said).toEqual(["problem: the table 'pawl_claims' is not there. Apply the migration of pawl/postgres"]);
    expect(process.exitCode).toBe(1);
  });

  it('for its table, its role and its settings', async () => {
    await using database = await createDatabase(server);
    const role = `reads_${Date.now()}`;
    await database.pool.query(`CREATE ROLE ${role}; GRANT SELECT ON pawl_claims TO ${role}`);
    await database.pool.query(`COMMENT ON TABLE pawl_claims IS 'ours'`);
    expect(await found(database.url, {}, 'app.claims')).toEqual([
      expect.stringMatching(/^problem: .*'app.claims' is not/),
    ]);
    expect(await found(database.url, { role, synchronous_commit: 'off' })).toEqual([
      expect.stringMatching(/^problem: synchronous_commit is off/),
      expect.stringMatching(/^warning: .* another checksum/),
      expect.stringMatching(/^problem: the role may not INSERT, UPDATE/),
    ]);
  });

  // npm's has no program that replicates.
  const [[, programs] = ['', '']] = debianPrograms();
  it.skipIf(programs === '')(
    'for a standby that is asynchronous, unless it is named as a synchronous one',
    async () => {
      await using own = await startPostgres(programs, ['fsync=off']);
      await using database = await createDatabase(own.url);
      const folder = await mkdtemp('/tmp/pawl-standby-');
      if (serverUser.uid !== undefined) await chown(folder, serverUser.uid, serverUser.gid);
      const flags = ['-D', folder, '-d', own.url, '--synchronous'];
      const standby = spawn(join(programs, 'pg_receivewal'), flags, {
        ...serverUser,
        cwd: folder,
        stdio: 'ignore',
      });
      const ended = once(standby, 'exit');
      const unsafe = expect.stringMatching(/^problem: fsync is off/);
      try {
        await eventually('the standby is there', async () => {
          expect(await found(database.url)).toEqual([
            unsafe,
            expect.stringMatching(/^warning: every standby replicates/),
          ]);
        });
        await database.pool.query(`CREATE ROLE plain; GRANT ALL ON pawl_claims TO plain`);
        expect(await found(database.url, { role: 'plain' })).toEqual([
          unsafe,
          expect.stringMatching(/^unknown: .*pg_monitor/),
        ]);
        await database.pool.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
        await database.pool.query('SELECT pg_reload_conf()');
        await eventually('it is synchronous', async () => expect(await found(database.url)).toEqual([unsafe]));
      } finally {
        standby.kill();
        await ended;
        await rm(folder, { recursive: true, force: true });
      }
    },
  );
});
