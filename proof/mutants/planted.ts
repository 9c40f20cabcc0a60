import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Mutant, nameOf } from './mutant.ts';

/**
 * How a mutant gets into a program: the source of one module is loaded with a line more, which replaces some of the functions that the module
 * exports. The bindings themselves are replaced, so the module itself calls the replacement too, like every module that imports it.
 * Nothing is said about the text of the module, and no file is changed.
 */

/** The environment variable that names the mutant. */
export const variable = 'PAWL_MUTANT';

const repository = join(import.meta.dirname, '../..');
const urlOf = (file: string) => pathToFileURL(join(import.meta.dirname, file)).href;

/** Under this environment, Node and Vitest load the library with this mutant planted, and so do the processes that they start. */
export function plantedEnvironment(mutant: Mutant): NodeJS.ProcessEnv {
  const { NODE_OPTIONS = '' } = process.env;
  return {
    ...process.env,
    [variable]: nameOf(mutant),
    NODE_OPTIONS: `${NODE_OPTIONS} --import ${urlOf('register.ts')}`,
  };
}

/** The names of the functions and classes that a module exports. */
export function functionsOf(source: string): readonly string[] {
  return Array.from(source.matchAll(/^export (?:async )?(?:function\*?|class) (\w+)/gm), ([, name = '']) => name);
}

/** The source of a module, and the line more if it is the module that the environment's mutant breaks. @param file its absolute path */
export function planted(source: string, file: string, name = process.env[variable]): string {
  const module = relative(repository, file);
  if (name === undefined || !name.startsWith(`${module}: `)) return source;
  const names = functionsOf(source).join(', ');
  return `${source}
import { plant as plantMutant } from ${JSON.stringify(urlOf('plant.ts'))};
({ ${names} } = { ${names}, ...plantMutant({ ${names} }) });
`;
}

/** For Vite, and so for Vitest. */
export const plantingPlugin = {
  name: 'planted-mutant',
  enforce: 'pre' as const,
  transform: (source: string, id: string) => planted(source, id),
};

/** For Node: what it has loaded from a URL. */
export function plantedModule(source: string | ArrayBuffer | NodeJS.TypedArray, url: string): string {
  return planted(typeof source === 'string' ? source : new TextDecoder().decode(source), fileURLToPath(url));
}
