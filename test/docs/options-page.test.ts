import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { withOptions } from './options-page.ts';

const path = 'docs/reference/options.md';

// `UPDATE_PAGE=1 npx vitest run --project unit test/docs/options-page` writes the page.
it('the page of options shows the rows of the options', async () => {
  const page = readFileSync(path, 'utf8');
  const expected = await withOptions(page);
  if (process.env.UPDATE_PAGE) writeFileSync(path, expected);
  expect(process.env.UPDATE_PAGE ? expected : page).toBe(expected);
});
