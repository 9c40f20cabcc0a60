import { expect, test } from 'vitest';
import { type App, httpProvider, mailer } from '../../../../lib/rehearsal/index.ts';
import { rehearsed } from '../../../support/rehearsed.ts';

/** What a rehearsal cannot count is no verdict on the app. */

const upload = ({ queue }: App) => {
  for (let n = 1; n <= 12; n += 1) queue('Orders').send({ key: `in/upload-${n}.csv` }, { intent: `upload-${n}` });
};

test('an intent that stands in a file name is counted, and one that only begins like it is another', async () => {
  const files = httpProvider();
  const more = { traffic: upload, providers: { MAILER_URL: files }, effects: { upload: files } };
  const result = await rehearsed({ code: 'uploads.ts', timeout: 6 }, {}, more);
  expect(result.effects).toMatchObject([{ effect: 'upload', intents: 12, done: 12, lost: [], doubled: [] }]);
  expect(result).toMatchObject({ good: true, empty: [], unattributed: {} });
});

test('if the calls name no intent, that is the finding, with the call and what was looked for, and nothing is called lost', async () => {
  const files = httpProvider();
  const more = { traffic: upload, providers: { MAILER_URL: files }, effects: { upload: files } };
  const result = await rehearsed({ code: 'uploads.ts', timeout: 6 }, {}, { ...more, environment: { NAMES: 'hashed' } });
  expect(result.effects).toMatchObject([{ intents: 12, done: 0, lost: [] }]);
  expect(result.effects[0]?.uncounted).toHaveLength(12);
  expect(result).toMatchObject({ good: false, harmed: [] });
  expect(result.unattributed['MAILER_URL']).toBeGreaterThanOrEqual(12);
  expect(result.empty).toHaveLength(1);
  expect(result.empty[0]).toMatch(
    /^upload cannot be counted for upload-1, upload-2, upload-3 and 9 more: \d+ calls of MAILER_URL name no intent\./,
  );
  expect(result.empty[0]).toContain('The first is POST /files, with the fields file, size.');
});

test('a field that a mailer is to find the intent in, and that no call has, is named', async () => {
  const mail = mailer('order.id');
  const more = { traffic: upload, providers: { MAILER_URL: mail }, effects: { email: mail } };
  const result = await rehearsed({ code: 'uploads.ts', timeout: 6 }, {}, more);
  expect(result.empty).toMatchObject([expect.stringContaining('The rehearsal looked for the field order.id')]);
  expect(result.effects).toMatchObject([{ lost: [] }]);
});

test('a fault that was planned and has no place in the app is told, and the run is not said to show it', async () => {
  const result = await rehearsed(
    { code: 'plain.mjs' },
    { indexLag: 1, loseAnswer: 1 },
    { intents: 3, expect: { email: () => 'at-least-once' } },
  );
  expect(result.good).toBe(true);
  expect(result.untested).toEqual([
    'loseAnswer: 3 planned, none has struck: no function wrote to DynamoDB as often as was drawn.',
    'indexLag: 3 planned, none has struck: the app has no place for it.',
  ]);
});

test('a file that counts an effect by itself is told that no kill strikes at its calls', async () => {
  const counted = { email: () => ['order-1'] };
  const result = await rehearsed({ code: 'plain.mjs', timeout: 6 }, { kill: 0.1 }, { intents: 1, effects: counted });
  expect(result.untested).toMatchObject([expect.stringContaining('no kill strikes at a call of it')]);
});
