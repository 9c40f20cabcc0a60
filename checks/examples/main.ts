import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endOnSignals } from '../../shop/end-on-signals.ts';
import { tarballOf } from '../build.ts';
import { run } from '../package/project.ts';
import { packages, root } from '../packages.ts';
import { exampleNames, prints, readExample, walkOf } from './example.ts';

/**
 * Runs every example as a reader would: the packed tarballs and a copy of `examples/` in a temporary folder, and there the commands of each README as they are
 * printed. Compares what they print with what the README shows, and lets TypeScript check the code against the installed package.
 *
 * `npm run examples -- 03 fifo` runs only those whose names contain one of these words. It needs a registry, or npm's cache of one, and Java.
 */

/** Two at a time: most of the time of one goes by while it waits for its servers. */
const atOnce = 2;

const tsconfig = {
  compilerOptions: {
    target: 'es2024',
    lib: ['es2024'],
    module: 'nodenext',
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    erasableSyntaxOnly: true,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
  },
  include: ['**/*.ts'],
};

/** Puts what the build has packed beside a copy of the examples. Returns the folder of the copy. */
async function unpackBeside(scratch: string): Promise<string> {
  for (const of of packages) copyFileSync(join(root, tarballOf(of)), join(scratch, tarballOf(of)));
  const folder = join(scratch, 'examples');
  cpSync(join(root, 'examples'), folder, {
    recursive: true,
    filter: (path) => !/\/(node_modules|dist|cdk\.out|\.pawl|package-lock\.json)$/.test(path),
  });
  return folder;
}

/** @throws Error when the commands fail, or print something else */
async function walk(folder: string, name: string): Promise<void> {
  const { commands, output } = walkOf(readExample(join(folder, '..'), name).readme);
  const here = join(folder, name);
  const said = await run(here, 'bash', ['-euo', 'pipefail', '-c', commands]);
  if (!prints(said, output)) throw new Error(`It printed\n${said}\nand its README shows\n${output}`);
  writeFileSync(join(here, 'tsconfig.json'), JSON.stringify(tsconfig));
  await run(here, process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', here]);
}

async function rowOf(folder: string, name: string): Promise<boolean> {
  const begun = performance.now();
  let problem: unknown;
  try {
    await walk(folder, name);
  } catch (error) {
    problem = error;
  }
  const seconds = ((performance.now() - begun) / 1000).toFixed(0).padStart(4);
  console.log(
    `${name.padEnd(28)}${seconds} s  ${problem === undefined ? 'as its README says' : 'NOT AS ITS README SAYS'}`,
  );
  if (problem !== undefined) console.error(problem instanceof Error ? problem.message : problem);
  return problem === undefined;
}

if (import.meta.main) {
  const words = process.argv.slice(2);
  const wanted = exampleNames(root).filter((name) => words.length === 0 || words.some((word) => name.includes(word)));
  if (wanted.length === 0) throw new Error(`No example is called ${words.join(' or ')}.`);
  const scratch = mkdtempSync(join(tmpdir(), 'pawl-examples-'));
  const remove = () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
  process.once('exit', remove);
  endOnSignals(remove);
  // DynamoDB Local unpacks a library there at each start, and leaves it.
  mkdirSync(join(scratch, 'java'));
  process.env['JAVA_TOOL_OPTIONS'] = `-Djava.io.tmpdir=${join(scratch, 'java')}`;
  Object.assign(process.env, {
    npm_config_prefer_offline: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
  });
  const begun = performance.now();
  const folder = await unpackBeside(scratch);
  // The last first: the later ones do more, and one of these that begins last keeps a core waiting.
  const waiting = wanted.toReversed();
  let works = 0;
  const takeTurns = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift())
      if (await rowOf(folder, name)) works += 1;
  };
  await Promise.all(Array.from({ length: atOnce }, takeTurns));
  const seconds = Math.round((performance.now() - begun) / 1000);
  console.log(`${works} of ${wanted.length} examples run as their READMEs say, in ${seconds} s.`);
  if (works < wanted.length) process.exitCode = 1;
}
