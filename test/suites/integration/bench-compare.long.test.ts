import { expect, inject, it } from 'vitest';
import { compared, comparedScenarios, comparePairs } from '../../../bench/compare/compare.ts';
import { claimsTable, localClient } from '../../support/tables.ts';

it('both versions of a comparison do the same work in turns, in tables of their own', async () => {
  const endpoint = inject('dynamoEndpoint');
  const client = localClient(endpoint);
  const tables: string[] = [];
  const setting = {
    endpoint,
    progress: { update: () => undefined },
    createTable: async (name: string) => {
      tables.push(name);
      return claimsTable(client);
    },
  };
  const plan = { rounds: 3, warmUpMs: 0, sizes: [{ size: 10, batches: 1 }] };
  const worker = new URL('../../../bench/cost/worker.ts', import.meta.url);
  const pairs = await comparePairs(plan, setting, worker);
  client.destroy();
  expect(pairs.map(({ name, scenario }) => `${name} ${scenario}`)).toEqual(
    compared.flatMap((name) => comparedScenarios.map((scenario) => `${name} ${scenario}`)),
  );
  for (const { scenario, requests, cpuMs, wallMs } of pairs) {
    expect(requests).toEqual(scenario === 'first' ? { before: 2, after: 2 } : { before: 1, after: 1 });
    expect([cpuMs.before, cpuMs.after, wallMs.before, wallMs.after].map(({ length }) => length)).toEqual([3, 3, 3, 3]);
  }
  expect(new Set(tables).size).toBe(tables.length);
});
