import { expect, inject, it } from 'vitest';
import { measureObserved } from '../../../../bench/observe/cost.ts';
import { localLean } from '../../../support/lean.ts';
import { claimsTable, localClient } from '../../../support/tables.ts';

it('an observed message is written twice, as an enforced one is; and what an absent or a hanging table does not take is reported as unseen', async () => {
  const endpoint = inject('dynamoEndpoint');
  const way = localLean(endpoint);
  const costs = await measureObserved(way, await claimsTable(localClient(endpoint)), {
    sizes: [1],
    rounds: 1,
    handlerMs: 1,
  });
  const of = (state: string) => costs.filter(({ table }) => table === state);
  expect(of('healthy').map(({ mode, writes }) => [mode, writes])).toEqual([
    ['enforce', 2],
    ['observe', 2],
  ]);
  expect(of('hanging').map(({ mode, unseen }) => [mode, unseen])).toEqual([['observe', 1]]);
  expect(of('absent').map(({ mode, unseen }) => [mode, unseen])).toEqual([['observe', 1]]);
  way.destroy();
});
