import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './process.ts';

/** The emulator, at the version that the corrections in `emulator.py` were written for. */
export const emulatorPackage = 'ministack==1.5.33';
/** What CloudFormation uses to translate AWS SAM. The emulator does the same if it is installed beside it. */
export const samTranslator = 'aws-sam-translator==1.115.0';

/** A tool is missing on this machine. The message says which, and what to do. */
export class MissingToolError extends Error {
  override readonly name = 'MissingToolError';
}

/**
 * Makes sure that the emulator is installed, in `.e2e/` of a project, which may be deleted at any time.
 *
 * @param onStep gets a few words about each thing that takes long
 * @param beside packages that it finds beside it, each with its version
 * @returns the Python that has it
 * @throws MissingToolError
 */
export async function installEmulator(
  project: string,
  onStep: (text: string) => void,
  beside: readonly string[] = [],
): Promise<string> {
  if ((await printed('openssl', ['version'])) === undefined) {
    throw new MissingToolError('The emulator makes its certificate with `openssl`, which was not found. Install it.');
  }
  return installPackages(project, [emulatorPackage, ...beside], onStep);
}

/**
 * Makes sure that packages of PyPI are installed together, in `.e2e/` of a project.
 *
 * @param packages each with its version
 * @returns the Python that has them
 * @throws MissingToolError
 */
export async function installPackages(
  project: string,
  packages: readonly string[],
  onStep: (text: string) => void,
): Promise<string> {
  const system = await findPython();
  const folder = join(project, '.e2e', packages.map((one) => one.replace('==', '-')).join('+'));
  const python = join(folder, 'bin', 'python3');
  const complete = join(folder, 'complete');
  if (existsSync(complete)) return python;

  // A folder without its mark is an installation that was interrupted.
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  onStep(`installing ${packages.join(' and ')} into .e2e/`);
  const env = process.env;
  await run(system, ['-m', 'venv', folder], { name: 'python3 -m venv', timeoutMs: 120_000, env });
  await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages], {
    name: `pip install ${packages.join(' ')}`,
    timeoutMs: 300_000,
    env,
  });
  await writeFile(complete, '');
  return python;
}

async function findPython(): Promise<string> {
  const version = await printed('python3', ['-c', 'import sys, venv; print("%d.%d" % sys.version_info[:2])']);
  const [major = 0, minor = 0] = (version ?? '').trim().split('.').map(Number);
  if (major === 3 && minor >= 10) return 'python3';
  throw new MissingToolError(
    `Python 3.10 or newer with venv is needed, and ${version === undefined ? 'there is none' : `python3 is ${version.trim()}`}. ` +
      'Debian and Ubuntu: apt install python3-venv. macOS: brew install python.',
  );
}

async function printed(command: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(command, [...args], { timeout: 20_000 }, (error, stdout) => resolve(error === null ? stdout : undefined));
  });
}
