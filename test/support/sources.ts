import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The sources of the packages, by their paths from the root: `lib/pawl/sqs/event.ts`. Nothing that was built from them. */
export const SOURCES: readonly { readonly file: string; readonly source: string }[] = globSync('lib/**/*.ts', {
  cwd: ROOT,
  exclude: ['lib/*/dist/**'],
})
  .toSorted()
  .map((file) => ({ file, source: readFileSync(`${ROOT}${file}`, 'utf8') }));
