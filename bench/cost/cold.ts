import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { esbuildOptions } from '../../checks/esbuild-options.ts';
import type { Cold, ColdStart } from './results.ts';
import type { Setting } from './setting.ts';
import { startingWith } from './sizes.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

/** Which files of a bundle are the contender's own. The rest is the SDK, and a little of the benchmark. */
const ownSide = {
  floor: /^$/,
  pawl: /^lib\/pawl\//,
  pawlLean: /^lib\/pawl\//,
  powertools: /node_modules\/@aws-lambda-powertools\//,
} as const;

const files = { floor: 'floor', pawl: 'pawl', pawlLean: 'pawl-lean', powertools: 'powertools' } as const;

interface Contender extends Cold {
  readonly starts: ColdStart[];
  readonly start: (series: string) => Promise<ColdStart>;
}

/** Bundles each contender as the construct bundles a function, and starts each bundle in fresh processes, in turns. */
export async function measureCold(
  coldStarts: number,
  { endpoint, createTable, progress }: Setting,
): Promise<readonly Cold[]> {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-bench-'));
  try {
    const contenders: Contender[] = [];
    for (const name of ['floor', 'pawl', 'pawlLean', 'powertools'] as const) {
      progress.update(`cold starts: ${name} is bundled`);
      const outfile = join(folder, `${name}.mjs`);
      const bytes = await bundle(name, outfile);
      const table = await createTable(`${name}-cold`);
      contenders.push({ name, bytes, starts: [], start: (series) => coldStart(outfile, series, endpoint, table) });
    }
    for (let round = 0; round < coldStarts; round++) {
      progress.update(`cold starts: round ${round + 1} of ${coldStarts}`);
      for (const { start, starts } of startingWith(round, contenders)) starts.push(await start(`cold-${round}`));
    }
    return contenders.map(({ name, bytes, starts }) => ({ name, bytes, starts }));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function bundle(name: keyof typeof ownSide, outfile: string): Promise<Cold['bytes']> {
  const options = { ...esbuildOptions(`bench/cost/cold/${files[name]}.ts`), absWorkingDir: root, outfile };
  const { metafile } = await build({ ...options, metafile: true, logLevel: 'error' });
  const output = Object.values(metafile.outputs).find(({ entryPoint }) => entryPoint !== undefined);
  if (output === undefined) throw new Error(`esbuild wrote no bundle of ${name}`);
  const own = Object.entries(output.inputs).filter(([path]) => ownSide[name].test(path));
  return { total: output.bytes, own: own.reduce((bytes, [, { bytesInOutput }]) => bytes + bytesInOutput, 0) };
}

async function coldStart(outfile: string, series: string, endpoint: string, table: string): Promise<ColdStart> {
  const start = fileURLToPath(new URL('cold/start.ts', import.meta.url));
  const { stdout } = await run(process.execPath, [start, pathToFileURL(outfile).href, series], {
    // Nothing of ours: a compile cache or a flag in the environment would make it less cold.
    env: { PATH: process.env['PATH'], BENCH_ENDPOINT: endpoint, BENCH_TABLE: table },
  });
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
}
