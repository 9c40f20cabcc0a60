import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type AttributeValue, DynamoDBClient, GetItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { startDynamoDbLocal } from '../../../lib/rehearsal/dynamodb-local.ts';
import { PROJECT } from '../../../shop/app/project.ts';
import { context, sqsEvent, sqsRecord } from '../../../test/support/lambda.ts';
import { claimsTable } from '../../../test/support/tables.ts';
import { virtualHost } from '../../../test/support/virtual-host.ts';
import { libraryOf } from './library-of.ts';
import { die, dying, recordKinds } from './record-kinds.ts';

/*
 * node proof/campaign/versions/write-fixtures.ts [--from <commit>]: lets the library of a commit write one record of each kind, and
 * keeps them, as DynamoDB has them, in test/fixtures/records-v1; and the claims of one message for each way in which a key or a
 * body is encoded, in test/fixtures/messages-v1. Run once; the records are in the repository.
 */

const { values } = parseArgs({ options: { from: { type: 'string', default: '41b56fa' } } });

/** Its types were those of this version's names. */
type Library = typeof import('../../../lib/index.ts') &
  typeof import('../../../lib/stores/dynamodb/index.ts') &
  typeof import('../../../lib/sqs/index.ts');

await using server = await startDynamoDbLocal();
const client = new DynamoDBClient({
  endpoint: server.endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});
const pawl = await libraryOf<Library>(values.from, ['pawl', 'pawl/dynamodb', 'pawl/sqs']);
const tableName = await claimsTable(client);
const store = pawl.dynamoStore({ tableName, client });
const host = virtualHost();
const write = recordKinds(pawl, { store, host });

/** Bodies whose keys and contents are encoded in each way that there is, and the fields that make the key. */
const messages: Readonly<Record<string, readonly [body: string, ...fields: string[]]>> = {
  plain: ['{"id":"order-17","amount":700}', 'id'],
  'of-several-parts': ['{"customer":"c/17 #4","month":"2026-11","amount":700}', 'customer', 'month'],
  'a-number': ['{"id":17}', 'id'],
  'beyond-ascii': ['{"id":"commande n° 17, café 🎁"}', 'id'],
  'that-looks-hashed': ['{"id":"sha256:17"}', 'id'],
  'longer-than-a-header': [`{"id":"${'header'.repeat(50)}"}`, 'id'],
  'longer-than-a-partition-key': [`{"id":"${'partition'.repeat(300)}"}`, 'id'],
  'numbers-in-the-body': [
    '{"id":"numbers","big":9007199254740993,"price":1.10,"large":1e21,"small":1E-7,"zero":-0,"digits":0.12345678901234567891}',
    'id',
  ],
  'nested-and-unordered': [
    '{ "b": [{"z": null, "a": "\\u00e9\\n\\"", "": 0}, []], "id": "nested", "a": {"y": true, "x": {}}, "10": 1, "9": 2 }',
    'id',
  ],
};

/** The claim of a message whose worker died in a step, and the effect keys that it had handed to the providers by then. */
async function dieWith(body: string, fields: readonly string[]) {
  const handed: string[] = [];
  const parts = fields.map((field) => pawl.bodyField(field));
  const [only] = parts;
  const key = only !== undefined && parts.length === 1 ? only : pawl.compositeKey(...parts);
  await die((underWay) =>
    pawl.eachMessage({ operation: 'charge', store, host, key, onAbandoned: 'retry' }, async (_, claim) => {
      handed.push(claim.effectKey);
      const dies = ({ effectKey }: { readonly effectKey: string }) => {
        handed.push(effectKey);
        return dying(underWay)();
      };
      await pawl.step(claim, 'book', dies, { onAbandoned: 'retry' });
    })(sqsEvent(sqsRecord(body)), context(30_000, host.now)),
  );
  return handed;
}

async function allItems(): Promise<readonly Record<string, AttributeValue>[]> {
  const { Items = [] } = await client.send(new ScanCommand({ TableName: tableName, ConsistentRead: true }));
  return Items;
}

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

const keepMessage = fixtures('messages-v1');
const known = new Set<string>();
for (const { id } of await allItems()) known.add(String(id?.S));
for (const [name, [body, ...fields]] of Object.entries(messages)) {
  const [effectKey, stepEffectKey] = await dieWith(body, fields);
  const written = (await allItems()).find(({ id }) => !known.has(String(id?.S)));
  const item = ofSchema1(written, name);
  known.add(String(item['id']?.S));
  keepMessage(name, { body, fields: fields.join(' '), effectKey, stepEffectKey, item });
}
client.destroy();
// Some handlers never end.
await server.stop();
process.exit(0);
