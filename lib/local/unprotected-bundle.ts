import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import type { AppFunction } from './stack.ts';
import { PROJECT, scratchFolder } from './synthesize.ts';

/** Every way in which a handler of the app gets at pawl leads to the stand-in that protects nothing. */
const withoutPawl: Plugin = {
  name: 'without-pawl',
  setup({ onResolve }) {
    onResolve({ filter: /\/lib\/(?:(?:sqs|middy|http|transactions|locks|stores\/\w+)\/)?\w+\.ts$/ }, ({ importer }) =>
      importer.startsWith(join(PROJECT, 'lambda/')) ? { path: join(PROJECT, 'lib/local/unprotected.ts') } : undefined,
    );
  },
};

/**
 * Bundles a function of the app as it is, but for pawl: to show what the same traffic does without it. Done to the
 * bundle, so that there is no switch in the code that runs in production.
 *
 * Answers the folder of the bundle.
 */
export async function bundleUnprotected(source: AppFunction): Promise<string> {
  const folder = await scratchFolder('unprotected-');
  await build({
    entryPoints: [join(PROJECT, `lambda/${source}.ts`)],
    outfile: join(folder, 'index.mjs'),
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    logLevel: 'silent',
    // Parts of the AWS SDK are CommonJS, and ask for Node's modules with `require`.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    plugins: [withoutPawl],
  });
  return folder;
}
