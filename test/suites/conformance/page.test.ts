import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { withTables } from './page.ts';

const path = fileURLToPath(new URL('../../../docs/evidence/conformance.md', import.meta.url));

// `UPDATE_PAGE=1 npx vitest run --project unit test/suites/conformance/page` writes the tables.
test('the page shows the tables that the tests were made from', () => {
  const page = readFileSync(path, 'utf8');
  const expected = withTables(page);
  if (process.env.UPDATE_PAGE) writeFileSync(path, expected);
  else expect(page).toBe(expected);
});
