import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import { bundleFunction } from '../../lib/rehearsal/bundle.ts';
import { scratchFolder } from '../../lib/rehearsal/scratch.ts';
import type { AppFunction } from '../app/app-functions.ts';
import { PROJECT } from '../app/project.ts';

/**
 * What stands between the effects of the app and what goes wrong: pawl as its functions use it; pawl under the policy `retry`,
 * whatever they chose; nothing.
 */
export type Protection = 'as-written' | 'retry' | 'none';

/** Which imports of the app's handlers lead elsewhere, and where. */
const detours = {
  retry: { from: /\/lib\/sqs\/index\.ts$/, to: 'retrying.ts' },
  none: {
    from: /\/lib\/(?:(?:sqs|middy|http|transactions|locks|stores\/\w+)\/)?\w+\.ts$/,
    to: 'unprotected.ts',
  },
} as const;

/** Where versions of this project keep what the detours lead to. */
const ROOMS = ['shop/protection', 'shop', 'lib/local'] as const;

function detour({ from, to }: (typeof detours)[keyof typeof detours], project: string): Plugin {
  const target = ROOMS.map((room) => join(project, room, to)).find(existsSync);
  if (target === undefined) throw new Error(`The version in ${project} has no ${to}.`);
  return {
    name: 'detour',
    setup({ onResolve }) {
      onResolve({ filter: from }, ({ importer }) =>
        importer.startsWith(join(project, 'lambda/')) ? { path: target } : undefined,
      );
    },
  };
}

/**
 * Bundles a function of the app as it is, but for pawl: to show what the same traffic does with another policy, or without
 * pawl. Done to the bundle, so that there is no switch in the code that runs in production.
 *
 * Returns the folder of the bundle.
 */
export async function bundleChanged(source: AppFunction, protection: keyof typeof detours): Promise<string> {
  return bundleOf(PROJECT, source, protection);
}

/**
 * Bundles a function of another version of this project, as it was written or changed in the same way. Returns the folder of the
 * bundle, or `undefined` if that version has no such function.
 *
 * @param project its folder, somewhere below this one: it uses the packages of this one
 */
export async function bundleOther(
  project: string,
  source: AppFunction,
  protection: Protection,
): Promise<string | undefined> {
  return existsSync(join(project, `lambda/${source}.ts`)) ? bundleOf(project, source, protection) : undefined;
}

async function bundleOf(project: string, source: AppFunction, protection: Protection): Promise<string> {
  const folder = await scratchFolder(PROJECT, `${protection}-`);
  const plugins = protection === 'as-written' ? [] : [detour(detours[protection], project)];
  await bundleFunction(join(project, `lambda/${source}.ts`), folder, plugins);
  return folder;
}
