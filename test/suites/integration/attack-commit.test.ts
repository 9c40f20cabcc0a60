import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { once } from '../../../lib/pawl/index.ts';
import { dynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { type AppWrite, commit, transactionalStore } from '../../../lib/pawl/transactions/index.ts';
import { claimsTable, localClient } from '../../support/tables.ts';

const client = localClient(inject('dynamoEndpoint'));
let tableName: string;
beforeAll(async () => {
  tableName = await claimsTable(client);
});
afterAll(() => client.destroy());

for (const write of [undefined, null]) {
  test(`a commit of ${write} is refused at once, as every other write that DynamoDB cannot take is`, async () => {
    const store = transactionalStore(dynamoStore({ tableName, aws: sdk({ dynamodb: client }) }));
    const options = {
      operation: 'pay',
      store,
      key: () => String(write),
      onAbandoned: 'park' as const,
      onEvent: () => {},
    };
    const pay = once(options, (_: object, claim) => commit(claim, [write as unknown as AppWrite])).outcome;
    const deadline = Date.now() + 4_000;
    const call = pay({}, { remainingMs: () => deadline - Date.now() });
    await expect(call).rejects.toMatchObject({
      name: expect.stringMatching(/CommitRefusedError|OptionError|TypeError/),
    });
  });
}
