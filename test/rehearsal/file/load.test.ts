import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findApp, findFile } from '../../../lib/rehearsal/file/load.ts';

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-load-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

test('without a name, the file is rehearsal.ts, or another of the usual names', () => {
  const folder = folderWith({ 'rehearsal.mjs': '' });
  expect(findFile(undefined, folder)).toBe(join(folder, 'rehearsal.mjs'));
  writeFileSync(join(folder, 'rehearsal.ts'), '');
  expect(findFile(undefined, folder)).toBe(join(folder, 'rehearsal.ts'));
  expect(() => findFile(undefined, folderWith({}))).toThrow(/There is no rehearsal\.ts in .*\. Write one/);
  expect(() => findFile('other.ts', folder)).toThrow(/There is no file .*other\.ts\./);
});

test('the app is that of the nearest cdk.json above the file, or of the folder that is named', async () => {
  const folder = folderWith({ 'cdk.json': '{ "app": "node app.ts" }' });
  const below = join(folder, 'test', 'rehearsals');
  await mkdir(below, { recursive: true });
  expect((await findApp(undefined, join(below, 'rehearsal.ts'))).folder).toBe(folder);
  expect((await findApp('../..', join(below, 'rehearsal.ts'))).folder).toBe(folder);
  await expect(findApp('..', join(below, 'rehearsal.ts'))).rejects.toThrow(
    /no cdk\.json in .*test, which the rehearsal names/,
  );
});

test('a cdk.json without a command is refused', async () => {
  const folder = folderWith({ 'cdk.json': '{}' });
  await expect(findApp(undefined, join(folder, 'rehearsal.ts'))).rejects.toThrow(
    /has no `app`: the command that synthesizes/,
  );
});

test('a rehearsal file of ES modules in a project of CommonJS loads without a warning of Node, and other warnings stay', async () => {
  const library = new URL('../../../lib/rehearsal/', import.meta.url).href;
  const file = `import { rehearsal } from '${library}file/define.ts';
process.emitWarning('mind this');
export default rehearsal({ traffic: () => undefined, effects: { email: () => [] } });`;
  const folder = folderWith({ 'package.json': '{}', 'rehearsal.ts': file });
  const main = `const { loadRehearsal } = await import('${library}file/load.ts');
console.log((await loadRehearsal(${JSON.stringify(join(folder, 'rehearsal.ts'))})).kind);`;
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', main]);
  expect(stdout).toBe('pawl.rehearsal\n');
  expect(stderr).toContain('mind this');
  expect(stderr).not.toContain('MODULE_TYPELESS_PACKAGE_JSON');
});
