import { expect, test } from 'vitest';
import { report } from '../../../../shop/traffic/report.ts';
import { runTraffic } from '../../../../shop/traffic/traffic.ts';
import { isGood } from '../../../../shop/traffic/traffic-result.ts';

const quiet = { say: () => undefined, update: () => undefined, end: () => undefined };
const options = { payments: 3, repayments: 2, killShare: 0.2, seed: 7, progress: quiet } as const;

test('without pawl the rehearsal of the shop tells the story of each doubled effect that its judges find', async () => {
  const result = await runTraffic({ ...options, orders: 20, protection: 'none' });
  const doubled = (effect: string) =>
    result.rehearsed.harmed.filter((one) => one.effect === effect && one.problem === 'doubled');
  for (const { effect, doubled: found } of [result.emails, result.giftCards]) {
    expect(doubled(effect).map(({ intent }) => intent)).toEqual(found);
  }
  const [first] = doubled('email');
  expect(
    first?.story.filter((line) => line.includes('AWS_ENDPOINT_URL_SESV2') && line.includes('APPLIED')),
  ).toHaveLength(first?.times ?? -1);
  expect(isGood(result)).toBe(false);
  expect(report(result, false)).toContain(`${first?.intent}: email happened ${first?.times} times`);
});

test('with pawl the rehearsal of the shop finds nothing, for orders, payments and debts alike', async () => {
  const result = await runTraffic({ ...options, orders: 20, protection: 'as-written', story: 'payment-00001' });
  expect(result.rehearsed).toMatchObject({ good: true, harmed: [], findings: [] });
  expect(result.rehearsed.effects).toMatchObject([
    { effect: 'email', intents: 20 },
    { effect: 'gift-card', intents: 20, done: 20 },
    { effect: 'receipt', intents: 3, done: 3 },
    { effect: 'points', intents: 3, done: 3 },
    { effect: 'entry', intents: 3, done: 3 },
    { effect: 'repayment', intents: 150, done: 150 },
  ]);
  expect(isGood(result)).toBe(true);
  expect(result.rehearsed.story?.lines.join('\n')).toContain('PostPayment/Function receives');
});
