import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { type ClaimEvent, hashed, once } from '../../../../lib/pawl/index.ts';
import { dynamoStore, sdk } from '../../../../lib/pawl/stores/dynamodb/index.ts';
import { runCommand } from '../../../support/in-process.ts';
import { claimsTable, localClient } from '../../../support/tables.ts';

const client = localClient(inject('dynamoEndpoint'));
let tableName: string;
beforeAll(async () => {
  tableName = await claimsTable(client);
  const env = {
    ...{ AWS_ENDPOINT_URL_DYNAMODB: inject('dynamoEndpoint'), AWS_REGION: 'us-east-1' },
    ...{ AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local', KEY_SECRET: secret },
  };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
});
afterAll(() => {
  vi.unstubAllEnvs();
  client.destroy();
});

const customer = { email: 'ada@example.com', iban: 'DE02120300000000202051' };
const secrets = [customer.email, customer.iban, 're_ada'];
const secret = 'a secret of the customers';
const acted = ['--by', 'maria', '--note', 'request 4711'];

/** All that the table and its index have, as text. */
async function bytes(): Promise<string> {
  const [items, entries] = await Promise.all([
    client.send(new ScanCommand({ TableName: tableName, ConsistentRead: true })),
    client.send(new ScanCommand({ TableName: tableName, IndexName: 'open' })),
  ]);
  return JSON.stringify([items.Items, entries.Items]);
}

it('leaves no byte of key, result or attribute in table, index or event where keys are hashed, and the effect does not repeat', async () => {
  const events: ClaimEvent[] = [];
  let refunds = 0;
  const refund = once(
    {
      ...{ operation: 'refund', onAbandoned: 'park', statements: true },
      store: dynamoStore({ tableName, aws: sdk({ dynamodb: client }) }),
      key: ({ email }: typeof customer) => email,
      hideKeys: hashed(secret),
      attributes: ({ iban }) => ({ iban }),
      onEvent: (event) => events.push(event),
    },
    async () => ({ id: `re_ada${++refunds}` }),
  );
  await refund(customer);
  // Or nothing was there to be erased: the index has it as well, because it waits for a statement.
  const before = await bytes();
  expect(secrets.filter((text) => before.includes(text))).toEqual(secrets.slice(1));
  expect(before.split(customer.iban)).toHaveLength(3);

  const of = ['refund', customer.email, '--key-secret', 'KEY_SECRET', ...acted, '--table', tableName];
  const dry = await runCommand(['forget', ...of, '--dry-run']);
  expect(dry).toMatchObject({ code: 0, out: expect.stringContaining('1 claim would be forgotten, 0 would stay.') });
  await expect(runCommand(['forget', ...of])).rejects.toThrow('Nothing was changed');
  const done = await runCommand(['forget', ...of, '--yes']);
  expect(done).toMatchObject({ code: 0, out: expect.stringContaining('1 claim forgotten, 0 not.') });
  expect(done.out).toMatch(/Not reached: .*dead letters.*logs.*backups/);

  const all = [await bytes(), JSON.stringify(events), done.out, done.error];
  expect(all.flatMap((text) => secrets.filter((secret) => text.includes(secret)))).toEqual([]);
  expect(await refund.outcome(customer)).toMatchObject({ outcome: 'completed', replayed: true, recorded: false });
  expect(refunds).toBe(1);
});

it('asks for the secret by the name of a variable, and says if that is not set', async () => {
  const of = ['refund', customer.email, ...acted, '--table', tableName, '--yes'];
  await expect(runCommand(['forget', ...of, '--key-secret', 'NO_SECRET'])).rejects.toThrow(
    '--key-secret: expected the name of an environment variable; NO_SECRET is not set.',
  );
  expect(await runCommand(['forget', ...of])).toMatchObject({ code: 1 });
});

it('refuses a claim that may still run, with a sentence', async () => {
  const refund = once(
    {
      ...{ operation: 'pay', onAbandoned: 'park', onEvent: () => undefined },
      store: dynamoStore({ tableName, aws: sdk({ dynamodb: client }) }),
      key: (text: string) => text,
    },
    async () => {
      throw new Error('no response');
    },
  );
  await refund('order-1').catch(() => undefined);
  const refused = await runCommand(['forget', 'pay', 'order-1', ...acted, '--table', tableName, '--yes']);
  expect(refused).toMatchObject({ code: 1, out: expect.stringContaining('may still run: resolve it first') });
  const none = await runCommand(['forget', 'pay', 'order-2', ...acted, '--table', tableName, '--yes']);
  expect(none).toMatchObject({ code: 1, out: expect.stringContaining('nothing is known of this key') });
});
