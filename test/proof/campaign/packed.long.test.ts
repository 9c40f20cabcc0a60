import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packVersion } from '../../../proof/campaign/versions/packed.ts';

/** The files that a bundle was made of, except packages that are no part of pawl. */
async function filesIn(bundle: string | undefined): Promise<readonly string[]> {
  const text = await readFile(join(String(bundle), 'index.mjs'), 'utf8');
  const files = Array.from(text.matchAll(/^\/\/ (\S+\.[jt]s)$/gm), ([, file]) => String(file));
  return files.filter((file) => !file.startsWith('node_modules/'));
}

test('a function of a packed version has pawl out of the tarball, under its own policy and under retry', async () => {
  await using version = await packVersion();
  for (const protection of ['as-written', 'retry'] as const) {
    const files = await filesIn(await version.bundle('repay-debts', protection));
    expect(files.filter((file) => !/\/(lambda|shop|node_modules\/pawl)\//.test(file))).toEqual([]);
    expect(files.some((file) => file.includes('/node_modules/pawl/locks/'))).toBe(true);
    expect(files.some((file) => file.endsWith('shop/retrying.ts'))).toBe(protection === 'retry');
  }
});
