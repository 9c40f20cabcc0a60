import { expect, test } from 'vitest';
import { createMachine } from '../../../../lib/rehearsal/engine/machine.ts';
import { report } from '../../../../shop/traffic/report.ts';
import { runTraffic } from '../../../../shop/traffic/traffic.ts';
import { isGood } from '../../../../shop/traffic/traffic-result.ts';

/** Payment, entries, message, receipt and points. With messages in the commit: `chain-points.long.test.ts`. */

const quiet = { say: () => undefined, update: () => undefined, end: () => undefined };

test('messages that are put into the outbox after the commit are lost with the worker that dies between the two, and the run fails', async () => {
  const result = await runTraffic({
    ...{ orders: 1, payments: 40, repayments: 0, killShare: 0.08, seed: 11, progress: quiet },
    protection: 'split',
    // It is judged by what the shop does: a neighbour may have the machine for a while.
    machine: createMachine({ aWhileMs: 180_000 }),
  });
  expect(isGood(result)).toBe(false);
  // The entries are as they should be: only what follows from them is missing.
  expect(result.payments).toMatchObject({ ledgerEntries: 80, drift: [] });
  const lost = result.rehearsed.harmed.filter(({ problem }) => problem === 'lost');
  expect(new Set(lost.map(({ effect }) => effect))).toEqual(new Set(['receipt', 'points']));
  expect(lost[0]?.story.join('\n')).toMatch(/IS KILLED when DynamoDB had carried out its TransactWriteItems/);
  expect(report(result, false)).toMatch(/Behind 40 payments, receipts: [1-9]\d* missing, 0 doubled\./);
});
