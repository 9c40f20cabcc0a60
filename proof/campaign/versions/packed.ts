import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';
import { run } from '../../../checks/package/project.ts';
import { scratchFolder } from '../../../lib/rehearsal/engine/scratch.ts';
import type { AppFunction } from '../../../shop/app/app-functions.ts';
import { project } from '../../../shop/app/project.ts';
import { bundleFunction } from '../../../shop/bundle.ts';
import type { Protection } from '../../../shop/protection/changed-bundle.ts';
import { checkOut, copyPresent } from './checkout.ts';

/*
 * A version of pawl as its users have it: the tarball that its build makes, extracted into `node_modules/pawl`, and the shop's
 * functions of the same version beside it.
 *
 * Owns: a folder, with the bundles in it, that goes with the version or with this process. It has no `lib`, so that no bundle can
 * contain anything of pawl but what is in the tarball.
 * Does not own: the packages that pawl and the functions use. They are this project's: the folder lies below it.
 */
export interface PackedVersion extends AsyncDisposable {
  /** The tarball's SHA-1, as `npm publish` would print it. The same sources and compiler give the same one. */
  readonly shasum: string;
  /**
   * Bundles a function of this version. Returns the folder of the bundle, or `undefined` if this version has no such function.
   *
   * @param protection `retry` puts that policy in place of each consumer's own
   */
  bundle(source: AppFunction, protection: Exclude<Protection, 'none'>): Promise<string | undefined>;
  /** Where it is installed: the folder of a package of the name `pawl`. */
  readonly installed: string;
  /** The URL of a module of the package, by the name that a user imports: `pawl/dynamodb`. */
  urlOf(name: string): string;
}

/**
 * Builds a version with its own scripts, and packs it.
 *
 * @param commit which; without one, this project as it is now
 * @throws MissingHistoryError
 */
export async function packVersion(commit?: string): Promise<PackedVersion> {
  const folder = await scratchFolder(project, 'version-');
  const sources = join(folder, 'sources');
  await mkdir(sources);
  await (commit === undefined ? copyPresent(sources) : checkOut(commit, sources));
  await linkPackages(sources);
  await run(sources, 'npm', ['run', 'build']);
  const shasum = await installPacked(sources, folder);
  await rename(join(sources, 'lambda'), join(folder, 'lambda'));
  await cp(join(project, 'shop/protection/retrying.ts'), join(folder, 'shop/retrying.ts'));
  await rm(sources, { recursive: true });
  // Its own name: in a package of the name `pawl`, that name would be the package itself, and not the tarball.
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'functions', private: true, type: 'module' }));

  const { resolve } = createRequire(join(folder, 'package.json'));
  return {
    shasum,
    installed: join(folder, 'node_modules/pawl'),
    async bundle(source, protection) {
      const entry = join(folder, `lambda/${source}.ts`);
      if (!existsSync(entry)) return undefined;
      const bundle = await mkdtemp(join(folder, `${protection}-`));
      await bundleFunction(entry, bundle, protection === 'retry' ? [retrying(folder)] : []);
      return bundle;
    },
    urlOf: (name) => pathToFileURL(resolve(name)).href,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

/** Each package of a version finds the others of that version by their names. It would find those of this project, which lie in the folders above. */
async function linkPackages(sources: string): Promise<void> {
  for (const folder of await readdir(join(sources, 'lib'))) {
    const { name } = JSON.parse(await readFile(join(sources, 'lib', folder, 'package.json'), 'utf8'));
    const link = join(sources, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(sources, 'lib', folder), link);
  }
}

/** Extracts the tarball of a version that is built, as npm would install it. Returns the tarball's SHA-1. */
async function installPacked(sources: string, folder: string): Promise<string> {
  const tarball = (await readdir(sources)).find((name) => /^pawl-\d.*\.tgz$/.test(name));
  if (tarball === undefined) throw new Error(`The build of this version has left no tarball of pawl in ${sources}.`);
  const installed = join(folder, 'node_modules/pawl');
  await mkdir(installed, { recursive: true });
  await run(sources, 'tar', ['-xf', tarball, '--strip-components=1', '-C', installed]);
  return createHash('sha1')
    .update(await readFile(join(sources, tarball)))
    .digest('hex');
}

/** Puts the policy `retry` in place of each consumer's own. */
function retrying(folder: string): Plugin {
  return {
    name: 'retrying',
    setup({ onResolve }) {
      onResolve({ filter: /^pawl\/sqs$/ }, ({ importer }) =>
        importer.startsWith(join(folder, 'lambda/')) ? { path: join(folder, 'shop/retrying.ts') } : undefined,
      );
    },
  };
}
