import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { type AttributeValue, type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { step } from '../../lib/index.ts';
import { bodyField, compositeKey, eachMessage } from '../../lib/sqs/index.ts';
import { dynamoStore } from '../../lib/stores/dynamodb/index.ts';
import { context, noQueue, sqsEvent, sqsRecord } from '../support/lambda.ts';
import { claimsTable, localClient } from '../support/tables.ts';
import { someDay, virtualHost } from '../support/virtual-host.ts';

/**
 * Messages whose worker of an earlier version died in the middle (`proof/campaign/versions/write-fixtures.ts`), one for each way in which a key or a body
 * is encoded. This version must find the same record, see the same intent, and hand the same effect keys to the providers: with another id or another effect
 * key the effect happens twice, and with another fingerprint the message is refused.
 */

interface Fixture {
  readonly body: string;
  /** The fields of the body that make the key, with spaces between them. */
  readonly fields: string;
  /** What the earlier version handed to the provider. */
  readonly effectKey: string;
  /** The same for the step in which the worker died. */
  readonly stepEffectKey: string;
  /** The record that it left in flight, under a lease of 30 s. */
  readonly item: Record<string, AttributeValue>;
}

const FOLDER = new URL('../fixtures/messages-v1/', import.meta.url);
const fixtures = readdirSync(FOLDER).map((file): readonly [name: string, Fixture] => [
  file.slice(0, -'.json'.length),
  JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')),
]);

let client: DynamoDBClient;
beforeAll(() => {
  client = localClient(inject('dynamoEndpoint'));
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  return () => {
    client.destroy();
    vi.restoreAllMocks();
  };
});

function keyOf(fields: string) {
  const parts = fields.split(' ').map((field) => bodyField(field));
  const [only] = parts;
  return only !== undefined && parts.length === 1 ? only : compositeKey(...parts);
}

describe('a message that an earlier version began', () => {
  test.each(fixtures)('%s: is taken over once, with the same effect keys', async (_, fixture) => {
    const { body, fields, effectKey, stepEffectKey, item } = fixture;
    const tableName = await claimsTable(client);
    await client.send(new PutItemCommand({ TableName: tableName, Item: item }));
    const host = { ...virtualHost(someDay + 90_000), randomId: () => randomUUID() };
    const store = dynamoStore({ tableName, client });
    const handed: (readonly [fence: number, ...effectKeys: string[]])[] = [];
    const consume = eachMessage(
      { operation: 'charge', store, host, key: keyOf(fields), onAbandoned: 'retry', sqsClient: noQueue },
      async (__, claim) => {
        const ofStep = await step(claim, 'book', ({ effectKey }) => effectKey, { onAbandoned: 'retry' });
        handed.push([claim.fence, claim.effectKey, ofStep]);
      },
    );
    for (const __ of [1, 2]) {
      expect(await consume(sqsEvent(sqsRecord(body)), context(30_000, host.now))).toEqual({ batchItemFailures: [] });
    }
    expect(handed).toEqual([[2, effectKey, stepEffectKey]]);
  });

  test('there is one for each kind of key and body', () => {
    expect(fixtures.length).toBeGreaterThanOrEqual(9);
  });
});
