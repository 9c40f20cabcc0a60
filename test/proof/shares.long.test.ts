import { expect, inject, test } from 'vitest';
import { type Mistake, switchShares } from '../../proof/shares/shares.ts';
import { claimsTable, localClient } from '../support/tables.ts';

/** How many workers are killed: `PAWL_KILLS=200 npx vitest run --project long test/proof/shares`. */
const kills = Number(process.env['PAWL_KILLS'] ?? 20);

async function switched(of: {
  readonly kills: number;
  readonly keys?: number;
  readonly seed: number;
  readonly mistake?: Mistake;
}) {
  const endpoint = inject('dynamoEndpoint');
  const client = localClient(endpoint);
  return switchShares({ client, endpoint, table: await claimsTable(client), ...of });
}

test('from observe to a tenth, a half, all and back, under kills: no enforced key has two effects, nothing is lost, and each mixed key is reported', async () => {
  const { problems, kills: killed, enforced, mixed, doubledObserved } = await switched({ kills, seed: 21 });
  console.log(
    `${killed} kills: ${enforced} keys enforced throughout, ${mixed} mixed, ${doubledObserved} effects doubled while observed`,
  );
  expect(problems).toEqual([]);
  expect(killed).toBeGreaterThanOrEqual(kills);
  // Each of these has happened, so that it was looked at.
  expect(enforced).toBeGreaterThan(0);
  expect(mixed).toBeGreaterThan(0);
  expect(doubledObserved).toBeGreaterThan(0);
});

test.each<[Mistake, RegExp]>([
  ['unstable', /ran with the fence/],
  ['forgetful', /enforcement ran it again/],
  ['silent', /without a word/],
])('a worker that is %s is found', async (mistake, said) => {
  const { problems } = await switched({ kills: 4, keys: 150, seed: 22, mistake });
  expect(problems.join('\n')).toMatch(said);
});
