import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import { bundleFunction } from '../../lib/rehearsal/bundle.ts';
import { scratchFolder } from '../../lib/rehearsal/engine/scratch.ts';
import type { AppFunction } from '../app/app-functions.ts';
import { project } from '../app/project.ts';

/**
 * What stands between the effects of the app and what goes wrong: pawl as its functions use it; pawl under the policy `retry`,
 * whatever they chose; pawl, and the messages of a payment put into the outbox after its commit, by mistake; nothing.
 */
export type Protection = 'as-written' | 'retry' | 'split' | 'none';

/** Which imports of the app's handlers lead elsewhere, and where. */
const detours = {
  retry: { from: /^pawl\/sqs$/, to: 'retrying.ts' },
  split: { from: /^pawl\/transactions$/, to: 'split-commit.ts' },
  none: { from: /^pawl(?:\/|$)/, to: 'unprotected.ts' },
} as const;

function detour({ from, to }: (typeof detours)[keyof typeof detours]): Plugin {
  return {
    name: 'detour',
    setup({ onResolve }) {
      onResolve({ filter: from }, ({ importer }) =>
        importer.startsWith(join(project, 'lambda/')) ? { path: join(project, 'shop/protection', to) } : undefined,
      );
    },
  };
}

/**
 * Bundles a function of the app as it is, but for pawl: to show what the same traffic does with another policy, with a mistake,
 * or without pawl. Done to the bundle, so that there is no switch in the code that runs in production.
 *
 * Returns the folder of the bundle.
 */
export async function bundleChanged(source: AppFunction, protection: keyof typeof detours): Promise<string> {
  const folder = await scratchFolder(project, `${protection}-`);
  await bundleFunction(join(project, `lambda/${source}.ts`), folder, [detour(detours[protection])]);
  return folder;
}
