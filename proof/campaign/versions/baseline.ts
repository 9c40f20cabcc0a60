import { spawnSync } from 'node:child_process';
import { project } from '../../../shop/app/project.ts';

/**
 * The commit of the earlier version that the campaigns run beside this one: the first one whose ids, effect keys and records are those of this version.
 * `undefined`: there is none yet. Once there is a release, it is the last one.
 */
export const baseline: string | undefined = 'c17e12e8777cecfbfc548769d6be4b77ebe2db01';

/** Why there is nothing to compare with; `undefined` if there is. @param older the commit that was asked for */
export function whyNoEarlier(older: string | undefined): string | undefined {
  const advice = 'Name another commit with --older, or set baseline in proof/campaign/versions/baseline.ts.';
  if (older === undefined) {
    return `There is no earlier version yet whose ids and records are those of this one. ${advice}`;
  }
  const commitOf = (name: string) =>
    spawnSync('git', ['rev-parse', '--verify', '--quiet', `${name}^{commit}`], {
      cwd: project,
      encoding: 'utf8',
    }).stdout.trim();
  const commit = commitOf(older);
  const isPresent = commit !== '' && commit === commitOf('HEAD');
  return isPresent
    ? `The earlier version, ${older}, is the present commit: both versions would be the same. ${advice}`
    : undefined;
}
