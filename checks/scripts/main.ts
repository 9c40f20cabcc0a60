import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../packages.ts';
import { askedOf, type Part, scriptOf } from './table.ts';

/** `npm run campaign -- versions` and its like: runs a row of `table.ts` with the arguments behind its name. */

function become({ run, env, needsBuild }: Part, rest: readonly string[]): void {
  process.chdir(root);
  if (needsBuild) {
    const { status } = spawnSync('npm', ['run', 'build'], { stdio: 'inherit' });
    if (status !== 0) process.exit(status ?? 1);
  }
  const [program = '', ...args] = run.split(' ');
  const isFile = program.endsWith('.ts');
  const path = isFile ? process.execPath : join(root, 'node_modules/.bin', program);
  // In place of this process: one between npm and the program would end at Ctrl-C before the program has cleaned up.
  process.execve?.(path, [path, ...(isFile ? [program] : []), ...args, ...rest], { ...process.env, ...env });
}

const [name = '', ...args] = process.argv.slice(2);
const script = scriptOf(name);
if (script === undefined) throw new Error(`There is no row ${name} in checks/scripts/table.ts.`);
const asked = askedOf(name, script, args);
if (asked.kind === 'part') become(asked.part, asked.rest);
else if (asked.kind === 'help') console.log(asked.text);
else {
  console.error(asked.text);
  process.exitCode = 2;
}
