import { bundleOptions } from '../lib/cdk/bundling.ts';

/** What the construct bundles a consumer with, for esbuild's own API. */
export function esbuildOptions(entry: string) {
  const { banner, mainFields, ...options } = bundleOptions;
  return {
    ...options,
    entryPoints: [entry],
    outfile: 'index.mjs',
    bundle: true,
    platform: 'node' as const,
    sourcemap: true,
    mainFields: [...mainFields],
    banner: { js: banner },
  };
}
