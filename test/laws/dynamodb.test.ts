import { afterAll, beforeAll, expect, inject, it, test } from 'vitest';
import { keepsNotes } from '../../lib/claims/notes.ts';
import type { ClaimStore } from '../../lib/claims/store.ts';
import { nodeHost } from '../../lib/host.ts';
import { createRandom } from '../../lib/rehearsal/random.ts';
import { dynamoStore, individualDynamoStore, type TableOptions } from '../../lib/stores/dynamodb/index.ts';
import { claimStoreLaws } from '../../lib/testing/index.ts';
import { inCompany } from '../support/in-company.ts';
import { loseAnswersOf } from '../support/lost-answers.ts';
import { claimsTable, localClient } from '../support/tables.ts';
import { type Troubles, troubleBatchesOf } from '../support/unreliable.ts';

const endpoint = inject('dynamoEndpoint');
const client = localClient(endpoint);
const elsewhere = localClient(endpoint);
const troubledClient = localClient(endpoint);
let tableName: string;

beforeAll(async () => {
  tableName = await claimsTable(client);
});
afterAll(() => {
  for (const each of [client, elsewhere, troubledClient]) each.destroy();
});

function laws(name: string, open: (options: TableOptions) => ClaimStore, runs: number, troubled?: typeof client): void {
  claimStoreLaws({
    test,
    name: `${name} on DynamoDB Local`,
    open: () => open({ tableName, client: troubled ?? client }),
    openElsewhere: () => open({ tableName, client: elsewhere }),
    openLosingResponses() {
      const lossyClient = localClient(endpoint);
      const lost = loseAnswersOf(lossyClient);
      return { store: open({ tableName, client: lossyClient }), lost };
    },
    listsOpenClaims: true,
    keepsNotes: keepsNotes(open({ tableName: 'any', client })),
    races: 10 * runs,
    runs,
    // A statement that fails although it was applied is sent again by the store.
    mayMeetItself: troubled !== undefined,
  });
}

laws('dynamoStore', dynamoStore, 50);
laws('individualDynamoStore', individualDynamoStore, 30);
laws('dynamoStore, always in a batch', (options) => inCompany(dynamoStore(options)), 100);

const troubles: Troubles = troubleBatchesOf(troubledClient, createRandom(7).next, 0.2);
const impatient = {
  random: nodeHost.random,
  after: (ms: number, run: () => void) => nodeHost.after(Math.min(ms, 1), run),
};
laws(
  'dynamoStore, in batches that fail in part',
  (options) => inCompany(dynamoStore({ ...options, host: impatient })),
  20,
  troubledClient,
);

it('and the batches did fail in part, in every way', () => {
  for (const [trouble, times] of Object.entries(troubles)) expect(times, trouble).toBeGreaterThan(20);
});
