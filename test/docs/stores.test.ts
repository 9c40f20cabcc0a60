import { expect, test } from 'vitest';
import { runLaws } from '../testing/laws/run-laws.ts';
import { exampleOf } from './run-example.ts';

const page = 'docs/guides/stores.md';

test.each([
  ['export function mapStore', 'claimStoreLaws({'],
  ['export function mapLockStore', 'lockStoreLaws({'],
])('the store of the page (%s) passes the laws as the page holds it to them', async (store, laws) => {
  const made = await (await exampleOf(page, store))();
  const hold = await exampleOf(page, laws);
  let held: Promise<unknown> = Promise.resolve();
  const { failed, passed } = await runLaws((lawTest) => {
    held = hold({ ...made, test: lawTest });
  });
  await held;
  expect([...failed]).toEqual([]);
  expect(passed.length).toBeGreaterThan(20);
});
