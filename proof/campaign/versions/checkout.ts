import { execFile, spawnSync } from 'node:child_process';
import { cp, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { project } from '../../../shop/app/project.ts';

/** The clone has no such commit. The message says what to do. */
export class MissingHistoryError extends Error {
  override readonly name = 'MissingHistoryError';

  constructor(commit: string) {
    super(
      `This clone has no commit ${commit}, so the version before cannot be built.\n` +
        'A shallow clone has no history: git fetch --unshallow. A copy without .git has none at all.',
    );
  }
}

/** Whether this clone has a commit. */
export function hasCommit(commit: string): boolean {
  return spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: project }).status === 0;
}

/**
 * Writes the files of a commit into a folder.
 *
 * @throws MissingHistoryError
 */
export async function checkOut(commit: string, folder: string): Promise<void> {
  if (!hasCommit(commit)) throw new MissingHistoryError(commit);
  const archive = join(folder, 'checkout.tar');
  const run = promisify(execFile);
  await run('git', ['archive', '--format=tar', `--output=${archive}`, commit], { cwd: project });
  await run('tar', ['-xf', archive, '-C', folder]);
  await rm(archive);
}

/** What was installed, built or recorded here belongs to no version. */
const noSource = new Set([
  '.git',
  '.pawl',
  '.e2e',
  '.stryker-tmp',
  'cdk.out',
  'coverage',
  'dist',
  'node_modules',
  'reports',
]);

/** Copies this project as it is now, with all that is not committed yet, into a folder. */
export async function copyPresent(folder: string): Promise<void> {
  const names = (await readdir(project)).filter((name) => !noSource.has(name));
  // A build that runs beside replaces a package's dist while it is copied.
  const filter = (path: string) => !noSource.has(basename(path));
  await Promise.all(names.map((name) => cp(join(project, name), join(folder, name), { recursive: true, filter })));
}
