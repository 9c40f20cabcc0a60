import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { AS_CDK_BUNDLES } from '../../../lib/rehearsal/bundle.ts';
import { checkOut } from './checkout.ts';

/**
 * Parts of the library of a commit, as its users import them.
 *
 * @param entries as seen from the commit's root: `lib/index.ts`
 */
export async function libraryOf<Library>(commit: string, entries: readonly string[]): Promise<Library> {
  const folder = await checkOut(commit);
  const entry = join(folder, 'entry.ts');
  writeFileSync(entry, entries.map((path) => `export * from './${path}';\n`).join(''));
  const outfile = join(folder, 'entry.mjs');
  await build({ ...AS_CDK_BUNDLES, entryPoints: [entry], outfile, external: ['@aws-sdk/*'] });
  return import(pathToFileURL(outfile).href);
}
