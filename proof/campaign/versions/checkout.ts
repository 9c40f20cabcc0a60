import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { scratchFolder } from '../../../lib/rehearsal/scratch.ts';
import { PROJECT } from '../../../shop/app/project.ts';

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
  return spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: PROJECT }).status === 0;
}

/**
 * Unpacks the library and the functions of a commit into a folder below this project, so that they find its packages. The folder
 * goes with this process.
 *
 * @throws MissingHistoryError
 */
export async function checkOut(commit: string): Promise<string> {
  if (!hasCommit(commit)) throw new MissingHistoryError(commit);
  const folder = await scratchFolder(PROJECT, 'version-');
  const archive = join(folder, 'version.tar');
  const run = promisify(execFile);
  const { stdout } = await run('git', ['ls-tree', '--name-only', commit], { cwd: PROJECT });
  const there = stdout.split('\n');
  // Only later versions have a shop outside of the library.
  const parts = ['lib', 'lambda', 'shop', 'package.json', 'tsconfig.json'].filter((part) => there.includes(part));
  await run('git', ['archive', '--format=tar', `--output=${archive}`, commit, ...parts], { cwd: PROJECT });
  await run('tar', ['-xf', archive, '-C', folder]);
  return folder;
}
