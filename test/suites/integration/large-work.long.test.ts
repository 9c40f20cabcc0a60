import { expect, inject, it } from 'vitest';
import { runLargeWork } from '../../fixtures/locks/large-work.ts';

/** `npm run campaign -- locks` does it with 20,000 items and 20 kills. */
it('does each item of a large message once, whose worker is killed on the way', async () => {
  const report = await runLargeWork({ endpoint: inject('dynamoEndpoint'), items: 2000, kills: 4 });
  expect(report).toMatchObject({ killed: 4, once: 2000, notOnce: 0 });
  expect(report.answer).toMatchObject({ outcome: 'done', result: { outcome: 'done', done: 2000 }, lock: 'unlocked' });
  expect(report.killedAt.every((done) => done < 2000)).toBe(true);
});
