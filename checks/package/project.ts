import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const longestMs = 240_000;

interface Manifest {
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const manifest: Manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** One command in a fresh project: what Node runs, and what must come of it. */
export interface Step {
  readonly args: readonly string[];
  /** What the last line must be. @default anything */
  readonly prints?: string;
  /** What must be somewhere in the output of a command that must fail. @default the command must succeed */
  readonly failsWith?: string;
}

/** A fresh project, outside of the repository, that uses the packed tarball as its user would. */
export interface Project {
  readonly name: string;
  readonly peers: readonly string[];
  /** What must not have come along. */
  readonly absent: readonly string[];
  /** Development tools besides TypeScript, with their versions where this repository does not have them. */
  readonly tools?: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
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

/** @throws Error when the package does not work in this project */
export function check(project: Project, tarball: string, scratch: string): void {
  const folder = join(scratch, project.name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'fresh', private: true, type: 'module' }));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
  for (const [file, code] of Object.entries(project.files)) writeFileSync(join(folder, file), code);

  const lowest = project.peers.map((name) => `${name}@${manifest.peerDependencies[name]?.replace('^', '')}`);
  const tools = ['typescript', '@types/node', ...(project.tools ?? [])].map((name) => {
    const known = manifest.devDependencies[name];
    return known === undefined ? name : `${name}@${known}`;
  });
  run(folder, 'npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', tarball, ...lowest, ...tools]);

  const unwanted = project.absent.filter((name) => existsSync(join(folder, 'node_modules', name)));
  if (unwanted.length > 0) throw new Error(`It installs ${unwanted.join(', ')}, which nothing here needs.`);
  run(folder, process.execPath, ['node_modules/typescript/bin/tsc']);
  for (const step of project.steps) take(folder, step);
}

function take(folder: string, { args, prints, failsWith }: Step): void {
  const command = `node ${args.join(' ')}`;
  if (failsWith !== undefined) {
    const output = failureOf(folder, args);
    if (output === undefined) throw new Error(`${command} succeeded, and must fail.`);
    if (!output.includes(failsWith)) throw new Error(`${command} failed, and did not say ${failsWith}:\n${output}`);
    return;
  }
  const printed = run(folder, process.execPath, args).trim().split('\n').at(-1);
  if (prints !== undefined && printed !== prints) throw new Error(`${command} printed ${printed}, and not ${prints}.`);
}

/** What a command said that failed. */
function failureOf(folder: string, args: readonly string[]): string | undefined {
  try {
    run(folder, process.execPath, args);
    return undefined;
  } catch (error) {
    return String(error);
  }
}

/** @throws Error with all that the command said, when it fails or takes too long */
export function run(cwd: string, command: string, args: readonly string[]): string {
  // A fresh project knows nothing of this one: neither its settings nor its tools, but its Node.
  const kept = Object.entries(process.env).filter(([name]) => !/^(npm_(package|lifecycle)|INIT_CWD)/.test(name));
  const env = {
    ...Object.fromEntries(kept),
    PATH: `${join(process.execPath, '..')}${delimiter}${process.env['PATH']}`,
  };
  try {
    return execFileSync(command, args, {
      cwd,
      env,
      encoding: 'utf8',
      timeout: longestMs,
      stdio: 'pipe',
      maxBuffer: 1e8,
    });
  } catch (error) {
    const said =
      error instanceof Error ? ['stdout', 'stderr'].map((name) => String(Reflect.get(error, name) ?? '')) : [];
    throw new Error(`${command} ${args.join(' ')} failed:\n${said.join('')}`, { cause: error });
  }
}
