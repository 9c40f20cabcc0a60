import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { startDynamoDbLocal } from '../../../lib/rehearsal/dynamodb-local.ts';
import { PROJECT } from '../../../shop/app/project.ts';
import { claimsTable } from '../../../test/support/tables.ts';
import { virtualHost } from '../../../test/support/virtual-host.ts';
import { libraryOf } from './library-of.ts';

/*
 * node proof/campaign/versions/write-fixtures.ts [--from <commit>]: lets the library of a commit write one record of each kind, and
 * keeps them, as DynamoDB has them, in test/fixtures/records-v1. Run once; the records are in the repository.
 */

const { values } = parseArgs({ options: { from: { type: 'string', default: '41b56fa' } } });

/** Its types were those of this version's names. */
type Library = typeof import('../../../lib/index.ts') & typeof import('../../../lib/stores/dynamodb/index.ts');

await using server = await startDynamoDbLocal();
const client = new DynamoDBClient({
  endpoint: server.endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});
const pawl = await libraryOf<Library>(values.from, ['lib/index.ts', 'lib/stores/dynamodb/index.ts']);
const tableName = await claimsTable(client);
const store = pawl.dynamoStore({ tableName, client });
const host = virtualHost();
const common = { operation: 'charge', store, host, key: ({ id }: { readonly id: string }) => id };
const call = { remainingMs: () => 30_000 };
const never = new Promise<never>(() => undefined);
/** A handler, or a step, in which the worker dies. */
const dying = (underWay: () => void) => () => {
  underWay();
  return never;
};
const settled = (promise: Promise<unknown>) => promise.catch(() => undefined);

/** Starts a handler that never ends, as in a worker that dies, and waits until it is under way. */
async function die(start: (underWay: () => void) => unknown): Promise<void> {
  await new Promise<void>((underWay) => void start(underWay));
}

const write: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
  'in-flight': (id) => die((underWay) => pawl.once({ ...common, onAbandoned: 'retry' }, dying(underWay))({ id }, call)),
  'in-flight-with-attributes': (id) =>
    die((underWay) => {
      const facts = { attributes: () => ({ amount: 700, account: 'ada' }), fingerprint: () => '{"amount":700}' };
      return pawl.once({ ...common, ...facts, onAbandoned: 'retry' }, dying(underWay))({ id }, call);
    }),
  released: (id) => {
    const busy = () => Promise.reject(new pawl.RetryableError('the provider is busy'));
    return settled(pawl.once({ ...common, onAbandoned: 'retry' }, busy)({ id }, call));
  },
  'released-in-doubt': (id) => {
    const fails = () => Promise.reject(new Error('the provider answered 500'));
    return settled(pawl.once({ ...common, onAbandoned: 'retry' }, fails)({ id }, call));
  },
  completed: (id) =>
    pawl.once({ ...common, onAbandoned: 'retry' }, () => ({ charge: 'ch_1', amount: 700 }))({ id }, call),
  'completed-without-result': (id) =>
    pawl.once({ ...common, onAbandoned: 'retry', recordResult: false }, () => 'kept by nobody')({ id }, call),
  'completed-for-ever': (id) =>
    pawl.once({ ...common, onAbandoned: 'retry', retentionSeconds: 'forever' }, () => 'ch_1')({ id }, call),
  rejected: (id) => {
    const declines = () => Promise.reject(new pawl.RejectedError('the card was declined'));
    return settled(pawl.once({ ...common, onAbandoned: 'retry' }, declines)({ id }, call));
  },
  parked: (id) => {
    const fails = () => Promise.reject(new Error('the provider answered 500'));
    return settled(pawl.once({ ...common, onAbandoned: 'park' }, fails)({ id }, call));
  },
  'parked-and-resolved': async (id) => {
    await write['parked']?.(id);
    const note = 'not in the list of charges';
    await pawl.parkedClaims({ ...common }).resolve(id, 'not-applied', { by: 'maria', note });
  },
  'in-flight-with-checkpoints': (id) =>
    die((underWay) =>
      pawl.once({ ...common, onAbandoned: 'retry' }, async (_, claim) => {
        await pawl.step(claim, 'charge', () => 'ch_1', { onAbandoned: 'park' });
        await pawl.step(claim, 'book', dying(underWay), { onAbandoned: 'retry' });
      })({ id }, call),
    ),
  'in-flight-with-a-step-in-doubt': (id) =>
    die((underWay) =>
      pawl.once({ ...common, onAbandoned: 'retry' }, async (_, claim) => {
        await pawl.step(claim, 'charge', () => 'ch_1', { onAbandoned: 'park' });
        await pawl.step(claim, 'receipt', dying(underWay), { onAbandoned: 'park' });
      })({ id }, call),
    ),
  'parked-with-a-step-in-doubt': async (id) => {
    const fails = () => Promise.reject(new Error('the mail server answered 500'));
    await settled(
      pawl.once({ ...common, onAbandoned: 'retry' }, async (_, claim) => {
        await pawl.step(claim, 'charge', () => 'ch_1', { onAbandoned: 'park' });
        await pawl.step(claim, 'receipt', fails, { onAbandoned: 'park' });
      })({ id }, call),
    );
  },
  // The version before took a resolution of the whole claim for one of every step in doubt.
  'step-in-doubt-resolved': async (id) => {
    await write['parked-with-a-step-in-doubt']?.(id);
    const note = 'it is not in the outbox';
    await pawl.parkedClaims({ ...common }).resolve(id, 'not-applied', { by: 'maria', note });
  },
};

const folder = join(PROJECT, 'test/fixtures/records-v1');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const [name, make] of Object.entries(write)) {
  await make(name);
  const key = { id: { S: `charge#${name}` } };
  const { Item } = await client.send(new GetItemCommand({ TableName: tableName, Key: key, ConsistentRead: true }));
  if (Item?.['v']?.N !== '1') throw new Error(`${name} did not become a record of schema 1: ${JSON.stringify(Item)}`);
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(Item, undefined, 2)}\n`);
  console.log(`${name}: ${Item['status']?.S}`);
}
client.destroy();
// Some handlers never end.
await server.stop();
process.exit(0);
