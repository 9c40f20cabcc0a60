import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPackages } from '../shop/emulator/install.ts';
import { run } from './printed/tools.ts';

/**
 * Gives the files for GitHub to check-jsonschema, which has GitHub's schemas in it. Each kind of file also with a mistake, which must be refused: a check that
 * sees nothing passes everything. `npm run e2e -- workflows` needs Python 3.10 and PyPI.
 */

const root = fileURLToPath(new URL('..', import.meta.url));
const checker = 'check-jsonschema==0.39.0';

interface Kind {
  readonly schema: string;
  readonly files: string;
  /** What makes such a file wrong. */
  readonly mistake: readonly [from: string, to: string];
}

const kinds: readonly Kind[] = [
  { schema: 'vendor.github-workflows', files: '.github/workflows/*.yml', mistake: ['runs-on:', 'run-on:'] },
  { schema: 'vendor.dependabot', files: '.github/dependabot.yml', mistake: ['package-ecosystem:', 'ecosystem:'] },
  {
    schema: 'vendor.github-issue-forms',
    files: '.github/ISSUE_TEMPLATE/{bug,feature}.yml',
    mistake: ['body:', 'fields:'],
  },
  {
    schema: 'vendor.github-issue-config',
    files: '.github/ISSUE_TEMPLATE/config.yml',
    mistake: ['contact_links:', 'links:'],
  },
];

async function isAccepted(python: string, schema: string, path: string): Promise<boolean> {
  const { code, output } = await run(python, ['-m', 'check_jsonschema', '--builtin-schema', schema, path], root);
  if (code !== 0 && path.startsWith(root)) console.error(output);
  return code === 0;
}

const python = await installPackages(root, [checker], console.log);
const scratch = await mkdtemp(join(tmpdir(), 'pawl-workflows-'));
try {
  for (const { schema, files, mistake } of kinds) {
    const paths = globSync(files, { cwd: root }).map((path) => join(root, path));
    for (const path of paths) {
      const wrong = join(scratch, 'wrong.yml');
      await writeFile(wrong, (await readFile(path, 'utf8')).replace(...mistake));
      const accepted = await isAccepted(python, schema, path);
      const refused = !(await isAccepted(python, schema, wrong));
      console.log(`${accepted && refused ? 'ok ' : 'NOT'} ${path.slice(root.length)}`);
      if (!accepted || !refused) process.exitCode = 1;
    }
    if (paths.length === 0) throw new Error(`There is no ${files}.`);
  }
} finally {
  await rm(scratch, { recursive: true });
}
