import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { PROJECT, scratchFolder } from '../lib/rehearsal/synthesize.ts';
import type { AppFunction } from './stack.ts';

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
  retry: { from: /\/lib\/sqs\/index\.ts$/, to: 'shop/retrying.ts' },
  none: {
    from: /\/lib\/(?:(?:sqs|middy|http|transactions|locks|stores\/\w+)\/)?\w+\.ts$/,
    to: 'shop/unprotected.ts',
  },
} as const;

function detour({ from, to }: (typeof detours)[keyof typeof detours], project: string): Plugin {
  return {
    name: 'detour',
    setup({ onResolve }) {
      onResolve({ filter: from }, ({ importer }) =>
        importer.startsWith(join(project, 'lambda/')) ? { path: join(project, to) } : undefined,
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
  return bundleOf(PROJECT, source, protection);
}

/**
 * Bundles a function of another version of this project, as it was written or changed in the same way. Answers the folder of the
 * bundle; nothing when that version had no such function.
 *
 * @param project its folder, somewhere below this one: its packages are the ones of this one
 */
export async function bundleOther(
  project: string,
  source: AppFunction,
  protection: Protection,
): Promise<string | undefined> {
  return existsSync(join(project, `lambda/${source}.ts`)) ? bundleOf(project, source, protection) : undefined;
}

async function bundleOf(project: string, source: AppFunction, protection: Protection): Promise<string> {
  const folder = await scratchFolder(`${protection}-`);
  await build({
    ...AS_CDK_BUNDLES,
    entryPoints: [join(project, `lambda/${source}.ts`)],
    outfile: join(folder, 'index.mjs'),
    plugins: protection === 'as-written' ? [] : [detour(detours[protection], project)],
  });
  return folder;
}
