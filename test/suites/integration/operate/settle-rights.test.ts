import { afterAll, expect, inject, it } from 'vitest';
import { grantStatements } from '../../../../lib/cdk/index.ts';
import { nodeHost } from '../../../../lib/pawl/host.ts';
import { findingOf, storeFinding } from '../../../../lib/pawl/statements/finding.ts';
import { findings, settleFindings } from '../../../../lib/pawl/statements/index.ts';
import { dynamoStore, sdk } from '../../../../lib/pawl/stores/dynamodb/index.ts';
import { withListing } from '../../../../lib/pawl/stores/listing.ts';
import { collect } from '../../../support/collect.ts';
import { grantedBy, judgedClient } from '../../../support/judged.ts';
import { claimsTable, localClient } from '../../../support/tables.ts';

const all = localClient(inject('dynamoEndpoint'));
afterAll(() => all.destroy());

it('needs what grantStatements grants to settle findings, and no more', async () => {
  const tableName = await claimsTable(all);
  const { client, asked } = judgedClient(inject('dynamoEndpoint'), grantedBy(grantStatements));
  const store = dynamoStore({ tableName, aws: sdk({ dynamodb: client }) });
  for (const key of ['1', '2', '3']) {
    const what = { kind: 'twice', operation: 'charge', foundAt: Number(key), claimId: `charge#${key}` } as const;
    await storeFinding(withListing(store), findingOf(what, [key], nodeHost));
  }
  const most = { count: 9, amount: 9000 };
  const settlement = settleFindings({
    ...{ store, operation: 'charge', limits: { perRun: most, perDay: most }, onEvent: () => undefined },
    remedies: { twice: { operation: 'refund', onAbandoned: 'park', amountOf: () => 500, run: () => undefined } },
  });
  const acted = { by: 'maria', note: 'n' };
  const results = await collect(settlement.settle(await settlement.plan(acted)));
  expect(results.map(({ outcome }) => outcome)).toEqual(['settled', 'settled', 'settled']);
  expect(await findings({ store }).settleReservations('charge')).toEqual([]);
  expect(asked.filter(({ decision }) => decision !== 'allowed')).toEqual([]);
  client.destroy();
});
