import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { broken, type Mutant } from './mutant.ts';

/** A copy of the repository as it stands, which may be broken. */
export interface Workspace extends Disposable {
  readonly folder: string;
  /** Applies a mutant until the answer is disposed of. */
  with(mutant: Mutant): Disposable;
}

export function createWorkspace(repository: string): Workspace {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-mutants-'));
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
    cwd: repository,
    encoding: 'utf8',
  });
  for (const file of files.split('\0').filter(Boolean)) cpSync(join(repository, file), join(folder, file));
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
  return {
    folder,
    with(mutant) {
      const path = join(folder, mutant.file);
      const source = readFileSync(path, 'utf8');
      writeFileSync(path, broken(source, mutant));
      return { [Symbol.dispose]: () => writeFileSync(path, source) };
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
