import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { dynamoLockStore, forEachItem, resourceLocks } from '../../../../lib/pawl/locks/index.ts';
import { dynamoStore, sdk } from '../../../../lib/pawl/stores/dynamodb/index.ts';
import { atOneInstant, runCommand } from '../../../support/in-process.ts';
import { claimsTable, localClient } from '../../../support/tables.ts';

const client = localClient(inject('dynamoEndpoint'));
const onEvent = () => undefined;
let tableName: string;
let table: readonly string[];
let store: ReturnType<typeof dynamoLockStore>;
let locks: ReturnType<typeof resourceLocks>;
beforeAll(async () => {
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', inject('dynamoEndpoint'));
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  tableName = await claimsTable(client);
  table = ['--table', tableName];
  store = dynamoLockStore(dynamoStore({ tableName, aws: sdk({ dynamodb: client }) }));
  locks = resourceLocks({ store, onEvent });
});
afterAll(() => {
  vi.unstubAllEnvs();
  client.destroy();
});

const pawl = (...args: readonly string[]) => runCommand([...args, ...table]);
const acted = ['--by', 'maria', '--note', 'the payment was cancelled'];

/** A repayment of three debts, whose worker stopped after the first. */
async function halfDone(customer: string) {
  const debts = ['d-1', 'd-2', 'd-3'];
  const lock = await locks.lockAll([['customer', customer], ...debts], { holder: customer, reason: 'repayment' });
  const stop = new AbortController();
  const writesFor = (some: readonly string[]) => {
    if (some.includes('d-2')) stop.abort(new Error('its time was over'));
    return some.map((debt) => ({
      Update: {
        TableName: tableName,
        Key: { id: `${customer}/${debt}` },
        UpdateExpression: 'SET repaid = :true',
        ExpressionAttributeValues: { ':true': true },
      },
    }));
  };
  const options = { id: customer, work: 'repay', fence: store.stillHeld(lock), store, signal: stop.signal, onEvent };
  await expect(forEachItem(debts, { ...options, chunk: 1, concurrency: 1 }, writesFor)).rejects.toThrow();
  await lock.keep();
  return lock.id.replace('#lock#', '');
}

it('an interrupted work is seen, decided, and free for the next request', async () => {
  const id = await halfDone('c-17');

  const listed = await pawl('locks');
  expect(listed).toMatchObject({ code: 1 });
  expect(listed.out).toContain(id);
  expect(listed.out).toContain('customer/c-17, d-1, d-2, d-3');
  expect(listed.out).toMatch(/1 lock, 1 without a worker\.\n$/);

  const [one, byId] = await atOneInstant(async () => [
    await pawl('lock', 'customer', 'c-17', '--work', 'repay'),
    await pawl('lock', id, '--work', 'repay'),
  ]);
  expect(one.code).toBe(1);
  expect(one.out).toMatch(/status +kept\nholder +c-17\nreason +repayment\n/);
  expect(one.out).toMatch(/work +\d of 3 done, \d left\n/);
  expect(one.out).toContain('To go on: let the request of its holder come again');
  expect(byId.out).toBe(one.out);

  const planned = await pawl('unlock', id, ...acted, '--dry-run');
  expect(planned).toMatchObject({ code: 0 });
  expect(await locks.read(['d-1'])).toMatchObject([{ holder: 'c-17', status: 'kept' }]);
  // Without a terminal, and without --yes, nobody has agreed.
  await expect(pawl('unlock', id, ...acted)).rejects.toThrow('--yes');

  expect(await pawl('unlock', id, ...acted, '--yes')).toMatchObject({ code: 0 });
  expect((await pawl('lock', id)).out).toMatch(/released +by maria at .*: the payment was cancelled\n/);
  expect(await locks.read(['d-1'])).toEqual([]);
  expect(await pawl('locks')).toMatchObject({ code: 0, out: 'No lock is listed.\n' });
});

it('a lock whose worker may be alive stays, and the command says why', async () => {
  const lock = await locks.lockAll([['customer', 'c-18']], { holder: 'c-18' });
  await new Promise((resolve) => setTimeout(resolve, 2));
  await lock.renew();
  expect((await pawl('locks', '--json')).lines()).toMatchObject([
    { kind: 'lock', id: lock.id, status: 'held', mayBeAlive: true, holder: 'c-18' },
    { kind: 'summary', locks: 1, waiting: 0 },
  ]);
  const refused = await pawl('unlock', lock.id, ...acted, '--yes');
  expect(refused.code).toBe(1);
  expect(refused.out + refused.error).toContain('its worker may be alive');
  expect(await lock.unlock()).toBe('unlocked');
});

it('an unknown lock is said, and ends with 1', async () => {
  expect(await pawl('lock', 'nothing')).toMatchObject({
    code: 1,
    error: expect.stringContaining('has no lock nothing'),
  });
  expect((await pawl('unlock', 'nothing', ...acted, '--yes')).code).toBe(1);
});
