import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packages } from '../../../checks/packages.ts';
import { scratchFolder } from '../../../lib/rehearsal/engine/scratch.ts';
import { copyPresent } from '../../../proof/campaign/versions/checkout.ts';
import { project } from '../../../shop/app/project.ts';

/*
 * A copy of this project in which three things are broken that its users rely on, and what the dry run of a release says of it. What it says of each
 * alone is in the unit tests beside this one.
 */

let folder: string;
let said: string;
let status: number | null;

function plant(path: string, from: string, to: string): void {
  const text = readFileSync(join(folder, path), 'utf8');
  if (!text.includes(from)) throw new Error(`${path} has no ${from}: plant something else`);
  writeFileSync(join(folder, path), text.replace(from, to));
}

/** The packages of this project, but for its own: the copy has those. */
function linkModules(): void {
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@pawl'), { recursive: true });
  for (const name of readdirSync(join(project, 'node_modules')))
    if (name !== 'pawl' && name !== '@pawl') symlinkSync(join(project, 'node_modules', name), join(modules, name));
  for (const { name, folder: source } of packages) symlinkSync(join(folder, source), join(modules, name));
}

beforeAll(async () => {
  folder = await scratchFolder(project, 'release-');
  await copyPresent(folder);
  linkModules();
  plant('lib/pawl/sqs/options.ts', 'readonly onInFlight?:', 'readonly whenInFlight?:');
  plant('lib/pawl/sqs/index.ts', "export { snsEnvelope } from '../payload/envelopes/sns.ts';\n", '');
  plant(
    'lib/pawl/stores/dynamodb/item.ts',
    'if (attribute !== undefined) item',
    "if (attribute !== undefined && name !== 'fingerprint') item",
  );
  const run = spawnSync(process.execPath, ['checks/release/main.ts', '--only', 'surface,records'], {
    cwd: folder,
    encoding: 'utf8',
  });
  ({ status } = run);
  said = `${run.stdout}${run.stderr}`;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a breaking change stops the release', () => {
  expect(status, said).toBe(1);
  expect(said).toContain('reasons stop this release');
});

test.each([
  [
    'an option that was renamed',
    '`onInFlight` of `SqsOptions` is gone (is it `whenInFlight` now?): a breaking change, and no **Breaking** line',
  ],
  [
    'an export that was removed',
    'pawl/sqs exports no `snsEnvelope` any more: a breaking change, and no **Breaking** line',
  ],
  ["a record's field that was dropped", 'the item charge#in-flight-with-attributes has no field fingerprint any more'],
])('%s is given as a reason', (_, reason) => {
  expect(said).toContain(reason);
});
