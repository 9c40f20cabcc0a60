import { join } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';

/** How the CDK bundles a function. */
const asCdkBundles = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  logLevel: 'silent',
  // Parts of the AWS SDK are CommonJS, and ask for Node's modules with `require`.
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
} as const satisfies BuildOptions;

/**
 * Bundles a function as the CDK does, into `index.mjs` of a folder.
 *
 * @param entry the file that exports the handler
 * @param plugins change what goes into the bundle
 */
export async function bundleFunction(entry: string, folder: string, plugins: readonly Plugin[] = []): Promise<void> {
  await build({
    ...asCdkBundles,
    entryPoints: [entry],
    outfile: join(folder, 'index.mjs'),
    plugins: [...plugins],
  });
}
