import { spawnSync } from 'node:child_process';
import { allChecks } from './checks.ts';
import { root } from './packages.ts';

/**
 * Runs the checks one after the other, each with its name and how long it took, and fails when one of them fails.
 *
 * `npm run check -- api sizes` runs only these. They do not run side by side: they would slow down the imports that `sizes` measures.
 */

interface Done {
  readonly name: string;
  readonly passed: boolean;
  readonly seconds: number;
}

function run(name: string, args: readonly string[]): Done {
  console.log(`\n== ${name}`);
  const begun = performance.now();
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  return { name, passed: status === 0, seconds: (performance.now() - begun) / 1000 };
}

function line({ name, passed, seconds }: Done): string {
  return `${name.padEnd(12)}${seconds.toFixed(1).padStart(6)} s  ${passed ? 'passed' : 'FAILED'}`;
}

if (import.meta.main) {
  const wanted = process.argv.slice(2);
  if (wanted.includes('--help')) {
    console.log(`npm run check -- ${Object.keys(allChecks).join(' | ')}\n\nWithout a name, all of them.`);
    process.exit();
  }
  const unknown = wanted.filter((name) => !Object.hasOwn(allChecks, name));
  if (unknown.length > 0) {
    console.error(`There is no check ${unknown.join(', ')}. There are: ${Object.keys(allChecks).join(', ')}.`);
    process.exit(2);
  }
  const checks = Object.entries(allChecks).filter(([name]) => wanted.length === 0 || wanted.includes(name));
  const done = checks.map(([name, args]) => run(name, args));
  console.log(`\n${done.map(line).join('\n')}`);
  if (done.some(({ passed }) => !passed)) process.exitCode = 1;
}
