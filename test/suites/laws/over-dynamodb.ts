import { afterAll, beforeAll, inject } from 'vitest';
import { keepsNotes } from '../../../lib/pawl/rules/notes.ts';
import type { ClaimStore } from '../../../lib/pawl/rules/store.ts';
import type { TableOptions } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { claimStoreLaws } from '../../../lib/testing/index.ts';
import { lawTest } from '../../support/law-test.ts';
import { loseAnswersOf } from '../../support/lost-answers.ts';
import { claimsTable, localClient } from '../../support/tables.ts';

type Client = ReturnType<typeof localClient>;

/**
 * Registers the laws of claim stores over a table of its own on DynamoDB Local.
 *
 * @param runs how many random writes and histories are tried, and ten times as many races
 * @param trouble makes the store's client one that sends statements again by itself
 */
export function lawsOverDynamoDb(
  name: string,
  open: (options: TableOptions) => ClaimStore,
  runs: number,
  trouble?: (client: Client) => void,
): void {
  const endpoint = inject('dynamoEndpoint');
  const client = localClient(endpoint);
  const elsewhere = localClient(endpoint);
  trouble?.(client);
  let tableName: string;
  beforeAll(async () => {
    const maker = localClient(endpoint);
    tableName = await claimsTable(maker);
    maker.destroy();
  });
  afterAll(() => {
    for (const each of [client, elsewhere]) each.destroy();
  });

  claimStoreLaws({
    test: lawTest,
    name: `${name} on DynamoDB Local`,
    open: () => open({ tableName, client }),
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
    mayMeetItself: trouble !== undefined,
  });
}
