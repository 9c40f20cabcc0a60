import { packVersion } from './packed.ts';

/**
 * Parts of the library of a commit, out of its packed tarball.
 *
 * @param modules as its users import them: `pawl/locks`
 */
export async function libraryOf<Library>(commit: string, modules: readonly string[]): Promise<Library> {
  const { urlOf } = await packVersion(commit);
  const parts = await Promise.all(modules.map((name) => import(urlOf(name))));
  return Object.assign({}, ...parts);
}
