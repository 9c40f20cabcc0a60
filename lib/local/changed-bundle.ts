import { join } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import type { AppFunction } from './stack.ts';
import { PROJECT, scratchFolder } from './synthesize.ts';

/**
 * What stands between the effects of the app and what goes wrong: pawl as its functions use it; pawl under the policy `retry`,
 * whatever they chose; nothing.
 */
export type Protection = 'as-written' | 'retry' | 'none';

/** How the CDK bundles a function. */
export const AS_CDK_BUNDLES = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  logLevel: 'silent',
  // Parts of the AWS SDK are CommonJS, and ask for Node's modules with `require`.
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
} as const satisfies BuildOptions;

/** Which ways of the app's handlers to pawl lead elsewhere, and where. */
const detours = {
  retry: { from: /\/lib\/sqs\/index\.ts$/, to: 'lib/local/retrying.ts' },
  none: {
    from: /\/lib\/(?:(?:sqs|middy|http|transactions|locks|stores\/\w+)\/)?\w+\.ts$/,
    to: 'lib/local/unprotected.ts',
  },
} as const;

function detour({ from, to }: (typeof detours)[keyof typeof detours]): Plugin {
  return {
    name: 'detour',
    setup({ onResolve }) {
      onResolve({ filter: from }, ({ importer }) =>
        importer.startsWith(join(PROJECT, 'lambda/')) ? { path: join(PROJECT, to) } : undefined,
      );
    },
  };
}

/**
 * Bundles a function of the app as it is, but for pawl: to show what the same traffic does with another policy, or with
 * nothing. Done to the bundle, so that there is no switch in the code that runs in production.
 *
 * Answers the folder of the bundle.
 */
export async function bundleChanged(source: AppFunction, protection: keyof typeof detours): Promise<string> {
  const folder = await scratchFolder(`${protection}-`);
  await build({
    ...AS_CDK_BUNDLES,
    entryPoints: [join(PROJECT, `lambda/${source}.ts`)],
    outfile: join(folder, 'index.mjs'),
    plugins: [detour(detours[protection])],
  });
  return folder;
}
