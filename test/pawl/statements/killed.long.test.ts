import { expect, it } from 'vitest';
import { runStatementCampaign } from '../../../proof/statements/campaign.ts';

it('finds all of 25 planted findings in 5,000 lines, and nothing else, in a process that is killed three times', async () => {
  const { found, expected, kills, report } = await runStatementCampaign({
    lines: 5000,
    findings: 25,
    kills: 3,
    seed: 7,
  });
  expect(kills).toBe(3);
  expect(expected).toHaveLength(25);
  expect(found).toEqual(expected);
  expect(report).toMatchObject({ settled: 6, matched: report.lines - 6 - 6 - 7, notStored: 0, waiting: 0 });
});
