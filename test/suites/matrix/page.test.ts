import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { withTables } from './page.ts';
import { doors, features } from './table.ts';

const path = fileURLToPath(new URL('../../../docs/evidence/matrix.md', import.meta.url));

// `UPDATE_PAGE=1 npx vitest run --project unit test/suites/matrix/page` writes the tables.
test('the page shows the matrix that the tests were made from', () => {
  const page = readFileSync(path, 'utf8');
  const expected = withTables(page);
  if (process.env.UPDATE_PAGE) writeFileSync(path, expected);
  else expect(page).toBe(expected);
});

test('every cell of the page says that it is swept, or why not', () => {
  const page = readFileSync(path, 'utf8');
  const [, matrix = ''] = page.split(/<!-- matrix -->\n|\n\n- \(a\)/);
  const [, , ...rows] = matrix.split('\n');
  expect(rows).toHaveLength(features.length);
  for (const row of rows) {
    const words = row.split('|').slice(2, -1);
    expect(words).toHaveLength(doors.length);
    for (const word of words) expect(word).toMatch(/^ (swept|refused at setup \(.\)|no claim \(.\))/);
  }
});
