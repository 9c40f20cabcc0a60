import { expect, test } from 'vitest';
import { clientNames } from '../../../fixtures/rehearsed/clients.ts';
import { rehearsed } from '../../../support/rehearsed.ts';

/** A kill at the call of a provider must not need a certain client: one that has none would be green, and doubles all the same. */
test('the same kills strike one unprotected handler, and double the same effects, whatever client calls its provider', async () => {
  const found: {
    readonly client: string;
    readonly doubled: readonly string[];
    readonly unjudged: readonly string[];
  }[] = [];
  for (const client of clientNames) {
    const context = { code: 'unprotected.ts', batchSize: 1 };
    const result = await rehearsed(context, { kill: 0.8 }, { intents: 16, environment: { CLIENT: client } });
    const { doubled = [], unjudged = [] } = result.effects[0] ?? {};
    for (const { story } of result.harmed) expect(story.join('\n')).toMatch(/APPLIED[\s\S]*IS KILLED[\s\S]*APPLIED/);
    found.push({ client, doubled, unjudged });
  }
  const struck = new Set(found.flatMap(({ doubled }) => doubled));
  expect(struck.size).toBeGreaterThan(3);
  // What the machine may have done is not judged; everything else is found with each client.
  const missed = found.map(({ client, doubled, unjudged }) => {
    const seen = [...doubled, ...unjudged];
    return [client, [...struck].filter((intent) => !seen.includes(intent))];
  });
  expect(missed).toEqual(clientNames.map((client) => [client, []]));
});
