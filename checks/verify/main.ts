import { execFileSync, spawn } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { endOnSignals } from '../../shop/end-on-signals.ts';
import { root } from '../packages.ts';
import { planOf, type Step, type Tree, textOf } from './plan.ts';

/** Answers "what do I run after changing this file", and runs it. `plan.ts` has the answer. */

const help = `Runs what the changed files ask for: those that differ from HEAD, and those that git does not know.

npm run verify                         the changed files
npm run verify -- lib/pawl/sqs         these files, and those below these folders
npm run verify -- --list               only prints what it would run, and why

Ends with 1 if anything failed, after all of it has run. What it names as "by hand" needs a registry, an emulator or more time.`;

const tree: Tree = {
  has: (path) => existsSync(join(root, path)),
  below: (folder) => globSync(`${folder}/**/*.*`, { cwd: root }).toSorted(),
};

function git(...args: readonly string[]): readonly string[] {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
}

function changedFiles(): readonly string[] {
  return [...git('diff', '--name-only', 'HEAD'), ...git('ls-files', '--others', '--exclude-standard')];
}

function namedFiles(named: readonly string[]): readonly string[] {
  const files = git('ls-files', '--cached', '--others', '--exclude-standard', '--', ...named);
  if (files.length === 0) throw new Error(`There is no file ${named.join(', ')}.`);
  return files;
}

/** What it prints is shown if it fails. */
async function passes({ command: [program = '', ...args] }: Step): Promise<boolean> {
  const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const kill = () => child.kill();
  process.once('exit', kill);
  const said: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => said.push(chunk));
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  process.off('exit', kill);
  if (code !== 0) process.stdout.write(`\n${Buffer.concat(said)}`);
  return code === 0;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { list: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const paths = positionals.length === 0 ? changedFiles() : namedFiles(positionals);
  const plan = planOf(paths, tree);
  if (plan.length === 0) console.log('Nothing differs from HEAD. npm run verify -- <paths> takes files by name.');
  const lines = new Map(plan.map((step) => [step, `${textOf(step)}  (${step.why})`]));
  const failed: string[] = [];
  for (const [step, line] of [...lines].filter(([{ isByHand }]) => !isByHand)) {
    if (values.list) {
      console.log(line);
      continue;
    }
    process.stdout.write(`${line} … `);
    const begun = performance.now();
    const passed = await passes(step);
    console.log(
      `${passed ? 'passed' : `FAILED: ${textOf(step)}`}, ${((performance.now() - begun) / 1000).toFixed(0)} s`,
    );
    if (!passed) failed.push(textOf(step));
  }
  for (const [, line] of [...lines].filter(([{ isByHand }]) => isByHand)) console.log(`By hand: ${line}`);
  for (const text of failed) console.log(`FAILED: ${text}`);
  return failed.length === 0 ? 0 : 1;
}

endOnSignals(() => process.stdout.write('\n'));
process.exitCode = await main();
