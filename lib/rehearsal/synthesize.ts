import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { killWithUs } from './children.ts';
import { record, type Template } from './template.ts';

/** The folder that holds `bin/`, `lib/` and `lambda/`. */
export const PROJECT = fileURLToPath(new URL('../../', import.meta.url));

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

/**
 * Synthesizes `bin/app.ts`, the app that `cdk deploy` deploys, and reads what it would deploy.
 *
 * In a process of its own: the CDK keeps state per process, takes seconds to load, and no other part of the local stack needs it.
 */
export async function synthesize(context: Readonly<Record<string, unknown>>): Promise<Assembly> {
  const scratch = await scratchFolder('synth-');
  try {
    await run(process.execPath, ['bin/app.ts'], { CDK_OUTDIR: scratch, CDK_CONTEXT_JSON: JSON.stringify(context) });
    return { folder: scratch, stacks: await readAssembly(scratch) };
  } catch (error) {
    await rm(scratch, { recursive: true, force: true });
    throw error;
  }
}

const scratchFolders = new Set<string>();

function removeScratchFolders(): void {
  for (const folder of scratchFolders) rmSync(folder, { recursive: true, force: true });
}

/** A new folder under `.pawl/`, which git ignores. It goes with this process, if nobody removes it earlier. */
export async function scratchFolder(prefix: string): Promise<string> {
  await mkdir(join(PROJECT, '.pawl'), { recursive: true });
  const folder = await mkdtemp(join(PROJECT, '.pawl', prefix));
  // Ctrl-C is the usual end of a local stack, and should leave nothing behind either.
  if (scratchFolders.size === 0) process.once('exit', removeScratchFolders);
  scratchFolders.add(folder);
  return folder;
}

/** Reads the stacks in a cloud assembly, by their names in order. */
export async function readAssembly(folder: string): Promise<readonly Synthesized[]> {
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

async function run(command: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const child = execFile(
      command,
      [...args],
      { cwd: PROJECT, env: { ...process.env, ...env }, timeout: 120_000, maxBuffer: 16 * 1_024 * 1_024 },
      (error, stdout, stderr) => {
        if (error === null) resolve();
        else reject(new Error(`The CDK app does not synthesize.\n${stdout}${stderr}`));
      },
    );
    killWithUs(child);
  });
}
