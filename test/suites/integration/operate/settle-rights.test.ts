import { afterAll, expect, inject, it, onTestFinished } from 'vitest';
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

/** A table of claims with this many findings, and what settles them under `grantStatements`. The first writes of claims are throttled. */
async function settled(count: number, throttledClaims: number) {
  const tableName = await claimsTable(all);
  const { client, asked } = judgedClient(inject('dynamoEndpoint'), grantedBy(grantStatements));
  onTestFinished(() => client.destroy());
  let throttled = 0;
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const isClaim = commandName === 'PutItemCommand' && JSON.stringify(args.input).includes('"id":{"S":"refund#');
        if (!isClaim || throttled === throttledClaims) return next(args);
        throttled += 1;
        throw Object.assign(new Error('slow down'), { name: 'ProvisionedThroughputExceededException' });
      },
    { step: 'initialize', name: 'throttle' },
  );
  const store = dynamoStore({ tableName, aws: sdk({ dynamodb: client }) });
  for (let key = 1; key <= count; key++) {
    const what = { kind: 'twice', operation: 'charge', foundAt: key, claimId: `charge#${key}` } as const;
    await storeFinding(withListing(store), findingOf(what, [String(key)], nodeHost));
  }
  const most = { count: 99, amount: 99_000 };
  const settlement = settleFindings({
    ...{ store, operation: 'charge', limits: { perRun: most, perDay: most }, onEvent: () => undefined },
    remedies: { twice: { operation: 'refund', onAbandoned: 'park', amountOf: () => 500, run: () => undefined } },
  });
  const acted = { by: 'maria', note: 'n' };
  const results = await collect(settlement.settle(await settlement.plan(acted)));
  const refused = asked.filter(({ decision }) => decision !== 'allowed');
  const outcomes = results.map(({ outcome }) => outcome);
  return { store, outcomes, asked: asked.map(({ action }) => action), refused };
}

it('needs what grantStatements grants to settle findings, and no more', async () => {
  const { store, outcomes, refused } = await settled(3, 0);
  expect(outcomes).toEqual(['settled', 'settled', 'settled']);
  expect(await findings({ store }).settleReservations('charge')).toEqual([]);
  expect(refused).toEqual([]);
});

it('needs no more from a throttled table, where a claim is a statement', async () => {
  const { outcomes, asked, refused } = await settled(20, 15);
  expect(asked).toContain('dynamodb:PartiQLInsert');
  expect(refused).toEqual([]);
  expect(outcomes).toContain('settled');
});
