import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { packages, root } from '../packages.ts';

export { root } from '../packages.ts';

const longestMs = 400_000;

/** What this repository develops with. */
const { devDependencies }: { readonly devDependencies: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);
/** The ranges that the packages name, of their peers and of what comes with them. Middy is no peer: a middleware is a plain object. */
const ranges: Readonly<Record<string, string>> = {
  '@middy/core': '^5.0.2 || ^6 || ^7',
  ...Object.assign({}, ...packages.map(({ manifest }) => ({ ...manifest.dependencies, ...manifest.peerDependencies }))),
};

/** One command in a fresh project: what Node runs, and what must come of it. */
export interface Step {
  readonly args: readonly string[];
  /** What the last line must be. @default anything */
  readonly prints?: string;
  /** What must be somewhere in the output of a command that must fail. @default the command must succeed */
  readonly failsWith?: string;
  /** Lines of a failure that are not pawl's. If it says nothing else, it has not failed. */
  readonly ignores?: RegExp;
}

/** A fresh project, outside of the repository, that uses the packed tarballs as its user would. */
export interface Project {
  readonly name: string;
  /** What installs. @default npm */
  readonly manager?: 'npm' | 'pnpm';
  /** What the project is before pawl comes to it. @default `package.json` of ECMAScript modules, and `tsconfig.json` */
  readonly begin?: (folder: string) => Promise<void>;
  /** What the project has when pawl is installed, as `name@version`. */
  readonly has: readonly string[];
  /** The commands of pawl that it runs. What its files import is installed in any case. @default none */
  readonly runs?: readonly ('@pawl/cli' | '@pawl/rehearsal')[];
  /** What must not have come along. @default nothing in particular */
  readonly absent?: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

/** TypeScript and the types of Node, as this repository has them. */
export const typescript = ['typescript', '@types/node'].map((name) => `${name}@${devDependencies[name]}`);
/** For a project whose files TypeScript checks as `tsconfig.json` says. */
export const checkTypes: Step = { args: ['node_modules/typescript/bin/tsc'] };

/** Which end of the range of a peer. */
export type End = 'lowest' | 'highest';

/** Peers of pawl in the lowest version that package.json permits, or the highest. */
export function peers(end: End, ...names: readonly string[]): readonly string[] {
  return names.map((name) => {
    const range = ranges[name];
    const [lowest] = /\d+\.\d+\.\d+/.exec(range ?? '') ?? [];
    if (range === undefined || lowest === undefined) throw new Error(`${name} is no peer with a lowest version.`);
    return `${name}@${end === 'lowest' ? lowest : range}`;
  });
}

const tsconfig = {
  compilerOptions: {
    target: 'es2024',
    module: 'nodenext',
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    types: ['node'],
    allowImportingTsExtensions: true,
  },
};

async function beginPlain(folder: string): Promise<void> {
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'fresh', private: true, type: 'module' }));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
}

/** @throws Error when the package does not work in this project */
export async function check(project: Project, tarballs: ReadonlyMap<string, string>, scratch: string): Promise<void> {
  const { begin = beginPlain, absent = [], runs: commands = [], manager = 'npm' } = project;
  const folder = join(scratch, project.name.replaceAll(/\W+/g, '-'));
  await begin(folder);
  const install = manager === 'npm' ? npmInstalls : await pnpmInstalls(folder, tarballs);
  const saidBefore = await install(folder, project.has);
  const before = installed(folder);
  const code = Object.values(project.files).join('\n');
  const named = [...tarballs.keys()].filter(
    (name) => commands.some((one) => one === name) || code.includes(`'${name}'`),
  );
  // What comes with a package has to be named as well, as long as it is in no registry.
  const all = new Set(['pawl', ...named, ...(named.includes('@pawl/rehearsal') ? ['@pawl/cli'] : [])]);
  const wanted = [...tarballs].filter(([name]) => all.has(name));
  const said = await install(
    folder,
    wanted.map(([, tarball]) => tarball),
  );
  const warnings = said.split('\n').filter((line) => /\bwarn/i.test(line) && !saidBefore.includes(line));
  if (warnings.length > 0)
    throw new Error(`Installing pawl says more than that it is installed:\n${warnings.join('\n')}`);
  const after = installed(folder);
  const changed = [...before].filter(([path, version]) => after.get(path) !== version);
  if (changed.length > 0)
    throw new Error(`Installing pawl changes versions: ${changed.map(([path]) => path).join(', ')}`);
  const unwanted = absent.filter((name) => existsSync(join(folder, 'node_modules', name)));
  if (unwanted.length > 0) throw new Error(`It installs ${unwanted.join(', ')}, which nothing here needs.`);

  for (const [file, code] of Object.entries(project.files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), code);
  }
  for (const step of project.steps) await take(folder, step);
}

