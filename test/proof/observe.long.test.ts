import { expect, test } from 'vitest';
import { type Figures, judge } from '../../proof/observe/judge.ts';
import type { MistakeName } from '../../proof/observe/mistakes.ts';
import type { AppName } from '../../proof/observe/plan.ts';
import { observedRun, plansOf } from '../../proof/observe/run.ts';
import { rehearsalDatabase } from '../support/rehearsal-database.ts';

/** All of it: `npm run campaign -- observe`. */

async function judged(of: {
  readonly apps: readonly AppName[];
  readonly seeds: readonly number[];
  readonly orders: number;
  readonly kills: boolean;
  readonly mistake?: MistakeName;
}): Promise<{ readonly problems: readonly string[]; readonly figures: Figures }> {
  const run = { ...of, ordersPerSeed: of.orders, batchSize: 1, kills: () => of.kills };
  const evidence = await observedRun({ ...run, dynamoDb: await rehearsalDatabase() });
  return judge(evidence, { ...run, planOf: plansOf(run), killsStrikeOthers: () => false });
}

test('apps under observe come to what they come to without pawl: with their table, without it, and while it is taken away', async () => {
  const { problems, figures } = await judged({ apps: ['middy', 'http'], seeds: [1, 2], orders: 6, kills: true });
  expect(problems).toEqual([]);
  // Each of these has happened, so that it was looked at.
  expect(figures.same).toBeGreaterThan(10);
  expect(figures.kills).toBeGreaterThan(3);
  expect(Math.min(figures.certain, figures.perhaps, figures.unseen)).toBeGreaterThan(0);
});

test.each<[MistakeName, string, AppName, number, RegExp]>([
  ['believes', 'a run that failed counts as done', 'batch', 3, /calls \d certain/],
  ['waits', 'a handler waits for its first write', 'each', 2, /never-each.* and without pawl to/],
  ['fails', 'an invocation fails with the table', 'batch', 3, /never-batch.* and without pawl to/],
  ['silent', 'what is not written is not reported', 'batch', 3, /of which the report and the events have/],
  ['enforces', 'a message that comes again does not run', 'each', 5, /by its plan/],
])('a mistake is found: %s, %s', async (mistake, _, app, seed, said) => {
  const { problems } = await judged({ apps: [app], seeds: [seed], orders: 4, kills: false, mistake });
  expect(problems.join('\n')).toMatch(said);
});
