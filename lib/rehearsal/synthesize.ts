import { execFile } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { killWithUs } from './children.ts';
import { scratchFolder } from './scratch.ts';
import { record, type Template } from './template.ts';

/** A CDK app, by what `cdk.json` says of it. */
export interface CdkApp {
  /** The program that synthesizes it and its arguments: `['node', 'bin/app.ts']`. */
  readonly command: readonly [program: string, ...args: string[]];
  /** The folder in which the program runs. What a rehearsal writes goes to `.pawl/` in there. */
  readonly folder: string;
}

/** A synthesized CDK app. */
export interface Assembly {
  /** Where it is. The assets are in there, so it has to stay while functions may be loaded. */
  readonly folder: string;
  readonly stacks: readonly Synthesized[];
}

/** One stack of a synthesized CDK app, read back from its cloud assembly. */
export interface Synthesized {
  readonly stackName: string;
  readonly template: Template;
  /** The folder of a function's code, by the `S3Key` under which a deployment would upload it. */
  readonly assets: ReadonlyMap<string, string>;
}

/** How long an app may take to synthesize. */
const TIMEOUT_MS = 120_000;

/** What the CDK's command line sets as well: each resource says which construct it belongs to. */
const PATHS = { 'aws:cdk:enable-path-metadata': true };

/**
 * Synthesizes a CDK app and reads what it would deploy.
 *
 * In a process of its own: the CDK keeps state per process and takes seconds to load, and no other part of a rehearsal needs it.
 *
 * @param context what `cdk deploy -c name=value` would set; here, values need not be texts
 * @throws Error with what the app printed, if it does not synthesize
 */
export async function synthesize(app: CdkApp, context: Readonly<Record<string, unknown>> = {}): Promise<Assembly> {
  const folder = await scratchFolder(app.folder, 'synth-');
  try {
    await run(app, { CDK_OUTDIR: folder, CDK_CONTEXT_JSON: JSON.stringify({ ...PATHS, ...context }) });
    // A file `index.js` of a bundle would be read as a module of the project, which may be an ES module. In Lambda no package is around it.
    await writeFile(join(folder, 'package.json'), '{}');
    return { folder, stacks: await readAssembly(folder) };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Reads the stacks in a cloud assembly, sorted by their names. */
async function readAssembly(folder: string): Promise<readonly Synthesized[]> {
  const files = await readdir(folder);
  const templates = files.filter((name) => name.endsWith('.template.json')).sort();
  return Promise.all(templates.map((name) => readStack(folder, name, files)));
}

async function readStack(folder: string, name: string, files: readonly string[]): Promise<Synthesized> {
  const stackName = name.slice(0, -'.template.json'.length);
  const template: Template = JSON.parse(await readFile(join(folder, name), 'utf8'));
  const manifest = files.includes(`${stackName}.assets.json`)
    ? record(JSON.parse(await readFile(join(folder, `${stackName}.assets.json`), 'utf8')))
    : {};
  const assets = new Map<string, string>();
  for (const file of Object.values(record(manifest['files']))) {
    const { source, destinations } = record(file);
    for (const destination of Object.values(record(destinations))) {
      assets.set(String(record(destination)['objectKey']), join(folder, String(record(source)['path'])));
    }
  }
  return { stackName, template, assets };
}

async function run(
  { command: [program, ...args], folder: cwd }: CdkApp,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const child = execFile(
      program,
      args,
      { cwd, env: { ...process.env, ...env }, timeout: TIMEOUT_MS, maxBuffer: 16 * 1_024 * 1_024 },
      (error, stdout, stderr) => {
        if (error === null) resolve();
        else reject(new Error(`The CDK app does not synthesize.\n${stdout}${stderr}`));
      },
    );
    killWithUs(child);
  });
}
