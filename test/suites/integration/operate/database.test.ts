import { describe, expect, inject, it } from 'vitest';
import { nodeHost } from '../../../../lib/pawl/host.ts';
import { lockOperator, resourceLocks } from '../../../../lib/pawl/locks/index.ts';
import { postgresLockStore, postgresMigration, postgresStore } from '../../../../lib/pawl/postgres/index.ts';
import { successor } from '../../../../lib/pawl/rules/successor.ts';
import { findingOf, storeFinding } from '../../../../lib/pawl/statements/finding.ts';
import { findings } from '../../../../lib/pawl/statements/index.ts';
import { runPawl } from '../../../support/pawl-command.ts';
import { createDatabase } from '../../../support/postgres-database.ts';
import { record } from '../../../support/records.ts';

const server = inject('postgresUrl');
const by = ['--by', 'maria', '--note', 'asked the bank'];

describe.skipIf(server === '')('claims in PostgreSQL, by command', () => {
  it('pawl migrate makes a table once, shows before what it would do, and changes none that is there', async () => {
    await using database = await createDatabase(server);
    const { pool, url } = database;
    const migrate = (...args: readonly string[]) =>
      runPawl(['migrate', '--database', url, '--table', 'public.mine', ...args]);
    const planned = await migrate('--dry-run');
    expect([planned.code, planned.out]).toEqual([
      1,
      expect.stringContaining('CREATE TABLE IF NOT EXISTS "public"."mine"'),
    ]);
    expect((await migrate('--yes', '--json')).lines()).toMatchObject([{ kind: 'migration', state: 'made' }]);
    expect(await migrate('--dry-run')).toMatchObject({ code: 0, out: expect.stringMatching(/state +same/) });
    await pool.query('INSERT INTO mine (id, rev, record) VALUES ($1, 1, $2)', ['pay#1', '{}']);
    expect((await migrate('--yes')).code).toBe(0);
    await pool.query("COMMENT ON TABLE mine IS 'ours'");
    const other = await migrate('--yes');
    expect([other.code, other.error]).toEqual([1, expect.stringContaining('is left as it is')]);
    expect((await pool.query('SELECT id FROM mine')).rows).toEqual([{ id: 'pay#1' }]);
  });

  it('pawl migrate without a word, and a database that is none, change nothing and print no password', async () => {
    await using database = await createDatabase(server);
    const { code, error } = await runPawl(['migrate', '--database', database.url, '--table', 'asked']);
    expect([code, error]).toEqual([2, expect.stringContaining('Say --yes')]);
    const { rows } = await database.pool.query("SELECT to_regclass('asked') AS found");
    expect(rows).toEqual([{ found: null }]);
    for (const none of [
      'host=db password=secret',
      'postgres://operator:secret@db:port/shop',
      'postgres://u:secret@[::/x',
    ]) {
      const odd = await runPawl(['claims', '--database', none]);
      expect([odd.code, odd.error]).toEqual([2, expect.stringContaining('expected a URL such as postgres://')]);
      expect(odd.error).not.toContain('secret');
    }
  });

  it('claims, locks and findings are listed, shown and settled where they are', async () => {
    await using database = await createDatabase(server);
    const { pool, url } = database;
    const store = postgresStore({ pool });
    const parked = record({ id: 'pay#1', status: 'parked', error: { name: 'abandoned', message: 'its worker died' } });
    await store.write({ next: successor(undefined, parked, false), seen: undefined });
    const locks = resourceLocks({ store: postgresLockStore({ pool }), onEvent: () => undefined });
    const lock = await locks.lockAll([['debt', 7]], { holder: 'repay-1', reason: 'repayment' });
    await lock.keep();
    await storeFinding(
      store,
      findingOf({ kind: 'missing-there', operation: 'pay', foundAt: Date.now(), claimId: 'pay#1' }, ['1'], nodeHost),
    );
    const ids: string[] = [];
    for await (const { id } of findings({ store }).list({ operation: 'pay' })) ids.push(id);
    const run = (...args: readonly string[]) => runPawl([...args, '--database', url]);

    expect(await run('claims')).toMatchObject({ code: 1, out: expect.stringContaining('pay#1') });
    expect(await run('claim', 'pay#1')).toMatchObject({ code: 1, out: expect.stringContaining('parked') });
    expect(await run('resolve', 'pay#1', 'applied', '--yes', ...by)).toMatchObject({ code: 0 });
    expect(await store.read('pay#1')).toMatchObject({ status: 'completed', resolution: { by: 'maria' } });
    expect(await run('locks')).toMatchObject({ code: 1, out: expect.stringContaining('repay-1') });
    expect(await run('lock', 'debt', '7', '--work', 'repay')).toMatchObject({
      code: 2,
      error: expect.stringContaining('kept in DynamoDB'),
    });
    expect(await run('unlock', lock.id, '--yes', ...by)).toMatchObject({ code: 0 });
    expect(await lockOperator({ store: postgresLockStore({ pool }) }).read(lock.id)).toMatchObject({ status: 'ended' });
    expect(await run('findings', 'accept', ...ids, '--yes', ...by)).toMatchObject({ code: 0 });
    expect(await run('observed', 'pay')).toMatchObject({
      code: 1,
      out: expect.stringContaining('Nothing was observed'),
    });
  });

  it('the migration is known by its checksum', () => {
    expect(postgresMigration({ table: 'a' }).checksum).not.toBe(postgresMigration({ table: 'b' }).checksum);
  });
});
