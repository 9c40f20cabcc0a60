import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The sources of the packages, by their paths from the root: `lib/pawl/sqs/event.ts`. Nothing that was built from them. */
export const allSources: readonly { readonly file: string; readonly source: string }[] = globSync('lib/**/*.ts', {
  cwd: root,
  exclude: ['lib/*/dist/**'],
})
  .toSorted()
  .map((file) => ({ file, source: readFileSync(`${root}${file}`, 'utf8') }));
