import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { commands } from '../../lib/cli/commands.ts';

/* The command `pawl` of the package of the same name, which has no commands of its own. */

const bin = fileURLToPath(new URL('../../lib/pawl/bin/pawl.ts', import.meta.url));

let project: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'pawl-dispatch-'));
  write('node_modules/pawl/package.json', JSON.stringify({ name: 'pawl', version: '9.8.7' }));
  copyFileSync(bin, join(project, 'pawl.ts'));
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(join(project, path, '..'), { recursive: true });
  writeFileSync(join(project, path), text);
}

function install(name: string): void {
  const manifest = { name, type: 'module', exports: { './command': './command.js' } };
  write(`node_modules/${name}/package.json`, JSON.stringify(manifest));
  write(`node_modules/${name}/command.js`, `console.log('${name}', process.argv.slice(2).join(' '));`);
}

const pawl = (...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(project, 'pawl.ts'), ...args], {
    cwd: project,
    encoding: 'utf8',
  });
  return [status, stdout.trim(), stderr.trim()];
};

it('names the package to install, in its own version, and ends with 2', () => {
  for (const { name, package: of = '@pawl/cli' } of [...commands, { name: '--help', package: undefined }]) {
    expect(pawl(name)).toEqual([2, '', `pawl ${name} needs ${of}: npm install --save-dev ${of}@9.8.7`]);
  }
  expect(pawl()).toEqual(pawl('--help'));
});

it('runs the package that the project has', () => {
  install('@pawl/cli');
  install('@pawl/rehearsal');
  expect(pawl('claims', '--json')).toEqual([0, '@pawl/cli claims --json', '']);
  expect(pawl('rehearse', 'a.ts')).toEqual([0, '@pawl/rehearsal rehearse a.ts', '']);
});
