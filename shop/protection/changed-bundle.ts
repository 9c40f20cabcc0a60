import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Plugin } from 'esbuild';
import { scratchFolder } from '../../lib/rehearsal/engine/scratch.ts';
import type { AppFunction, OtherFunction } from '../app/app-functions.ts';
import { project } from '../app/project.ts';
import { bundleFunction } from '../bundle.ts';

/**
 * What stands between the effects of the app and what goes wrong: pawl as its functions use it; pawl under the policy `retry`,
 * whatever they chose; pawl, and the messages of a payment put into the outbox after its commit, by mistake; nothing.
 */
export type Protection = 'as-written' | 'retry' | 'split' | 'none';

/** Where the functions keep their claims, their locks and their data. */
export type Store = 'dynamodb' | 'postgres';

/** Which imports of the app's handlers lead elsewhere, and where. Of several, the first. */
const detours = {
  'as-written': [],
  retry: [{ from: /^pawl\/sqs$/, to: 'retrying.ts' }],
  split: [
    { from: /^pawl\/transactions$/, to: 'split-commit.ts' },
    { from: /^pawl\/postgres$/, to: 'split-commit-postgres.ts' },
  ],
  none: [
    { from: /^pawl\/postgres$/, to: 'unprotected-postgres.ts' },
    { from: /^pawl(?:\/|$)/, to: 'unprotected.ts' },
  ],
} as const satisfies Readonly<Record<Protection, readonly { readonly from: RegExp; readonly to: string }[]>>;

const handlers = join(project, 'lambda');

function detour({ from, to }: { readonly from: RegExp; readonly to: string }): Plugin {
  return {
    name: 'detour',
    setup({ onResolve }) {
      onResolve({ filter: from }, ({ importer }) =>
        importer.startsWith(`${handlers}/`) ? { path: join(project, 'shop/protection', to) } : undefined,
      );
    },
  };
}

/** What a file of `lambda/` is over PostgreSQL: the file of its name in `lambda/postgres/`, where there is one. */
function overPostgres(file: string): string {
  const own = join(handlers, 'postgres', basename(file));
  return existsSync(own) ? own : file;
}

const toPostgres: Plugin = {
  name: 'to-postgres',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\// }, ({ importer, path }) =>
      dirname(importer) === handlers ? { path: overPostgres(join(handlers, path)) } : undefined,
    );
  },
};

/**
 * Bundles a function of the app as it is, but for pawl or for its database: to show what the same traffic does with another policy, with a mistake,
 * without pawl, or over PostgreSQL. Done to the bundle, so that there is no switch in the code that runs in production.
 *
 * Returns the folder of the bundle.
 */
export async function bundleChanged(
  source: AppFunction | OtherFunction,
  protection: Protection,
  store: Store = 'dynamodb',
): Promise<string> {
  const folder = await scratchFolder(project, `${protection}-`);
  const file = join(handlers, `${source}.ts`);
  const [entry, plugins] = store === 'postgres' ? [overPostgres(file), [toPostgres]] : [file, []];
  await bundleFunction(entry, folder, [...detours[protection].map(detour), ...plugins]);
  return folder;
}
