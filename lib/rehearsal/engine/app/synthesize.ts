import { spawn } from 'node:child_process';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { killGroupWithUs } from '../children.ts';
import { scratchFolder } from '../scratch.ts';
import { MachineTooSlowError } from '../too-slow.ts';
import { type Assembly, readAssembly } from './assembly.ts';
import { record, rehearsedAccount, rehearsedRegion } from './template.ts';

/** A CDK app, by what `cdk.json` says of it. */
export interface CdkApp {
  /**
   * The program that synthesizes it and its arguments: `['node', 'bin/app.ts']`. A text is run by a shell, as the CDK's command line
   * does with the `app` of `cdk.json`.
   */
  readonly command: readonly [program: string, ...args: string[]] | string;
  /** The folder in which the program runs. What a rehearsal writes goes to `.pawl/` in there. */
  readonly folder: string;
}

export type { Assembly, Synthesized } from './assembly.ts';

/** An app that is synthesized already: the folder of its cloud assembly, such as `cdk.out`. */
export interface SynthesizedApp {
  readonly assembly: string;
}

/** How long is waited for an app: no slow machine takes so long, and an app that hangs gets no verdict either. */
const patienceMs = 600_000;

/** How much of what an app prints is kept for the message. */
const longestOutput = 100_000;

/** What the CDK's command line sets as well: each resource says which construct it belongs to. */
const paths = { 'aws:cdk:enable-path-metadata': true };

/** What the CDK's command line tells an app of the account that it would be deployed to. */
const environment = { CDK_DEFAULT_ACCOUNT: rehearsedAccount, CDK_DEFAULT_REGION: rehearsedRegion };

/**
 * Reads a CDK app's own command and context out of its `cdk.json` and `cdk.context.json`.
 *
 * @throws Error if there is no `cdk.json`, or it names no app
 */
export async function readCdkApp(
  folder: string,
): Promise<CdkApp & { readonly context: Readonly<Record<string, unknown>> }> {
  const settings = await readJson(join(folder, 'cdk.json'));
  if (settings === undefined) throw new Error(`There is no cdk.json in ${folder}. Name the folder of a CDK app.`);
  const { app, build, context } = settings;
  if (typeof app !== 'string')
    throw new Error(`${join(folder, 'cdk.json')} has no \`app\`: the command that synthesizes.`);
  const command = typeof build === 'string' ? `${build} && ${app}` : app;
  const looked = await readJson(join(folder, 'cdk.context.json'));
  return { command, folder, context: { ...looked, ...record(context) } };
}

async function readJson(file: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    return record(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new Error(`${file} cannot be read.`, { cause: error });
  }
}

/**
 * Synthesizes a CDK app and reads what it would deploy.
 *
 * In a process of its own: the CDK keeps state per process and takes seconds to load, and no other part of a rehearsal needs it.
 *
 * @param context what `cdk deploy -c name=value` would set; here, values need not be texts
 * @throws Error with what the app printed, if it does not synthesize; MachineTooSlowError if it has not ended in ten minutes
 */
export async function synthesize(
  app: CdkApp,
  context: Readonly<Record<string, unknown>> = {},
  waitMs = patienceMs,
): Promise<Assembly> {
  const folder = await scratchFolder(app.folder, 'synth-');
  try {
    const told = { CDK_OUTDIR: folder, CDK_CONTEXT_JSON: JSON.stringify({ ...paths, ...context }) };
    await run(app, { ...environment, ...told }, waitMs);
    // A file `index.js` of a bundle would be read as a module of the project, which may be an ES module. In Lambda no package is around it.
    await writeFile(join(folder, 'package.json'), '{}');
    return await readAssembly(folder);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Copies an app that is synthesized already, so that it may be synthesized again while it runs.
 *
 * @throws Error if the folder holds no cloud assembly
 */
export async function copyAssembly(from: string): Promise<Assembly> {
  await readAssembly(from);
  const folder = await scratchFolder(dirname(resolve(from)), 'synth-');
  await cp(from, folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{}');
  return readAssembly(folder);
}

async function run(
  { command, folder: cwd }: CdkApp,
  env: Readonly<Record<string, string>>,
  waitMs: number,
): Promise<void> {
  const shell = typeof command === 'string';
  const [program, ...args] = shell ? [command] : command;
  const child = spawn(program, args, {
    cwd,
    shell,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own: a shell that is killed does not end what it has started.
    detached: true,
  });
  const end = killGroupWithUs(child);
  let isLate = false;
  const late = setTimeout(() => {
    isLate = true;
    end();
  }, waitMs);
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      printed = (printed + chunk.toString('utf8')).slice(-longestOutput);
    });
  }
  const [code, reason] = await new Promise<[number | null, string]>((settle) => {
    child.once('error', (error) => settle([null, error.message]));
    child.once('close', (status, signal) => settle([status, signal === null ? '' : `It was ended by ${signal}.`]));
  });
  clearTimeout(late);
  if (isLate) {
    throw new MachineTooSlowError(
      `the CDK app has not been synthesized within ${waitMs / 1_000} s. If it does not end by itself either, it hangs. It printed:\n${printed}`,
    );
  }
  if (code !== 0) throw new Error(`The CDK app does not synthesize.\n${printed}${reason}`);
}
