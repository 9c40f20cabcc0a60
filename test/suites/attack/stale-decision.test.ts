import { expect, test } from 'vitest';
import { type ClaimStore, memoryStore, once } from '../../../lib/pawl/index.ts';
import { type OpenClaimView, operator } from '../../../lib/pawl/operate/index.ts';
import { collect } from '../../support/collect.ts';
import { resolverOf } from '../../support/resolver-of.ts';

/** A caller, whose provider takes one of three ways. */
function aShop(policy: 'park' | 'retry' = 'park') {
  const store = memoryStore();
  const applied: string[] = [];
  let provider: 'not-reached' | 'applies-and-hangs-up' | 'applies' = 'not-reached';
  const refund = once(
    { operation: 'refund', store, key: (id: string) => id, onAbandoned: policy, onEvent: () => undefined },
    (id) => {
      if (provider !== 'not-reached') applied.push(id);
      if (provider !== 'applies') throw new Error('socket hang up');
    },
  ).outcome;
  return {
    store,
    applied,
    async call(now: typeof provider): Promise<void> {
      provider = now;
      await refund('p-1').catch(() => undefined);
    },
    operatorOf: (seenBy: ClaimStore = store) => operator({ store: { ...store, ...seenBy }, onEvent: () => undefined }),
  };
}

const nothingThere = { by: 'maria', note: 'nothing in the bank statement' };

test('a decision of a listed claim refers to the doubt that the list has shown, and to no later one', async () => {
  const shop = aShop();
  await shop.call('not-reached');
  const maria = shop.operatorOf();
  const listed: OpenClaimView[] = [];
  for await (const { claims } of maria.openClaims()) listed.push(...claims);
  expect(listed).toMatchObject([{ id: 'refund#p-1', state: 'parked' }]);

  // Maria looks at the bank statement. Meanwhile Ben decides, and the refund is made, with its response lost.
  await shop.operatorOf().resolve({ id: 'refund#p-1' }, 'not-applied', { by: 'ben', note: 'nothing there' });
  await shop.call('applies-and-hangs-up');
  expect(shop.applied).toEqual(['p-1']);

  const plan = await maria.planResolutions({ claims: listed, verdict: 'not-applied', ...nothingThere });
  expect(plan).toMatchObject({ count: 0, items: [{ will: 'stay', whyNot: 'another-doubt' }] });
  expect(await collect(maria.resolveAll(plan))).toEqual([]);
  await shop.call('applies');
  expect(shop.applied).toEqual(['p-1']);
});

test('a decision without a fence refers to the doubt that it has read first', async () => {
  const shop = aShop('retry');
  await shop.call('not-reached');
  let writes = 0;
  const maria = shop.operatorOf({
    ...shop.store,
    async write(given) {
      // In the moment between the operator's read and her write, a caller takes the claim, and makes the refund.
      if (writes++ === 0) await shop.call('applies-and-hangs-up');
      return shop.store.write(given);
    },
  });
  expect(await maria.resolve({ id: 'refund#p-1' }, 'not-applied', nothingThere)).toMatchObject({
    outcome: 'another-doubt',
    claim: { fence: 2, state: 'in-doubt', resolution: undefined },
  });
});

test('so does a decision of a parked claim, if another operator decides in the same moment', async () => {
  const shop = aShop();
  await shop.call('not-reached');
  let writes = 0;
  const store: ClaimStore = {
    ...shop.store,
    async write(given) {
      if (writes++ === 0) {
        await shop.operatorOf().resolve({ id: 'refund#p-1' }, 'not-applied', { by: 'ben', note: 'nothing there' });
        await shop.call('applies-and-hangs-up');
      }
      return shop.store.write(given);
    },
  };
  const resolved = await resolverOf({ operation: 'refund', store }).resolve('p-1', 'not-applied', nothingThere);
  expect(resolved).toMatchObject({ outcome: 'another-doubt', claim: { resolution: { by: 'ben' } } });
  await shop.call('applies');
  expect(shop.applied).toEqual(['p-1']);
});