/** Installs packages. @returns what was said */
type Install = (folder: string, packages: readonly string[]) => Promise<string>;

const npmInstalls: Install = async (folder, packages) => {
  if (packages.length === 0) return '';
  const { stdout, stderr } = await runs(folder, 'npm', [
    ...['install', '--no-audit', '--no-fund', '--prefer-offline', '--save-exact'],
    ...packages,
  ]);
  return stdout + stderr;
};

/** What a package of pawl depends on is in no registry yet: by `overrides`, pnpm takes its tarball. */
async function pnpmInstalls(folder: string, tarballs: ReadonlyMap<string, string>): Promise<Install> {
  const overrides = Array.from(tarballs, ([name, tarball]) => `  '${name}': 'file:${tarball}'`);
  writeFileSync(
    join(folder, 'pnpm-workspace.yaml'),
    ['overrides:', ...overrides, 'allowBuilds:', '  esbuild: true', ''].join('\n'),
  );
  // Found by its name, as by CDK, which bundles with what a project is installed by.
  await runs(folder, 'npm', ['install', '--no-audit', '--no-fund', '--prefix', toolsOf(folder), 'pnpm@12']);
  return async (_, packages) => {
    if (packages.length === 0) return '';
    const { stdout, stderr } = await runs(folder, 'pnpm', ['add', '--save-exact', ...packages]);
    return stdout + stderr;
  };
}

/** What the projects are installed with, beside them. */
const toolsOf = (folder: string) => join(folder, '../tools');

/** The versions of all packages of a project, by their places. pnpm keeps those that others need out of sight: none of them, then. */
function installed(folder: string): ReadonlyMap<string, string> {
  if (!existsSync(join(folder, 'package-lock.json'))) return new Map();
  const lock: unknown = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  const { packages } = lock as { readonly packages: Readonly<Record<string, { readonly version?: string }>> };
  return new Map(
    Object.entries(packages).flatMap(([path, { version }]) => (version === undefined ? [] : [[path, version]])),
  );
}

/** The same project, installed by pnpm, where a package finds only what it names. */
export function byPnpm(project: Project): Project {
  return { ...project, name: `${project.name}, pnpm`, manager: 'pnpm' };
}

async function take(folder: string, { args, prints, failsWith, ignores }: Step): Promise<void> {
  const command = `node ${args.join(' ')}`;
  if (failsWith !== undefined) {
    const output = await failureOf(folder, args);
    if (output === undefined) throw new Error(`${command} succeeded, and must fail.`);
    if (!output.includes(failsWith)) throw new Error(`${command} failed, and did not say ${failsWith}:\n${output}`);
    return;
  }
  if (ignores !== undefined) {
    const lines = (await failureOf(folder, args))?.split('\n').slice(1) ?? [];
    const own = lines.filter((line) => /^\S/.test(line) && !ignores.test(line));
    if (own.length > 0) throw new Error(`${command} failed:\n${own.join('\n')}`);
    return;
  }
  const printed = (await runStep(folder, args)).trim().split('\n').at(-1);
  if (prints !== undefined && printed !== prints) throw new Error(`${command} printed ${printed}, and not ${prints}.`);
}

/** What a command said that failed. */
async function failureOf(folder: string, args: readonly string[]): Promise<string | undefined> {
  try {
    await runStep(folder, args);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** What `.bin` has is run as it is: npm links to the script, pnpm writes one of the shell. */
function runStep(folder: string, args: readonly string[]): Promise<string> {
  const [first = '', ...others] = args;
  return first.includes('/.bin/') ? run(folder, join(folder, first), others) : run(folder, process.execPath, args);
}

/** @throws Error with all that the command said, when it fails or takes too long */
export async function run(cwd: string, command: string, args: readonly string[]): Promise<string> {
  return (await runs(cwd, command, args)).stdout;
}

async function runs(
  cwd: string,
  command: string,
  args: readonly string[],
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  // A fresh project knows nothing of this one: neither its settings nor its tools, but its Node.
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_(package|lifecycle)|INIT_CWD|NODE_OPTIONS)/.test(name),
  );
  const env = {
    ...Object.fromEntries(kept),
    PATH: [dirname(process.execPath), join(toolsOf(cwd), 'node_modules/.bin'), process.env['PATH']].join(delimiter),
  };
  try {
    return await promisify(execFile)(command, args, {
      cwd,
      env,
      encoding: 'utf8',
      timeout: longestMs,
      maxBuffer: 1e8,
    });
  } catch (error) {
    const said =
      error instanceof Error ? ['stdout', 'stderr'].map((name) => String(Reflect.get(error, name) ?? '')) : [];
    throw new Error(`${command} ${args.join(' ')} failed:\n${said.join('')}`, { cause: error });
  }
}
