import { PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, inject } from 'vitest';
import { once, StoreUnavailableError } from '../../../lib/pawl/index.ts';
import { dynamoStore, individualDynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { claimsTable, localClient } from '../../support/tables.ts';
import { promise, thrownBy } from '../promises/kit.ts';

const stores = { dynamoStore, individualDynamoStore };

describe('claims in DynamoDB', () => {
  for (const [name, make] of Object.entries(stores)) {
    promise(
      'protocol, invariant 18',
      'a record that a version does not know is left alone, with an error',
      `${name}: a record of a schema to come does not run, stays as it is, and its key is in no error`,
      async () => {
        const client = localClient(inject('dynamoEndpoint'));
        const tableName = await claimsTable(client);
        const [status, claimId] = [{ S: 'suspended' }, { S: 'x' }];
        const Item = {
          id: { S: 'pay#maria@example.com' },
          status,
          claimId,
          fence: { N: '4' },
          rev: { N: '9' },
          v: { N: '3' },
        };
        await client.send(new PutItemCommand({ TableName: tableName, Item }));
        let runs = 0;
        const options = {
          operation: 'pay',
          store: make({ tableName, aws: sdk({ dynamodb: client }) }),
          key: (id: string) => id,
          onEvent: () => {},
        };
        const pay = once({ ...options, onAbandoned: 'retry' }, () => ++runs).outcome;
        for (const redelivered of [false, true]) {
          const error = await thrownBy(() => pay('maria@example.com', { remainingMs: () => 5_000, redelivered }));
          expect(error).toBeInstanceOf(StoreUnavailableError);
          expect(String(error) + String((error as Error).cause)).not.toContain('maria');
        }
        expect(runs).toBe(0);
        const { Items } = await client.send(new ScanCommand({ TableName: tableName, ConsistentRead: true }));
        expect(Items).toEqual([Item]);
        client.destroy();
      },
    );

    promise(
      'docs/explanation/how-it-works.md',
      'Every message asks for a *claim* on its idempotency key. Asking is one conditional write to DynamoDB, and that write is the check',
      `${name}: of twenty calls at once with one key, one runs, and none says completed before it has`,
      async () => {
        const client = localClient(inject('dynamoEndpoint'));
        const tableName = await claimsTable(client);
        let runs = 0;
        let finished = false;
        const calls = Array.from({ length: 20 }, () =>
          once(
            {
              operation: 'pay',
              store: make({ tableName, aws: sdk({ dynamodb: client }) }),
              key: (id: string) => id,
              onAbandoned: 'park',
              onEvent: () => {},
            },
            async () => {
              runs++;
              await new Promise((resolve) => setTimeout(resolve, 30));
              finished = true;
              return 'paid';
            },
          )
            .outcome('callback-1', { remainingMs: () => 20_000 })
            .then(({ outcome }) => {
              expect(outcome === 'in-flight' || finished).toBe(true);
              return outcome;
            }),
        );
        const outcomes = await Promise.all(calls);
        expect(runs).toBe(1);
        expect(outcomes).toContain('completed');
        expect(outcomes.every((outcome) => outcome === 'completed' || outcome === 'in-flight')).toBe(true);
        client.destroy();
      },
    );
  }
});
