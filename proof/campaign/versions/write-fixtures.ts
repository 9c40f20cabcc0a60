import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type AttributeValue, DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { startDynamoDbLocal } from '../../../lib/rehearsal/engine/servers/dynamodb-local.ts';
import { PROJECT } from '../../../shop/app/project.ts';
import { claimsTable } from '../../../test/support/tables.ts';
import { virtualHost } from '../../../test/support/virtual-host.ts';
import { libraryOf } from './library-of.ts';
import { recordKinds } from './record-kinds.ts';

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
const pawl = await libraryOf<Library>(values.from, ['pawl', 'pawl/dynamodb']);
const tableName = await claimsTable(client);
const store = pawl.dynamoStore({ tableName, client });
const host = virtualHost();
const write = recordKinds(pawl, { store, host });

/** Makes an empty folder for one kind of fixtures. Returns what keeps one there. */
function fixtures(kind: string): (name: string, fixture: object) => void {
  const folder = join(PROJECT, 'test/fixtures', kind);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return (name, fixture) => {
    writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(fixture, undefined, 2)}\n`);
    console.log(`${kind}/${name}`);
  };
}

/** @throws Error unless a record of schema 1 was written */
function ofSchema1(Item: Record<string, AttributeValue> | undefined, name: string): Record<string, AttributeValue> {
  if (Item?.['v']?.N !== '1') throw new Error(`${name} did not become a record of schema 1: ${JSON.stringify(Item)}`);
  return Item;
}

const keepRecord = fixtures('records-v1');
for (const [name, make] of Object.entries(write)) {
  await make(name);
  const key = { id: { S: `charge#${name}` } };
  const { Item } = await client.send(new GetItemCommand({ TableName: tableName, Key: key, ConsistentRead: true }));
  keepRecord(name, ofSchema1(Item, name));
}
client.destroy();
// Some handlers never end.
await server.stop();
process.exit(0);
